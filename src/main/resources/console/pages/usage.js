// How much was used: days by model, key, project or provider.
import { html, useMemo } from '../lib.js';
import { get } from '../api.js';
import { href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { day, dollars, milliseconds, number, share, short } from '../format.js';
import { days } from '../range.js';
import { Empty, Field, Filters, Figure, Freshness, Head, Panel, Select, TextInput, View } from '../ui.js';
import { Table } from '../table.js';
import { FullestBudgets } from '../budgets.js';
import { Download } from '../download.js';
import { Chart } from '../chart.js';

const LENGTHS = [['7', '7 days (UTC)'], ['30', '30 days (UTC)'], ['90', '90 days (UTC)'], ['365', '365 days (UTC)']];
const DIMENSIONS = [['model', 'Model'], ['key', 'Key'], ['project', 'Project'], ['provider', 'Provider'], ['endpoint', 'Endpoint']];
const MEASURES = [['calls', 'Calls'], ['tokens', 'Tokens'], ['errors', 'Failed calls'], ['cost', 'Cost']];
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'];
const FILTERS = ['project', 'key', 'provider', 'model'];

const oneOf = (options, value) => (options.some(([name]) => name === value) ? value : options[0][0]);

export function Usage({ query }) {
  const length = LENGTHS.some(([name]) => name === query.days) ? query.days : '30';
  const by = oneOf(DIMENSIONS, query.by);
  const measure = oneOf(MEASURES, query.measure);
  const asked = { ...days(Number(length)), by: `day,${by}`, ...Object.fromEntries(FILTERS.map((name) => [name, query[name]])) };
  const load = useLoad((signal) => get('usage', asked, signal), [JSON.stringify(asked)]);
  const set = (name) => (value) => setQuery({ [name]: value });
  return html`<${Head} title="Usage" note="Days in UTC. Totals stay when the request log is emptied.">
      <${Freshness} load=${load} />
      <${Download} resource="usage" query=${{ ...asked, format: 'csv' }} accept="text/csv" name=${`usage-${asked.from}-${asked.to}.csv`}>CSV<//>
    <//>
    <${Filters} label="Choose usage" open=${FILTERS.some((name) => query[name])}>
      <${Field} label="Last"><${Select} value=${length} options=${LENGTHS} onChange=${set('days')} /><//>
      <${Field} label="By"><${Select} value=${by} options=${DIMENSIONS} onChange=${set('by')} /><//>
      <${Field} label="Show"><${Select} value=${measure} options=${MEASURES} onChange=${set('measure')} /><//>
      <${Field} label="Project" second=${true}><${TextInput} value=${query.project ?? ''} onChange=${set('project')} /><//>
      <${Field} label="Key id" second=${true}><${TextInput} value=${query.key ?? ''} onChange=${set('key')} /><//>
      <${Field} label="Provider" second=${true}><${TextInput} value=${query.provider ?? ''} onChange=${set('provider')} /><//>
      <${Field} label="Model" second=${true}><${TextInput} value=${query.model ?? ''} onChange=${set('model')} /><//>
      ${FILTERS.some((name) => query[name]) && html`<button type="button" onClick=${() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ''])))}>Clear</button>`}
    <//>
    <${FullestBudgets} />
    <${Month} filter=${Object.fromEntries(FILTERS.map((name) => [name, query[name]]))} />
    <${View} load=${load} rows=${10}>${(data) => html`<${Report} data=${data} by=${by} measure=${measure} />`}<//>`;
}

/** What this month has cost, and what it comes to if it goes on like the last seven days. */
function Month({ filter }) {
  const today = days(1).to;
  const month = today.slice(0, 7);
  const week = days(8).from;
  const asked = { ...filter, from: week < `${month}-01` ? week : `${month}-01`, to: today, by: 'day' };
  const load = useLoad((signal) => get('usage', asked, signal), [JSON.stringify(asked)]);
  return html`<${View} load=${load} rows=${1} what="The cost of this month">${({ rows }) => {
    const cost = (wanted) => rows.filter((row) => wanted(row.day)).reduce((sum, row) => sum + Number(row.cost ?? 0), 0);
    const spent = cost((one) => one.startsWith(month));
    const end = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1);
    const forecast = spent + (cost((one) => week <= one && one < today) / 7) * ((end - Date.now()) / 86_400_000);
    return html`<dl class="figures">
      <${Figure} label="Cost of this month" value=${dollars(spent)} />
      <${Figure} label="Forecast for this month" value=${dollars(forecast)} note="as the last 7 days" />
    </dl>`;
  }}<//>`;
}

