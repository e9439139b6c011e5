// Is it well, who uses it, how much, and what fails.
import { html, useMemo } from '../lib.js';
import { get } from '../api.js';
import { href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { count, dollars, milliseconds, number, share, short } from '../format.js';
import { RangeField, since } from '../range.js';
import { Badge, Empty, Figure, Freshness, Head, Panel, Status, View } from '../ui.js';
import { Table } from '../table.js';
import { Chart } from '../chart.js';

const EVERY_MS = 15_000;
// Calls of the names beyond the bound on names of models: in the request log they have their own.
const OTHER = '(other)';

export function Overview({ query }) {
  const load = useLoad((signal) => get('overview', since(query.range), signal), [query.range], { every: EVERY_MS });
  // Of the node's own, and there while the database is away.
  const health = useLoad((signal) => get('overview/health', {}, signal), [], { every: EVERY_MS });
  return html`<${Head} title="Overview">
      <${Freshness} load=${load} live=${true} />
      <${RangeField} value=${query.range} onChange=${(range) => setQuery({ range })} />
    <//>
    <${View} load=${health} rows=${1}>${(data) => html`<${Health} healthy=${data.healthy} failing=${data.checks.filter((check) => !check.healthy)} checks=${data.checks} />`}<//>
    <${View} load=${load} rows=${10} what="Calls, tokens and refusals">${(data) => html`<${Figures} data=${data} range=${query.range} />`}<//>`;
}

function Figures({ data, range }) {
  const { totals } = data;
  return html`<dl class="figures">
      <${Figure} label="Calls" value=${number(totals.calls)} />
      <${Figure} label="Failed (4xx, 5xx)" value=${share(totals.errors, totals.calls)} note=${totals.errors > 0 ? number(totals.errors) : null} kind=${totals.errors > 0 ? 'bad' : ''} />
      <${Figure} label="Refused by limits" value=${number(totals.refused)} kind=${totals.refused > 0 ? 'warn' : ''} />
      <${Figure} label="Mean duration" value=${milliseconds(totals.averageMs)} />
      <${Figure} label="Tokens in" value=${short(totals.inputTokens)} note=${totals.cachedInputTokens > 0 ? `${short(totals.cachedInputTokens)} cached` : null} />
      <${Figure} label="Tokens out" value=${short(totals.outputTokens)} />
      <${Figure} label="Cost" value=${dollars(totals.cost)} note=${totals.callsWithoutCost > 0 ? `${number(totals.callsWithoutCost)} unpriced` : null} />
    </dl>
    <${Timeline} buckets=${data.buckets} step=${data.bucketSeconds} />
    <div class="grid">
      <${Panel} title="Who uses it">
        ${data.topKeys.length === 0
          ? html`<${Empty} title="No calls in this time">The keys with most calls appear here.<//>`
          : html`<${Table} caption="Keys with most calls" rows=${data.topKeys} rowKey=${(row) => row.keyId} link=${(row) => href(['requests'], { key: row.keyId, range })} columns=${KEYS} />`}
      <//>
      <${Panel} title="Models">
        ${data.topModels.length === 0
          ? html`<${Empty} title="No calls in this time">The models with most calls appear here.<//>`
          : html`<${Table} caption="Models with most calls" rows=${data.topModels} rowKey=${(row) => `${row.provider}/${row.model}`} link=${(row) => href(['requests'], { provider: row.provider, model: row.model === OTHER ? '' : row.model, range })} columns=${MODELS} />`}
      <//>
      <${Panel} title="What fails">
        ${data.errors.length === 0
          ? html`<${Empty} title="Nothing failed" />`
          : html`<${Table} caption="Failed calls by status" rows=${data.errors} rowKey=${(row) => `${row.status} ${row.type}`} link=${(row) => href(['requests'], { status: row.status, range })} columns=${ERRORS} />`}
      <//>
      <${Panel} title="Refused by limits" actions=${html`<a href=${href(['limits'])}>Why?</a>`}>
        ${data.refusals.length === 0
          ? html`<${Empty} title="No limit was reached" />`
          : html`<${Table} caption="Refusals by rule" rows=${data.refusals} rowKey=${(row) => row.rule} columns=${REFUSALS} />`}
      <//>
    </div>`;
}

/** What no check fails for, because the node serves all the same, and somebody has to see to. */
function concerns(checks) {
  const refused = checks.filter((check) => check.details?.keyRefusedSince).map((check) => check.name.replace(/^provider-/, ''));
  const circuits = Object.values(checks.find((check) => check.name === 'circuits')?.details ?? {});
  const open = circuits.filter((circuit) => circuit.state?.endsWith('open') && (!circuit.closesAt || Date.parse(circuit.closesAt) > Date.now()));
  return [
    ...refused.map((name) => `The key of ${name} is refused.`),
    ...(open.length > 0 ? [`${count(open.length, 'circuit is', 'circuits are')} open: ${open.slice(0, 3).map((circuit) => circuit.target + (circuit.openForAll ? '' : ` for ${count(circuit.openForKeys, 'key')}`)).join(', ')}${open.length > 3 ? ' …' : ''}.`] : []),
  ];
}

function Health({ healthy, failing, checks }) {
  const look = concerns(checks);
  const kind = !healthy ? 'bad' : look.length > 0 ? 'warn' : 'good';
  const title = { bad: 'Something is wrong', warn: 'It serves, but see to this', good: 'All is well' }[kind];
  return html`<section class=${`health ${kind}`} aria-label="Health">
    <strong>${title}</strong>
    ${look.map((text) => html`<p key=${text}><a href=${href(['providers'])}>${text}</a></p>`)}
    ${failing.map((check) => html`<p key=${check.name}><${Badge} kind="bad">${check.name}<//> ${check.message}</p>`)}
    <details><summary>${number(checks.length)} checks</summary>
      <ul>${checks.map((check) => html`<li key=${check.name}><${Badge} kind=${check.healthy ? 'good' : 'bad'}>${check.healthy ? 'well' : 'failing'}<//> <b>${check.name}</b> ${check.message ?? ''}</li>`)}</ul>
    </details>
  </section>`;
}

function Timeline({ buckets, step }) {
  const [times, calls, tokens, cost] = useMemo(() => {
    const at = buckets.map((bucket) => Date.parse(bucket.at) / 1000);
    return [
      at,
      [
        { label: 'Calls', colour: '--chart-1', values: buckets.map((bucket) => bucket.calls), bars: true },
        { label: 'Failed', colour: '--chart-bad', values: buckets.map((bucket) => bucket.errors), bars: true },
      ],
      [
        { label: 'In', colour: '--chart-1', values: buckets.map((bucket) => bucket.inputTokens) },
        { label: 'Out', colour: '--chart-2', values: buckets.map((bucket) => bucket.outputTokens) },
      ],
      [{ label: 'Cost', colour: '--chart-3', values: buckets.map((bucket) => Number(bucket.cost ?? 0)), bars: true, format: dollars }],
    ];
  }, [buckets]);
  return html`<div class="grid thirds">
    <${Panel} title="Calls"><${Chart} label=${`Calls and failed calls by ${every(step)}`} times=${times} series=${calls} utc=${step >= 86_400} /><//>
    <${Panel} title="Tokens"><${Chart} label=${`Tokens read and written by ${every(step)}`} times=${times} series=${tokens} utc=${step >= 86_400} /><//>
    <${Panel} title="Cost"><${Chart} label=${`Cost by ${every(step)}`} times=${times} series=${cost} utc=${step >= 86_400} /><//>
  </div>`;
}

/** Length of a bucket in words. */
const every = (step) => (step === 86_400 ? 'day' : step % 86_400 === 0 ? `${step / 86_400} days` : `${step / 60} minutes`);

const CALLS = { label: 'Calls', number: true, cell: (row) => number(row.calls) };
const FAILED = { label: 'Failed', number: true, cell: (row) => share(row.errors, row.calls) };
const TOKENS = { label: 'Tokens', number: true, rank: 2, cell: (row) => short(row.inputTokens + row.outputTokens) };
const COST = { label: 'Cost', number: true, rank: 3, cell: (row) => dollars(row.cost) };
const KEYS = [{ label: 'Key', grow: true, cell: (row) => html`${row.keyName ?? row.keyId ?? 'unknown'} <small class="muted">${row.project}</small>` }, CALLS, FAILED, TOKENS, COST];
const MODELS = [
  { label: 'Model', grow: true, cell: (row) => html`${row.model} <small class="muted">${row.provider}</small>` },
  CALLS,
  FAILED,
  { label: 'Mean', number: true, rank: 2, cell: (row) => milliseconds(row.averageMs) },
  COST,
];
const ERRORS = [
  { label: 'Status', cell: (row) => html`<${Status} code=${row.status} />` },
  { label: 'Type', grow: true, cell: (row) => row.type ?? '–' },
  CALLS,
];
const REFUSALS = [
  { label: 'Rule', grow: true, cell: (row) => html`<code>${row.rule}</code>` },
  { label: 'Refused', number: true, cell: (row) => number(row.refused) },
];
