// One key: its limits and what they leave, what it may do, and what can be done with it.
import { html, useState } from '../lib.js';
import { call, get, path } from '../api.js';
import { href } from '../route.js';
import { useLoad } from '../load.js';
import { count, number, seconds } from '../format.js';
import { ActDialog, Copy, Empty, Field, Figure, Freshness, Head, Input, Meter, Panel, RoleButton, Time, View, announce } from '../ui.js';
import { Table } from '../table.js';
import { Budgets } from '../budgets.js';
import { Secret } from '../secret.js';
import { KeyState, VALIDITIES, stateOf } from './keys.js';
import { Refusals } from './limits.js';

const EVERY_MS = 5000;

export function Key({ me, rest }) {
  const id = rest[0];
  const load = useLoad((signal) => get(path('limits', id), {}, signal), [id], { every: EVERY_MS });
  const [act, setAct] = useState(null);
  const [secret, setSecret] = useState(null);
  const close = () => setAct(null);
  const done = (said) => {
    announce(said);
    load.reload();
  };
  const key = load.data?.key;
  const active = key && stateOf(key) === 'active';
  return html`<${Head} title=${key ? `Key ${key.name}` : 'Key'}>
      <${Freshness} load=${load} live=${true} />
      <a href=${href(['keys'])}>All keys</a>
      <${RoleButton} me=${me} needs="owner" disabled=${!active} onClick=${() => setAct({ kind: 'rotate' })}>Rotate<//>
      <${RoleButton} me=${me} needs="owner" class="danger" disabled=${!active} onClick=${() => setAct({ kind: 'revoke' })}>Revoke<//>
    <//>
    <${View} load=${load}>${(data) => html`<${Detail} data=${data} me=${me} onLimit=${(rule) => setAct({ kind: 'limit', rule })} onScope=${() => setAct({ kind: 'scope' })} />`}<//>
    ${act?.kind === 'rotate' &&
    html`<${ActDialog} title=${`Rotate ${key.name}`} verb="Rotate" onClose=${close} act=${async () => {
      setSecret(await call('POST', path('keys', id, 'rotate'), { body: {} }));
      done('The key has a new secret.');
    }}><p>The key gets a new secret. The present one is refused from then on, on every node within 5 seconds.</p><//>`}
    ${act?.kind === 'revoke' &&
    html`<${ActDialog} title=${`Revoke ${key.name}`} verb="Revoke" danger=${true} confirm=${key.name} onClose=${close} act=${async () => {
      await call('POST', path('keys', id, 'revoke'), { body: {} });
      done('The key is revoked.');
    }}><p>Calls with this key are refused from then on, on every node within 5 seconds. This cannot be undone. Threads of the project stay.</p><//>`}
    ${act?.kind === 'limit' && html`<${LimitDialog} id=${id} rule=${act.rule} onClose=${close} done=${done} />`}
    ${act?.kind === 'scope' && html`<${ScopeDialog} shown=${key} onClose=${close} done=${done} />`}
    ${secret && html`<${Secret} issued=${secret} onClose=${() => setSecret(null)} />`}`;
}

function Detail({ data, me, onLimit, onScope }) {
  const { key, rules } = data;
  const columns = [
    ...RULES,
    { label: 'Change', cell: (row) => html`<${RoleButton} me=${me} needs="operator" class="small" onClick=${() => onLimit(row)} aria-label=${`Change the limit of ${row.rule}`}>Change<//>` },
  ];
  return html`<dl class="figures">
      <${Figure} label="State" value=${html`<${KeyState} row=${key} />`} />
      <${Figure} label="Project" value=${html`<a href=${href(['project', key.project])}>${key.project}</a>`} />
      <${Figure} label="Last used" value=${html`<${Time} at=${key.lastUsedAt} relative=${true} />`} />
      <${Figure} label="Expires" value=${html`<${Time} at=${key.expiresAt} relative=${true} />`} />
    </dl>
    <${Panel} title="Key">
      <dl class="facts">
        <dt>Id</dt><dd><code>${key.id}</code> <${Copy} text=${key.id} /></dd>
        <dt>Begins with</dt><dd><code>${key.prefix}…</code></dd>
        <dt>Issued</dt><dd><${Time} at=${key.createdAt} /></dd>
        ${key.revokedAt && html`<dt>Revoked</dt><dd><${Time} at=${key.revokedAt} /></dd>`}
        <dt>See</dt><dd><a href=${href(['requests'], { key: key.id, range: '24h' })}>its requests</a>, <a href=${href(['audit'], { subject: key.id })}>what was done to it</a></dd>
      </dl>
    <//>
    <${Panel} title="Scopes" actions=${html`<${RoleButton} me=${me} needs="operator" class="small" onClick=${onScope}>Change scopes<//>`}>
      <dl class="facts">
        <dt>Models</dt><dd>${listed(key.scopes.models) || 'all'}</dd>
        <dt>Endpoints</dt><dd>${listed(key.scopes.endpoints) || 'all'}</dd>
        <dt>Memory</dt><dd>${MEMORY.find(([value]) => value === (key.scopes.memory ?? 'all'))?.[1]}</dd>
        <dt>Addresses</dt><dd>${listed(key.scopes.addresses) || 'all'}</dd>
      </dl>
    <//>
    <${Panel} title="Limits">
      ${rules.length === 0
        ? html`<${Empty} title="No limit applies" />`
        : html`<${Table} caption="Limits of this key" columns=${columns} rows=${rules} rowKey=${(row) => row.rule} />`}
    <//>
    <${Budgets} me=${me} keyId=${key.id} />
    <${Panel} title="Refused by rate limits"><${Refusals} data=${data} /><//>`;
}

