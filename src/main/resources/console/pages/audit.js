// What operators did: rows of one chain, which can be verified.
import { html, useState } from '../lib.js';
import { get } from '../api.js';
import { setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { count, number } from '../format.js';
import { Badge, Empty, Field, Filters, Freshness, Head, Input, Panel, Problem, Select, TextInput, Time, View } from '../ui.js';
import { Table } from '../table.js';
import { Download } from '../download.js';

const FILTERS = ['action', 'actor', 'subject', 'outcome', 'from', 'to'];
const OUTCOMES = [['', 'any'], ['done', 'done'], ['refused', 'refused'], ['failed', 'failed']];
const KINDS = { done: 'good', refused: 'warn', failed: 'bad' };

export function Audit({ query }) {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
  const load = useLoad((signal) => get('audit', { ...filter, before: query.before }, signal), [query.before, ...FILTERS.map((name) => query[name])]);
  const set = (name) => (value) => setQuery({ [name]: value, before: '' });
  return html`<${Head} title="Audit log" note="Every act of an operator: by command, task, API and here. Each row holds the hash of the one before.">
      <${Freshness} load=${load} />
      <${Download} resource="audit" query=${{ ...filter, format: 'csv' }} accept="text/csv" name="audit.csv">CSV<//>
    <//>
    <${Filters} label="Filter the audit log" open=${FILTERS.some((name) => query[name])}>
      <${Field} label="Action"><${TextInput} value=${query.action ?? ''} onChange=${set('action')} /><//>
      <${Field} label="Who" second=${true}><${TextInput} value=${query.actor ?? ''} onChange=${set('actor')} /><//>
      <${Field} label="To what" second=${true}><${TextInput} value=${query.subject ?? ''} onChange=${set('subject')} /><//>
      <${Field} label="Outcome"><${Select} value=${query.outcome ?? ''} onChange=${set('outcome')} options=${OUTCOMES} /><//>
      <${Field} label="From" second=${true}><${DayInput} value=${query.from} onChange=${set('from')} /><//>
      <${Field} label="Before" second=${true}><${DayInput} value=${query.to} onChange=${set('to')} /><//>
      ${FILTERS.some((name) => query[name]) && html`<button type="button" onClick=${() => setQuery(Object.fromEntries([...FILTERS, 'before'].map((name) => [name, ''])))}>Clear</button>`}
    <//>
    <${Verification} />
    <${View} load=${load} rows=${10}>
      ${(data) => (data.rows.length === 0 ? html`<${Empty} title="Nothing was done that fits" />` : html`<${Rows} rows=${data.rows} />`)}
    <//>
    <nav class="pages" aria-label="Pages of the audit log">
      ${query.before && html`<button type="button" onClick=${() => setQuery({ before: '' })}>Newest</button>`}
      ${load.data?.before && html`<button type="button" onClick=${() => setQuery({ before: load.data.before })}>Older</button>`}
    </nav>`;
}

/** Day in the viewer's zone, as the moment at which it begins. */
const DayInput = ({ value, onChange }) => {
  const text = !Number.isNaN(Date.parse(value)) ? new Date(Date.parse(value) - new Date(value).getTimezoneOffset() * 60_000).toISOString().slice(0, 10) : '';
  return html`<${Input} type="date" value=${text} onChange=${(event) => onChange(event.currentTarget.value ? new Date(`${event.currentTarget.value}T00:00:00`).toISOString() : '')} />`;
};

function Rows({ rows: found }) {
  const [shown, setShown] = useState(null);
  const keys = useLoad((signal) => get('keys', {}, signal), []);
  const names = new Map((keys.data?.keys ?? []).map((key) => [key.id, `${key.name} · ${key.project}`]));
  const rows = found.map((row) => ({ ...row, name: names.get(row.subject) ?? row.subject }));
  const columns = [
    ...COLUMNS,
    {
      label: 'More',
      cell: (row) => html`<button type="button" class="small" aria-expanded=${shown === row.seq ? 'true' : 'false'} aria-label=${`${shown === row.seq ? 'Hide' : 'Show'} more of row ${row.seq}`} onClick=${() => setShown(shown === row.seq ? null : row.seq)}>${shown === row.seq ? 'Hide' : 'Show'}</button>`,
    },
  ];
  return html`<${Table} caption="Audit log" columns=${columns} rows=${rows} rowKey=${(one) => one.seq} detail=${(row) => row.seq === shown && html`<${Change} row=${row} />`} />`;
}

function Change({ row }) {
  const names = [...new Set([...Object.keys(row.before ?? {}), ...Object.keys(row.after ?? {})])];
  const text = (value) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));
  const fields = names.map((name) => ({ name, before: text(row.before?.[name]), after: text(row.after?.[name]) }));
  const changed = (one) => one.before !== one.after;
  const mark = (one, side) => (changed(one) ? html`<mark class=${side}>${one[side]}</mark>` : one[side]);
  return html`<${Panel} title=${`Row ${row.seq}: ${row.action}`}>
    ${fields.length > 0 && html`<${Table} caption=${`Change of row ${row.seq}`} rows=${fields} rowKey=${(one) => one.name} columns=${[
      { label: 'Field', cell: (one) => html`<code>${one.name}</code>` },
      { label: 'Before', grow: true, cell: (one) => mark(one, 'before') },
      { label: 'After', grow: true, cell: (one) => mark(one, 'after') },
    ]} />`}
    <dl class="facts">
      <dt>Who</dt><dd>${row.actor || '–'} <small class="muted">${row.role}</small>${row.source && ` from ${row.source}`}</dd>
      <dt>To what</dt><dd><code>${row.subject || '–'}</code>${row.name !== row.subject && ` ${row.name}`}</dd>
      <dt>Request id</dt><dd><code>${row.requestId ?? '–'}</code></dd>
      <dt>Hash</dt><dd><code class="long">${row.hash}</code></dd>
    </dl>
  <//>`;
}

