// Providers: whether they answer, how fast, and which targets have their calls kept away.
import { html, useState } from '../lib.js';
import { call, get, path } from '../api.js';
import { href } from '../route.js';
import { useLoad } from '../load.js';
import { count, milliseconds, number, share } from '../format.js';
import { Badge, Dialog, Empty, Field, Figure, Freshness, Head, Panel, Problem, RoleButton, Status, TextInput, Time, View, announce } from '../ui.js';
import { days } from '../range.js';
import { Table } from '../table.js';

const EVERY_MS = 5000;
const STATES = { closed: ['good', 'closed'], open: ['bad', 'open'], half_open: ['warn', 'probing'], forced_open: ['bad', 'held open'] };

export function Providers({ me }) {
  const load = useLoad((signal) => get('providers', {}, signal), [], { every: EVERY_MS });
  const [testing, setTesting] = useState(null);
  const turn = async (circuit, provider, state) => {
    try {
      await call('POST', 'circuits', { body: { provider, model: circuit.model, state } });
      announce(`The circuit of ${circuit.target} is ${state}.`);
    } catch (failure) {
      announce(failure.message, 'failed');
    }
    load.reload();
  };
  return html`<${Head} title="Providers" note="Circuits and the last minutes are those of the node that answers here; the last hour is that of all nodes. A provider fails with 5xx, 429 or no answer; calls that it refuses otherwise are failed on the other pages alone.">
      <${Freshness} load=${load} live=${true} />
    <//>
    <${View} load=${load}>
      ${(data) =>
        data.providers.length === 0
          ? html`<${Empty} title="No provider is configured">They stand in config.yml, under <code>providers</code>.<//>`
          : html`<div class="grid">${data.providers.map((provider) => html`<${Provider} key=${provider.name} provider=${provider} me=${me} onTest=${() => setTesting(provider)} onTurn=${turn} />`)}</div>
              ${data.routes.length > 0 && html`<${Panel} title="Routes"><ul class="lines">${data.routes.map((route) => html`<li key=${route}><code>${route}</code></li>`)}</ul><//>`}`}
    <//>
    ${testing && html`<${TestCall} provider=${testing} onClose=${() => {
      setTesting(null);
      load.reload();
    }} />`}`;
}

/** One word for how a provider is. */
function verdict(provider) {
  const open = provider.circuits.filter((circuit) => circuit.state.endsWith('open') && circuit.state !== 'half_open').length;
  if (provider.keyRefusedSince) return ['bad', 'key refused'];
  if (open > 0) return ['bad', `${count(open, 'circuit')} open`];
  if (provider.circuits.some((circuit) => circuit.state === 'half_open')) return ['warn', 'probing'];
  const { calls, failures } = provider.lastMinutes;
  if (calls === 0) return ['plain', provider.hasKey ? 'idle' : 'idle, no key'];
  return failures === 0 ? ['good', 'answers'] : failures * 2 >= calls ? ['bad', 'fails'] : ['warn', 'fails at times'];
}

function Provider({ provider, me, onTest, onTurn }) {
  const [kind, word] = verdict(provider);
  const { lastMinutes, lastHour, recent } = provider;
  const columns = [
    { label: 'Model', grow: true, cell: (row) => row.model },
    { label: 'Circuit', cell: (row) => html`<${Badge} kind=${(STATES[row.state] ?? ['plain'])[0]}>${(STATES[row.state] ?? ['', row.state])[1]}${row.state === 'closed' || row.openForAll ? '' : `, ${count(row.openForKeys, 'key')}`}<//>` },
    { label: 'Probe', rank: 2, cell: (row) => (row.closesAt && Date.parse(row.closesAt) <= Date.now() ? 'the next call' : html`<${Time} at=${row.closesAt} relative=${true} />`) },
    {
      label: 'Turn',
      cell: (row) => {
        const to = row.state === 'closed' ? 'open' : 'closed';
        const verb = to === 'open' ? 'Open' : 'Close';
        return html`<${RoleButton} me=${me} needs="operator" class="small" aria-label=${`${verb} the circuit of ${row.target}`} onClick=${() => onTurn(row, provider.name, to)}>${verb}<//>`;
      },
    },
  ];
  return html`<${Panel} title=${provider.name} actions=${html`<${Badge} kind=${kind}>${word}<//><${RoleButton} me=${me} needs="operator" class="small" onClick=${onTest} aria-label=${`Test call to ${provider.name}`}>Test call<//>`}>
    <p class="note">${provider.baseUrl} · ${provider.endpoints.join(', ')}${provider.translated.length ? ` · by translation ${provider.translated.join(', ')}` : ''}</p>
    ${provider.keyRefusedSince && html`<p class="problem">The configured key has been refused since <${Time} at=${provider.keyRefusedSince} />.</p>`}
    <dl class="figures small">
      <${Figure} label=${`Provider failed, ${lastMinutes.minutes} min`} value=${share(lastMinutes.failures, lastMinutes.calls)} note=${`of ${number(lastMinutes.calls)}`} />
      ${lastHour &&
      html`<${Figure} label="Provider failed, 1 h" value=${share(lastHour.failures, lastHour.attempts)} note=${`of ${number(lastHour.attempts)}`} />
        <${Figure} label="Median, 1 h" value=${milliseconds(recent.p50Ms)} note=${recent.samples > 0 ? `95 %: ${milliseconds(recent.p95Ms)}` : null} />
        <${Figure} label="First byte" value=${milliseconds(recent.firstByteP50Ms)} note=${recent.samples > 0 ? `95 %: ${milliseconds(recent.firstByteP95Ms)}` : null} />`}
    </dl>
    ${!lastHour && html`<p class="note">The last hour cannot be read: it is in the database.</p>`}
    ${provider.circuits.length > 0 && html`<${Table} caption=${`Circuits of ${provider.name}`} columns=${columns} rows=${provider.circuits} rowKey=${(row) => row.target} />`}
    <p class="table-foot"><a href=${href(['requests'], { provider: provider.name })}>Requests</a><span class="note">last success <${Time} at=${provider.lastSuccess} relative=${true} />, last failure <${Time} at=${provider.lastFailure} relative=${true} /></span></p>
  <//>`;
}

