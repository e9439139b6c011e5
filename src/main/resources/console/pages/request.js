// One call: who called, what it took, and how each attempt went.
import { html } from '../lib.js';
import { get, path } from '../api.js';
import { href } from '../route.js';
import { useLoad } from '../load.js';
import { dollars, milliseconds, number } from '../format.js';
import { Badge, Copy, Figure, Head, Panel, Status, Time, View } from '../ui.js';
import { Table } from '../table.js';

export function Request({ rest }) {
  const load = useLoad((signal) => get(path('requests', rest[0]), {}, signal), [rest[0]]);
  return html`<${Head} title="Request"><a href=${href(['requests'])}>All requests</a><//>
    <${View} load=${load}>${(request) => html`<${Detail} request=${request} />`}<//>`;
}

function Detail({ request }) {
  const attempts = request.attemptList ?? [];
  return html`<dl class="figures">
      <${Figure} label="Status" value=${html`<${Status} code=${request.status} />`} note=${request.errorType} />
      <${Figure} label="Duration" value=${milliseconds(request.durationMs)} />
      <${Figure} label="First byte" value=${milliseconds(request.firstByteMs)} />
      <${Figure} label="Provider took" value=${milliseconds(request.upstreamMs)} />
      <${Figure} label="Tokens in" value=${number(request.inputTokens)} note=${request.cachedInputTokens ? `${number(request.cachedInputTokens)} cached` : estimated(request)} />
      <${Figure} label="Tokens out" value=${number(request.outputTokens)} note=${estimated(request)} />
      <${Figure} label="Cost" value=${dollars(request.cost)} note=${request.cost === null ? null : `$${request.cost}`} />
    </dl>
    <${Panel} title="Call">
      <dl class="facts">
        <dt>Started</dt><dd><${Time} at=${request.startedAt} /> <small class="muted"><${Time} at=${request.startedAt} relative=${true} /></small></dd>
        <dt>Request id</dt><dd><code>${request.requestId}</code> <${Copy} text=${request.requestId} /></dd>
        <dt>Model</dt><dd><a href=${href(['requests'], { provider: request.provider, model: request.model })}>${request.model}</a> at ${request.provider}</dd>
        ${request.alias && html`<dt>Asked for</dt><dd>${request.alias}</dd>`}
        <dt>Endpoint</dt><dd>${request.endpoint}${request.targetEndpoint && ` → ${request.targetEndpoint}`} ${request.stream && html`<${Badge}>stream<//>`}</dd>
        <dt>Key</dt><dd>${request.keyId ? html`<a href=${href(['keys', request.keyId])}>${request.keyName ?? request.keyId}</a>` : '–'}</dd>
        <dt>Project</dt><dd>${request.project ? html`<a href=${href(['requests'], { project: request.project })}>${request.project}</a>` : '–'}</dd>
        <dt>Memory</dt><dd>${request.hasThread === undefined ? '–' : request.hasThread ? 'in a thread' : 'none: no thread was named'}</dd>
      </dl>
    <//>
    ${attempts.length > 0 &&
    html`<${Panel} title="Attempts">
      <${Table} caption="Attempts of this call" columns=${ATTEMPTS} rows=${attempts} rowKey=${(row) => row.attempt} />
    <//>`}`;
}

// Said of tokens that the gateway counted, because the provider did not.
const estimated = (row) => (row.counted === 'estimated' ? 'estimated' : null);

const ATTEMPTS = [
  { label: 'No.', number: true, cell: (row) => row.attempt },
  { label: 'Target', grow: true, cell: (row) => html`${row.model} <small class="muted">${row.provider}</small>` },
  { label: 'Status', cell: (row) => html`<${Status} code=${row.status} />` },
  { label: 'Outcome', rank: 2, cell: (row) => (row.outcome === 'failed_over' ? 'went on to the next' : row.outcome) },
  { label: 'Error', rank: 2, cell: (row) => row.errorType ?? '–' },
  { label: 'Tokens in', number: true, rank: 3, cell: (row) => number(row.inputTokens) },
  { label: 'out', number: true, rank: 3, cell: (row) => html`${number(row.outputTokens)} <small class="muted">${estimated(row)}</small>` },
  { label: 'Cost', number: true, rank: 3, cell: (row) => dollars(row.cost) },
  { label: 'First byte', number: true, rank: 2, cell: (row) => milliseconds(row.firstByteMs) },
  { label: 'Duration', number: true, cell: (row) => milliseconds(row.durationMs) },
];
