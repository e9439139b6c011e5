// One project: its budgets, and the way to what else it has.
import { html } from '../lib.js';
import { href } from '../route.js';
import { Head, Panel } from '../ui.js';
import { Budgets } from '../budgets.js';

export function Project({ me, rest }) {
  const project = rest[0] ?? '';
  return html`<${Head} title=${`Project ${project}`} note="All keys of a project see the same threads, and its budgets count the calls of all of them.">
      <a href=${href(['keys'], { project })}>Its keys</a>
    <//>
    <${Budgets} me=${me} project=${project} />
    <${Panel} title="See also"><p><a href=${href(['usage'], { project })}>what it used</a>, <a href=${href(['requests'], { project, range: '24h' })}>its requests</a>${me.role !== 'viewer' && html`, <a href=${href(['threads'], { project })}>its threads</a>`}</p><//>`;
}
