// Why a call was refused: the rules, what a key has left, and what it was refused.
import { html } from '../lib.js';
import { get, path } from '../api.js';
import { href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { count, number, seconds } from '../format.js';
import { RangeField, since } from '../range.js';
import { Badge, Empty, Field, Freshness, Head, Panel, Select, Time, View } from '../ui.js';
import { CsvButton, Table } from '../table.js';
import { RULES } from './key.js';

const EVERY_MS = 5000;

export function Limits({ query }) {
  const rules = useLoad((signal) => get('limits', {}, signal), []);
  const keys = useLoad((signal) => get('keys', {}, signal), []);
  const options = (keys.data?.keys ?? []).map((key) => [key.id, `${key.name} · ${key.project} · ${key.prefix}…`]);
  return html`<${Head} title="Limits" note="Why was this refused? Choose the key that got the 429.">
      <${RangeField} value=${query.range} usual="24h" onChange=${(range) => setQuery({ range })} />
    <//>
    <form class="filters" role="search" aria-label="Choose a key" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Key" wide=${true}><${Select} value=${query.key ?? ''} onChange=${(key) => setQuery({ key })} options=${[['', 'choose a key'], ...options]} /><//>
    </form>
    ${keys.error && !keys.data && html`<${View} load=${keys} />`}
    ${query.key && html`<${KeyLimits} key=${query.key} id=${query.key} range=${query.range} />`}
    <${Panel} title="Rules">
      <${View} load=${rules}>
        ${(data) => html`<${Table} caption="Rules of config.yml" columns=${CONFIGURED} rows=${data.rules} rowKey=${(row) => row.rule} />
          <p class="note">${data.shared ? 'All nodes count together, in the database.' : 'Every node counts for itself.'} A request must pass every rule that applies to it; a refused one consumes nothing.</p>`}
      <//>
    <//>`;
}

function KeyLimits({ id, range }) {
  const load = useLoad((signal) => get(path('limits', id), since(range, '24h'), signal), [id, range], { every: EVERY_MS });
  return html`<${Panel} title="Now" actions=${html`<${Freshness} load=${load} live=${true} /><a href=${href(['keys', id])}>The key</a>`}>
      <${View} load=${load}>${(data) => html`<${Table} caption="Limits of this key now" columns=${RULES} rows=${data.rules} rowKey=${(row) => row.rule} />`}<//>
    <//>
    <${Panel} title="Refused">${load.data && html`<${Refusals} data=${load.data} />`}<//>`;
}

/** What a key was refused, and why, in words. */
export function Refusals({ data }) {
  if (data.refusals.length === 0) {
    return html`<${Empty} title="No rate limit refused a request in this time" />`;
  }
  const newest = data.refusals[0];
  return html`<p class="explained">The newest refusal: <strong>${newest.rule}</strong> allows ${count(newest.limit, 'request')} in ${seconds(newest.windowSeconds)}, and that was used up <${Time} at=${newest.lastAt} relative=${true} />. Such a call gets 429 and consumes nothing; it may try again in the next window.</p>
    <${Table} caption="Refusals, the newest first" columns=${REFUSALS} rows=${data.refusals} rowKey=${(row) => `${row.minute} ${row.rule} ${row.scope}`}><//>
    <p class="table-foot">${data.refusalsTruncated && html`<span class="note">There are more: choose a shorter time.</span>`}<${CsvButton} name="refusals" columns=${REFUSALS} rows=${data.refusals} /></p>`;
}

const REFUSALS = [
  { label: 'Last', cell: (row) => html`<${Time} at=${row.lastAt} />`, csv: (row) => row.lastAt },
  { label: 'Rule', grow: true, cell: (row) => html`<code>${row.rule}</code>`, csv: (row) => row.rule },
  { label: 'Refused', number: true, cell: (row) => number(row.refused), csv: (row) => row.refused },
  { label: 'Limit', number: true, rank: 2, cell: (row) => html`${number(row.limit)} in ${seconds(row.windowSeconds)}`, csv: (row) => row.limit },
  { label: 'Scope', rank: 2, cell: (row) => html`<${Badge}>${row.scope}<//>`, csv: (row) => row.scope },
  { label: 'Last request id', rank: 3, cell: (row) => html`<code>${row.lastRequestId}</code>`, csv: (row) => row.lastRequestId },
];

const CONFIGURED = [
  { label: 'Rule', grow: true, cell: (row) => html`<code>${row.rule}</code>` },
  { label: 'Applies to', rank: 2, cell: (row) => row.appliesTo },
  { label: 'Limit', number: true, cell: (row) => number(row.limit) },
  { label: 'Window', number: true, cell: (row) => seconds(row.windowSeconds) },
];
