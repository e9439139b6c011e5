// Budgets as bars, on the pages of keys, projects and usage, and the dialogues that change them.
import { html, useState } from './lib.js';
import { call, get, path } from './api.js';
import { href } from './route.js';
import { useLoad } from './load.js';
import { dollars, number } from './format.js';
import { ActDialog, Badge, Empty, Field, Input, Meter, Panel, RoleButton, Time, View, announce } from './ui.js';
import { Table } from './table.js';

const EVERY_MS = 5000;
const WINDOWS = ['5h', 'day', 'week', 'month', 'total'];
const VALIDITIES = [['1d', 'a day'], ['7d', '7 days'], ['30d', '30 days']];

const amount = (row, text) => (row.unit === 'usd' ? dollars(text) : number(Number(text)));

const resource = (row) => (row.keyId ? path('budgets', 'keys', row.keyId, row.name) : path('budgets', 'projects', row.project, row.name));

/** Panel with the budgets of a key and its project, or of a project alone. */
export function Budgets({ me, keyId, project }) {
  const of = keyId ? path('budgets', 'keys', keyId) : path('budgets', 'projects', project);
  const load = useLoad((signal) => get(of, {}, signal), [of], { every: EVERY_MS });
  const [act, setAct] = useState(null);
  const close = () => setAct(null);
  const done = (said) => {
    announce(said);
    load.reload();
  };
  const change = {
    label: 'Change',
    cell: (row) => html`<${RoleButton} me=${me} needs="operator" class="small" onClick=${() => setAct({ kind: 'set', row })} aria-label=${`Change the budget ${row.name} of the ${row.appliesTo}`}>Change<//>
      ${row.keyId && html` <${RoleButton} me=${me} needs="operator" class="small" onClick=${() => setAct({ kind: 'increase', row })} aria-label=${`Raise the budget ${row.name} for a time`}>Raise<//>`}`,
  };
  const give = html`<${RoleButton} me=${me} needs="operator" class="small" onClick=${() => setAct({ kind: 'set', row: { keyId, project, appliesTo: keyId ? 'key' : 'project' } })}>Give a budget<//>`;
  return html`<${Panel} title="Budgets" actions=${give}>
      <${View} load=${load} rows=${2}>
        ${(data) =>
          data.budgets.length === 0
            ? html`<${Empty} title="No budget applies" />`
            : html`<${Table} caption="Budgets in their running windows" columns=${[NAME, ...COLUMNS, change]} rows=${data.budgets} rowKey=${resource} />`}
      <//>
    <//>
    ${act?.kind === 'set' && html`<${BudgetDialog} row=${act.row} onClose=${close} done=${done} />`}
    ${act?.kind === 'increase' && html`<${IncreaseDialog} row=${act.row} onClose=${close} done=${done} />`}`;
}

/** Panel with the budgets of all keys and projects that are fullest. */
export function FullestBudgets() {
  const load = useLoad((signal) => get('budgets', {}, signal), [], { every: 3 * EVERY_MS });
  if (load.data?.budgets.length === 0) return null;
  const link = (row) => (row.keyId ? href(['keys', row.keyId]) : href(['project', row.project]));
  return html`<${Panel} title="Budgets that are fullest">
    <${View} load=${load} rows=${2}>${(data) => html`<${Table} caption="Fullest budgets in their running windows" columns=${[NAME, OWNER, ...COLUMNS]} rows=${data.budgets} rowKey=${resource} link=${link} />`}<//>
  <//>`;
}