function LimitDialog({ id, rule, onClose, done }) {
  const resource = path('keys', id, 'limits', rule.rule);
  const change = async ({ limit }) => {
    if (limit === '') {
      await call('DELETE', resource);
      done(`${rule.rule}: the configured limit holds again.`);
    } else {
      await call('PUT', resource, { body: { limit: Number(limit) } });
      done(`${rule.rule}: the limit is ${count(Number(limit), 'request')} in ${seconds(rule.windowSeconds)}.`);
    }
  };
  return html`<${ActDialog} title=${`Limit ${rule.rule}`} verb="Save" act=${change} onClose=${onClose}>
    <p>For all keys, config.yml allows ${count(rule.configured, 'request')} in ${seconds(rule.windowSeconds)}. A limit of this key's own takes its place.</p>
    <${Field} label=${`Requests in ${seconds(rule.windowSeconds)}`} hint="Left empty, the configured limit holds." wide=${true}>
      <${Input} name="limit" type="number" min="1" max="2147483647" step="1" inputmode="numeric" value=${rule.own ? rule.limit : ''} placeholder=${rule.configured} />
    <//>
  <//>`;
}

/** What the form holds: lists with commas, as on the command line. */
function ScopeDialog({ shown, onClose, done }) {
  const { scopes } = shown;
  const change = async ({ memory, expiresIn, ...lists }) => {
    const parts = Object.fromEntries(Object.entries(lists).map(([part, text]) => [part, text.trim() === '' ? [] : text.split(',')]));
    await call('PUT', path('keys', shown.id, 'scopes'), { body: { ...parts, memory, ...(expiresIn !== STAYS && { expiresIn }) } });
    done('The scopes are changed.');
  };
  return html`<${ActDialog} title=${`Scopes of ${shown.name}`} verb="Save" act=${change} onClose=${onClose}>
    <p>A call that is not allowed gets 403, which says what the key may do. What is left empty is not limited.</p>
    <${Field} label="Models" hint="Names and patterns of models and routes: vllm/*, fast" wide=${true}><${Input} name="models" autocomplete="off" spellcheck="false" value=${listed(scopes.models)} /><//>
    <${Field} label="Endpoints" hint="chat, messages, responses, completions, embeddings, count_tokens" wide=${true}><${Input} name="endpoints" autocomplete="off" spellcheck="false" value=${listed(scopes.endpoints)} /><//>
    <${Field} label="Memory" wide=${true}><select name="memory">${MEMORY.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === (scopes.memory ?? 'all')}>${text}</option>`)}</select><//>
    <${Field} label="Addresses" hint="That it may be used from: 10.0.0.0/8, 2001:db8::/32" wide=${true}><${Input} name="addresses" autocomplete="off" spellcheck="false" value=${listed(scopes.addresses)} /><//>
    <${Field} label="Valid for, from now on" wide=${true}><select name="expiresIn">${[[STAYS, 'as it is'], ...VALIDITIES].map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select><//>
  <//>`;
}

const STAYS = 'stays';
const MEMORY = [['all', 'all'], ['read', 'read only, no turns'], ['none', 'none']];
const listed = (list) => (list ?? []).join(', ');

export const RULES = [
  { label: 'Rule', grow: true, cell: (row) => html`<code>${row.rule}</code> ${row.own && html`<small class="muted">own limit</small>`}` },
  { label: 'Used', number: true, cell: (row) => html`${number(row.used)} of ${number(row.limit)}` },
  { label: 'Window', number: true, rank: 2, cell: (row) => seconds(row.windowSeconds) },
  { label: 'Fill', rank: 2, cell: (row) => html`<${Meter} value=${row.used} max=${row.limit} label=${`${row.used} of ${row.limit} used of ${row.rule}`} />` },
  { label: 'Resets', rank: 2, cell: (row) => html`<${Time} at=${row.resetsAt} />` },
];