function Verification() {
  const [state, setState] = useState(null);
  const verify = async () => {
    let rows = 0;
    let next = {};
    try {
      for (;;) {
        setState({ busy: true, rows });
        const answer = await get('audit/verify', next);
        rows += answer.rows;
        if (!answer.ok || answer.complete) {
          setState({ ...answer, rows });
          return;
        }
        next = { after: answer.next, hash: answer.lastHash };
      }
    } catch (error) {
      setState({ error });
    }
  };
  return html`<section class="verify" aria-label="Verification" aria-live="polite">
    <button type="button" onClick=${verify} disabled=${state?.busy}>Verify the chain</button>
    ${state?.busy && html`<span class="muted">${number(state.rows)} rows so far…</span>`}
    ${state?.error && html`<${Problem} error=${state.error} />`}
    ${state?.ok === true && html`<span><${Badge} kind="good">unbroken<//> ${count(state.rows, 'row')}; keep the last hash elsewhere to notice a cut end: <code class="long">${state.lastHash}</code></span>`}
    ${state?.ok === false && html`<div><${Badge} kind="bad">broken<//><ul>${state.faults.map((fault, index) => html`<li key=${index}>${typeof fault === 'string' ? fault : JSON.stringify(fault)}</li>`)}</ul></div>`}
  </section>`;
}

const COLUMNS = [
  { label: 'Time', cell: (row) => html`<${Time} at=${row.at} />` },
  { label: 'Action', cell: (row) => html`<code>${row.action}</code>` },
  { label: 'Outcome', cell: (row) => html`<${Badge} kind=${KINDS[row.outcome] ?? 'plain'}>${row.outcome}<//>` },
  { label: 'Who', rank: 2, grow: true, cell: (row) => html`${row.actor || '–'} <small class="muted">${row.role}</small>` },
  { label: 'From', rank: 5, cell: (row) => row.source || '–' },
  { label: 'To what', rank: 2, cell: (row) => html`<span class="clip" title=${row.subject}>${row.name || '–'}</span>` },
  { label: 'No.', number: true, rank: 2, cell: (row) => row.seq },
];
