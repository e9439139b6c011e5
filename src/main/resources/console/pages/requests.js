// Calls, the newest first, as they arrive.
import { html, useRef, useState } from '../lib.js';
import { get } from '../api.js';
import { href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { dollars, milliseconds, number } from '../format.js';
import { RangeField, since } from '../range.js';
import { Badge, Empty, Field, Filters, Freshness, Head, Select, Status, TextInput, Time, View } from '../ui.js';
import { Table } from '../table.js';
import { Download } from '../download.js';

const EVERY_MS = 4000;
const FILTERS = ['project', 'key', 'endpoint', 'provider', 'model', 'status', 'requestId', 'thread'];
const ENDPOINTS = [['', 'any'], ['chat', 'chat'], ['messages', 'messages'], ['responses', 'responses'], ['embeddings', 'embeddings'], ['completions', 'completions'], ['count_tokens', 'count_tokens']];
const STATUSES = [['', 'any'], ['2xx', '2xx done'], ['4xx', '4xx refused'], ['5xx', '5xx failed'], ['429', '429 limited'], ['499', '499 client left']];

export function Requests({ query }) {
  const [live, setLive] = useState(true);
  const polls = live && !query.after;
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
  const load = useLoad(
    (signal) => get('requests', { ...since(query.range), ...filter, after: query.after, limit: 50 }, signal),
    [query.range, query.after, ...FILTERS.map((name) => query[name])],
    { every: polls ? EVERY_MS : 0 },
  );
  const fresh = useFresh(load.data?.requests, load.at);
  const filtered = FILTERS.some((name) => query[name]);
  const set = (name) => (value) => setQuery({ [name]: value, after: '' });
  return html`<${Head} title="Requests" note="Proxied calls, the newest first. What they said is not in the log.">
      <${Freshness} load=${load} live=${polls} />
      <label class="switch"><input type="checkbox" checked=${live} onChange=${(event) => setLive(event.currentTarget.checked)} /><span>Live</span></label>
      <${Download} resource="requests" query=${{ ...since(query.range), ...filter, format: 'csv' }} accept="text/csv" name="requests.csv" title="All that fit, 10,000 at most">CSV<//>
    <//>
    <${Filters} label="Filter requests" open=${FILTERS.some((name) => name !== 'status' && query[name])}>
      <${RangeField} value=${query.range} onChange=${set('range')} />
      <${Field} label="Status"><${Select} value=${query.status ?? ''} onChange=${set('status')} options=${STATUSES} /><//>
      <${Field} label="Endpoint" second=${true}><${Select} value=${query.endpoint ?? ''} onChange=${set('endpoint')} options=${ENDPOINTS} /><//>
      <${Field} label="Project" second=${true}><${TextInput} value=${query.project ?? ''} onChange=${set('project')} /><//>
      <${Field} label="Key id" second=${true}><${TextInput} value=${query.key ?? ''} onChange=${set('key')} /><//>
      <${Field} label="Provider" second=${true}><${TextInput} value=${query.provider ?? ''} onChange=${set('provider')} /><//>
      <${Field} label="Model" second=${true}><${TextInput} value=${query.model ?? ''} onChange=${set('model')} /><//>
      <${Field} label="Request id" second=${true}><${TextInput} value=${query.requestId ?? ''} onChange=${set('requestId')} /><//>
      ${query.thread && html`<${Field} label="Thread"><${TextInput} value=${query.thread} onChange=${set('thread')} /><//>`}
      ${filtered && html`<button type="button" onClick=${() => setQuery(Object.fromEntries([...FILTERS, 'after'].map((name) => [name, ''])))}>Clear</button>`}
    <//>
    <${View} load=${load} rows=${12}>
      ${(data) =>
        data.requests.length === 0
          ? html`<${Empty} title=${filtered ? 'No call fits' : 'No calls in this time'}>${filtered ? 'Choose a longer time or another filter.' : 'Calls appear here about a second after they end.'}<//>`
          : html`<${Table} caption="Requests" columns=${COLUMNS} rows=${data.requests} rowKey=${(row) => row.id} link=${(row) => href(['requests', row.id])} fresh=${fresh} />`}
    <//>
    <nav class="pages" aria-label="Pages of requests">
      ${query.after && html`<button type="button" onClick=${() => setQuery({ after: '' })}>Newest</button>`}
      ${load.data?.after && html`<button type="button" onClick=${() => setQuery({ after: load.data.after })}>Older</button>`}
    </nav>`;
}

/** Tells the rows that were not there the time before. */
function useFresh(rows, at) {
  const seen = useRef({ at: null, ids: null, before: null });
  if (rows && seen.current.at !== at) {
    seen.current = { at, ids: new Set(rows.map((row) => row.id)), before: seen.current.ids };
  }
  return (row) => seen.current.before !== null && !seen.current.before.has(row.id);
}

const COLUMNS = [
  { label: 'Time', cell: (row) => html`<${Time} at=${row.startedAt} />` },
  { label: 'Status', cell: (row) => html`<${Status} code=${row.status} /> ${row.errorType && html`<small class="muted block">${row.errorType}</small>`}` },
  {
    label: 'Model',
    cell: (row) => html`<span class="clip" title=${row.model}>${row.model}</span> <small class="muted">${row.provider}</small> ${row.attempts > 1 && html`<${Badge} kind="warn" title=${`${row.attempts} attempts`}>×${row.attempts}<//>`}`,
  },
  { label: 'Endpoint', rank: 3, cell: (row) => html`${row.endpoint}${row.stream ? html` <small class="muted">stream</small>` : ''}` },
  { label: 'Key', rank: 2, cell: (row) => html`${row.keyName ?? '–'} <small class="muted">${row.project}</small>` },
  { label: 'Tokens in', number: true, rank: 3, cell: (row) => number(row.inputTokens) },
  { label: 'out', number: true, rank: 3, cell: (row) => number(row.outputTokens) },
  { label: 'Cost', number: true, rank: 3, cell: (row) => dollars(row.cost) },
  { label: 'Duration', number: true, rank: 2, cell: (row) => milliseconds(row.durationMs) },
  { label: 'First byte', number: true, rank: 5, cell: (row) => milliseconds(row.firstByteMs) },
];
