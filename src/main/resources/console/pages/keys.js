// Keys of all projects.
import { html, useState } from '../lib.js';
import { call, get } from '../api.js';
import { href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { ActDialog, Badge, Empty, Field, Freshness, Head, RoleButton, Select, TextInput, Time, View } from '../ui.js';
import { CsvButton, Table } from '../table.js';
import { Secret } from '../secret.js';

export const VALIDITIES = [['', 'no end'], ['7d', '7 days'], ['30d', '30 days'], ['90d', '90 days'], ['365d', '365 days']];
const SHOWN = [['', 'all'], ['active', 'active'], ['ended', 'revoked or expired']];

/** What a key is now: active, revoked or expired. */
export const stateOf = (key) => (key.revokedAt ? 'revoked' : key.expiresAt && Date.parse(key.expiresAt) <= Date.now() ? 'expired' : 'active');

export const KeyState = ({ row }) => {
  const state = stateOf(row);
  return html`<${Badge} kind=${state === 'active' ? 'good' : 'plain'}>${state}<//>`;
};

export function Keys({ me, query }) {
  const load = useLoad((signal) => get('keys', {}, signal), []);
  const [issuing, setIssuing] = useState(false);
  const [secret, setSecret] = useState(null);
  const rows = (load.data?.keys ?? [])
    .filter((key) => !query.project || key.project === query.project)
    .filter((key) => !query.state || (stateOf(key) === 'active') === (query.state === 'active'));
  const projects = [...new Set((load.data?.keys ?? []).map((key) => key.project))].sort();
  const issue = async ({ project, name, expiresIn }) => {
    const issued = await call('POST', 'keys', { body: { project: project.trim(), name: name.trim(), ...(expiresIn && { expiresIn }) } });
    setSecret(issued);
    load.reload();
  };
  return html`<${Head} title="Keys" note="Applications call the gateway with a key. All keys of a project see the same threads.">
      <${Freshness} load=${load} />
      <${CsvButton} name="keys" columns=${COLUMNS} rows=${rows} />
      <${RoleButton} me=${me} needs="owner" class="primary" onClick=${() => setIssuing(true)}>Issue a key<//>
    <//>
    <form class="filters" role="search" aria-label="Filter keys" onSubmit=${(event) => event.preventDefault()}>
      <${Field} label="Project"><${Select} value=${query.project ?? ''} onChange=${(project) => setQuery({ project })} options=${[['', 'all'], ...projects.map((name) => [name, name])]} /><//>
      <${Field} label="State"><${Select} value=${query.state ?? ''} onChange=${(state) => setQuery({ state })} options=${SHOWN} /><//>
    </form>
    <${View} load=${load}>
      ${(data) =>
        rows.length === 0
          ? html`<${Empty} title=${data.keys.length === 0 ? 'There is no key yet' : 'No key fits'}>${data.keys.length === 0 ? 'Issue one, and give it to an application.' : 'Choose another project or state.'}<//>`
          : html`<${Table} caption="Keys" columns=${COLUMNS} rows=${rows} rowKey=${(row) => row.id} link=${(row) => href(['keys', row.id])} />`}
    <//>
    ${issuing &&
    html`<${ActDialog} title="Issue a key" verb="Issue" act=${issue} onClose=${() => setIssuing(false)}>
      <${Field} label="Project" hint="A new one is made if there is none of this name." wide=${true}><${TextInput} name="project" required=${true} maxlength="200" list=${projects} onChange=${() => {}} value=${query.project ?? ''} /><//>
      <${Field} label="Name" hint="Who or what will use it." wide=${true}><input name="name" required maxlength="200" autocomplete="off" /><//>
      <${Field} label="Valid for" wide=${true}><select name="expiresIn">${VALIDITIES.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select><//>
    <//>`}
    ${secret && html`<${Secret} issued=${secret} onClose=${() => setSecret(null)} />`}`;
}

const COLUMNS = [
  { label: 'Name', grow: true, cell: (row) => html`${row.name} <small class="muted">${row.prefix}…</small>`, csv: (row) => row.name },
  { label: 'Project', cell: (row) => row.project, csv: (row) => row.project },
  { label: 'State', cell: (row) => html`<${KeyState} row=${row} />`, csv: (row) => stateOf(row) },
  { label: 'Own limits', rank: 3, cell: (row) => Object.entries(row.limits).map(([rule, limit]) => `${rule} ${limit}`).join(', ') || '–', csv: (row) => JSON.stringify(row.limits) },
  { label: 'Scopes', rank: 4, cell: (row) => Object.keys(row.scopes).join(', ') || '–', csv: (row) => JSON.stringify(row.scopes) },
  { label: 'Last used', rank: 2, cell: (row) => html`<${Time} at=${row.lastUsedAt} relative=${true} />`, csv: (row) => row.lastUsedAt },
  { label: 'Expires', rank: 2, cell: (row) => html`<${Time} at=${row.expiresAt} relative=${true} />`, csv: (row) => row.expiresAt },
  { label: 'Issued', rank: 3, cell: (row) => html`<${Time} at=${row.createdAt} />`, csv: (row) => row.createdAt },
  { label: 'Id', rank: 4, cell: (row) => row.id, csv: (row) => row.id },
];