function Report({ data, by, measure }) {
  const { total } = data;
  const groups = useMemo(() => grouped(data.rows, by, measure), [data, by, measure]);
  const chart = useMemo(() => lines(data, groups, measure), [data, groups, measure]);
  if (data.rows.length === 0) {
    return html`<${Empty} title="Nothing was used in this time">Choose a longer time or another filter.<//>`;
  }
  const name = DIMENSIONS.find(([value]) => value === by)[1];
  return html`<dl class="figures">
      <${Figure} label="Calls" value=${number(total.calls)} />
      <${Figure} label="Failed (4xx, 5xx)" value=${share(total.errors, total.calls)} note=${total.errors > 0 ? number(total.errors) : null} kind=${total.errors > 0 ? 'bad' : ''} />
      <${Figure} label="Tokens in" value=${short(total.inputTokens)} note=${total.cachedInputTokens > 0 ? `${short(total.cachedInputTokens)} cached` : null} />
      <${Figure} label="Tokens out" value=${short(total.outputTokens)} />
      <${Figure} label="Cost" value=${dollars(total.cost)} note=${total.callsWithoutCost > 0 ? `${number(total.callsWithoutCost)} unpriced` : null} />
      <${Figure} label="Mean duration" value=${total.calls > 0 ? milliseconds(total.durationMs / total.calls) : '–'} />
      <${Figure} label="Attempts passed on" value=${number(total.failedAttempts)} />
    </dl>
    ${data.truncated && html`<p class="stale" role="status">There are more than 10,000 rows; the figures by ${name.toLowerCase()} below are of the first ones. Choose a shorter time or a filter.</p>`}
    <${Panel} title=${`${MEASURES.find(([value]) => value === measure)[1]} by day`}>
      <${Chart} label=${`${measure} by day, for the largest of each ${name.toLowerCase()}; the table below has the figures`} times=${chart.times} series=${chart.series} utc=${true} height=${240} />
    <//>
    <${Panel} title=${`By ${name.toLowerCase()}`}><${Table} caption=${`Usage by ${name.toLowerCase()}`} columns=${columns(name)} rows=${groups} rowKey=${(row) => row.id} link=${(row) => (row.id === '' ? href(['usage']) : href(['usage'], { by: by === 'model' ? 'key' : 'model', [by]: row.id }))} /><//>
    <${Panel} title="By day"><${Table} caption="Usage by day" columns=${columns('Day')} rows=${byDay(data.rows)} rowKey=${(row) => row.id} /><//>`;
}

const measured = (row, measure) => (measure === 'tokens' ? row.inputTokens + row.outputTokens : Number(row[measure] ?? 0));

/** Adds the figures of a row, which are its numbers, and its cost, if it is known: what it is of is text. */
function add(sums, row) {
  if (row.cost !== null) sums.cost = (sums.cost ?? 0) + Number(row.cost);
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'number') sums[name] = (sums[name] ?? 0) + value;
  }
}

/** Sums by one dimension, the largest first. */
function grouped(rows, by, measure) {
  const groups = new Map();
  for (const row of rows) {
    const id = row[by] ?? '';
    if (!groups.has(id)) {
      groups.set(id, { id, name: (by === 'key' ? row.keyName : id) || id || 'unknown', days: new Map() });
    }
    const group = groups.get(id);
    add(group, row);
    group.days.set(row.day, (group.days.get(row.day) ?? 0) + measured(row, measure));
  }
  return [...groups.values()].sort((a, b) => measured(b, measure) - measured(a, measure));
}

function byDay(rows) {
  const found = new Map();
  for (const row of rows) {
    if (!found.has(row.day)) found.set(row.day, { id: row.day, name: day(row.day) });
    add(found.get(row.day), row);
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** Lines of the largest groups, and one of all others. */
function lines(data, groups, measure) {
  const all = [];
  for (let at = Date.parse(data.from); at <= Date.parse(data.to); at += 86_400_000) {
    all.push(new Date(at).toISOString().slice(0, 10));
  }
  const shown = groups.slice(0, COLOURS.length);
  const series = shown.map((group, index) => ({ label: group.name, colour: COLOURS[index], values: all.map((one) => group.days.get(one) ?? 0), bars: groups.length === 1, format: measure === 'cost' ? dollars : undefined }));
  if (groups.length > shown.length) {
    const others = groups.slice(shown.length);
    series.push({ label: `${others.length} others`, colour: '--control', values: all.map((one) => others.reduce((sum, group) => sum + (group.days.get(one) ?? 0), 0)), format: measure === 'cost' ? dollars : undefined });
  }
  return { times: all.map((one) => Date.parse(one) / 1000), series, measure };
}

const columns = (label) => [
  { label, grow: true, cell: (row) => row.name },
  { label: 'Calls', number: true, cell: (row) => number(row.calls) },
  { label: 'Failed', number: true, cell: (row) => share(row.errors, row.calls) },
  { label: 'Tokens in', number: true, rank: 2, cell: (row) => number(row.inputTokens) },
  { label: 'Cached', number: true, rank: 3, cell: (row) => number(row.cachedInputTokens) },
  { label: 'Tokens out', number: true, rank: 2, cell: (row) => number(row.outputTokens) },
  { label: 'Cost', number: true, rank: 2, cell: (row) => dollars(row.cost) },
  { label: 'Mean', number: true, rank: 3, cell: (row) => (row.calls > 0 ? milliseconds(row.durationMs / row.calls) : '–') },
];