function TestCall({ provider, onClose }) {
  const [state, setState] = useState({});
  const [typed, setTyped] = useState(null);
  // What is called here is more current than what the configuration names.
  const used = useLoad((signal) => get('usage', { ...days(30), by: 'model', provider: provider.name }, signal), []);
  const called = [...(used.data?.rows ?? [])].sort((a, b) => b.calls - a.calls).map((row) => row.model).filter((model) => model !== '(other)');
  const proposed = [...new Set([...called, ...provider.models])];
  const submit = async (event) => {
    event.preventDefault();
    const { model, endpoint } = Object.fromEntries(new FormData(event.target));
    setState({ busy: true });
    try {
      setState({ result: await call('POST', path('providers', provider.name, 'test'), { body: { model: model.trim(), endpoint } }) });
    } catch (error) {
      setState({ error });
    }
  };
  const { result } = state;
  return html`<${Dialog} title=${`Test call to ${provider.name}`} onClose=${onClose}>
    <form onSubmit=${submit}>
      <p>A real call of a few tokens, with the configured key and at most 10 seconds. It is in the audit log.</p>
      <${Field} label="Model" wide=${true}><${TextInput} name="model" required=${true} value=${typed ?? (used.loading ? '' : proposed[0] ?? '')} list=${proposed} onInput=${(event) => setTyped(event.currentTarget.value)} onChange=${() => {}} /><//>
      <${Field} label="Endpoint" wide=${true}><select name="endpoint">${provider.endpoints.map((endpoint) => html`<option key=${endpoint} value=${endpoint}>${endpoint}</option>`)}</select><//>
      <div role="status" aria-live="polite">
        ${state.error && html`<${Problem} error=${state.error} />`}
        ${result &&
        html`<p><${Badge} kind=${result.ok ? 'good' : 'bad'}>${result.ok ? 'It answers' : 'It does not answer'}<//> ${result.status && html`<${Status} code=${result.status} />`} ${milliseconds(result.ms)}${result.firstByteMs !== null && html`, first byte after ${milliseconds(result.firstByteMs)}`}</p>
          ${(result.error || result.answer) && html`<pre class="log" tabindex="0">${result.error ?? result.answer}</pre>`}`}
      </div>
      <div class="dialog-actions"><button type="button" onClick=${onClose}>Close</button><button type="submit" class="primary" disabled=${state.busy}>${state.busy ? 'One moment…' : 'Call'}</button></div>
    </form>
  <//>`;
}