function BudgetDialog({ row, onClose, done }) {
  const isNew = !row.name;
  const own = row.own ?? {};
  const save = async ({ name, unit, limit, window, models, mode, unpriced }) => {
    const to = resource({ ...row, name: row.name ?? name.trim() });
    if (limit === '') {
      await call('DELETE', to);
      done(`${row.name}: what was given is taken away.`);
      return;
    }
    const body = { unit, limit: Number(limit), mode, unpriced, ...(window.trim() && { window: window.trim() }), ...(models.trim() && { models: models.split(',').map((one) => one.trim()) }) };
    await call('PUT', to, { body });
    done(`${row.name ?? name}: the budget is ${amount(body.unit === 'usd' ? { unit: 'usd' } : {}, limit)}.`);
  };
  return html`<${ActDialog} title=${isNew ? `Give this ${row.appliesTo} a budget` : `Budget ${row.name}`} verb="Save" act=${save} onClose=${onClose}>
    <p>Calls of this ${row.appliesTo} are refused once what they have used and may use comes to the limit. On every node within 5 seconds.</p>
    ${isNew && html`<${Field} label="Name" hint="Letters, digits, dots, hyphens and underscores." wide=${true}><input name="name" required maxlength="64" autocomplete="off" spellcheck="false" /><//>`}
    <${Field} label="Unit" wide=${true}><${Choice} name="unit" value=${row.unit} options=${[['usd', 'dollars'], ['tokens', 'tokens']]} /><//>
    <${Field} label="Limit" hint=${isNew ? 'In a window.' : 'In a window. Left empty, the configured budget holds again, or there is none.'} wide=${true}>
      <${Input} name="limit" type="number" min="0" step="any" inputmode="decimal" required=${isNew} value=${own.limit ?? ''} placeholder=${row.limit} />
    <//>
    <${Field} label="Window" hint="A length from 1m to 31d, such as 5h, or day, week, month or total. A change of unit or window begins anew." wide=${true}>
      <${Input} name="window" list="budget-windows" required=${isNew} autocomplete="off" value=${row.window ?? 'month'} />
      <datalist id="budget-windows">${WINDOWS.map((one) => html`<option key=${one} value=${one}></option>`)}</datalist>
    <//>
    <${Field} label="Models" hint="Names or patterns such as openai/*, with commas between. Left empty: all." wide=${true}><${Input} name="models" autocomplete="off" spellcheck="false" value=${(row.models ?? []).join(', ')} /><//>
    <${Field} label="Mode" wide=${true}><${Choice} name="mode" value=${row.mode} options=${[['enforce', 'enforce'], ['shadow', 'shadow: count and refuse nobody']]} /><//>
    <${Field} label="Calls that cannot be counted" hint="No price is known, or the answer does not tell what it used." wide=${true}><${Choice} name="unpriced" value=${row.allowsUnpriced ? 'allow' : 'refuse'} options=${[['refuse', 'refuse'], ['allow', 'allow']]} /><//>
  <//>`;
}

const Choice = ({ name, value, options }) => html`<select name=${name}>${options.map(([one, text]) => html`<option key=${one} value=${one} selected=${one === value}>${text}</option>`)}</select>`;

function IncreaseDialog({ row, onClose, done }) {
  const raise = async ({ by, expiresIn }) => {
    await call('POST', `${resource(row)}/increase`, { body: { by: Number(by), expiresIn } });
    done(`${row.name}: the limit is raised by ${amount(row, by)}.`);
  };
  return html`<${ActDialog} title=${`Raise ${row.name} for a time`} verb="Raise" act=${raise} onClose=${onClose}>
    <p>The limit is ${amount(row, row.limit)} now. After this time it is what it would be without.</p>
    <${Field} label=${row.unit === 'usd' ? 'By dollars' : 'By tokens'} wide=${true}><input name="by" type="number" min="0" step="any" inputmode="decimal" required /><//>
    <${Field} label="For" wide=${true}><${Choice} name="expiresIn" value="7d" options=${VALIDITIES} /><//>
  <//>`;
}

const taken = (row) => Number(row.used) + Number(row.held);

const NAME = { label: 'Budget', grow: true, cell: (row) => html`<code>${row.name}</code> <small class="muted">${row.own && 'own '}${row.appliesTo === 'project' && 'of the project '}${row.models.join(', ')}</small> ${row.mode === 'shadow' && html`<${Badge}>shadow<//>`}` };
const OWNER = { label: 'Of', cell: (row) => html`${row.keyName ?? row.project}${row.keyName && html` <small class="muted">${row.project}</small>`}` };
const COLUMNS = [
  { label: 'Used', number: true, cell: (row) => html`${amount(row, row.used)} of ${amount(row, row.limit)}` },
  { label: 'Held', number: true, rank: 3, cell: (row) => amount(row, row.held) },
  { label: 'Window', rank: 3, cell: (row) => row.window },
  { label: 'Fill', rank: 2, cell: (row) => html`<${Meter} value=${taken(row)} max=${Number(row.limit) || 1} label=${`${row.name}: ${row.used} used and ${row.held} held of ${row.limit} ${row.unit}`} />` },
  { label: 'Resets', rank: 2, cell: (row) => html`<${Time} at=${row.resetsAt} />` },
];
