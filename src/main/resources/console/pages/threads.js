// Threads of a project, the newest first.
import { html } from '../lib.js';
import { get, path } from '../api.js';
import { go, href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { count, number } from '../format.js';
import { Empty, Field, Freshness, Head, Select, TextInput, Time, View } from '../ui.js';
import { CsvButton, Table } from '../table.js';
import { Download } from '../download.js';
import { SearchForm } from './search.js';

const PAGE = 50;

export function Threads({ me, query }) {
  const projects = useLoad((signal) => get('projects', {}, signal), []);
  const names = (projects.data?.projects ?? []).map((project) => project.name);
  const project = query.project || names[0];
  return html`<${Head} title="Threads" note="What agents remember, by project and resource." />
    <${View} load=${projects}>
      ${() =>
        project === undefined
          ? html`<${Empty} title="There is no project yet">A project is made with its first <a href=${href(['keys'])}>key</a>.<//>`
          : html`<form class="filters" role="search" aria-label="Filter threads" onSubmit=${(event) => event.preventDefault()}>
                <${Field} label="Project"><${Select} value=${project} onChange=${(value) => setQuery({ project: value, resourceId: '', offset: '' })} options=${names.map((name) => [name, name])} /><//>
                <${Field} label="Resource"><${TextInput} value=${query.resourceId ?? ''} onChange=${(resourceId) => setQuery({ resourceId, offset: '' })} /><//>
                <${Field} label="Thread id"><${TextInput} value="" placeholder="open by id" onChange=${(id) => id && go(['threads', project, id])} /><//>
              </form>
              ${query.resourceId && html`<${SearchForm} project=${project} resourceId=${query.resourceId} label=${`Search the messages of ${query.resourceId}`} />`}
              <${List} key=${project} me=${me} project=${project} query=${query} />`}
    <//>`;
}

function List({ me, project, query }) {
  const offset = Math.max(0, Number(query.offset) || 0);
  const load = useLoad((signal) => get(path('projects', project, 'threads'), { resourceId: query.resourceId, limit: PAGE, offset }, signal), [query.resourceId, offset]);
  const rows = load.data?.threads ?? [];
  const may = me.role !== 'viewer';
  return html`<div class="list-head">
      <span class="note">${load.data && count(load.data.total, 'thread')}</span>
      <div class="actions">
        <${Freshness} load=${load} />
        <${CsvButton} name="threads" columns=${COLUMNS} rows=${rows} />
        <${Download} method="POST" resource=${path('projects', project, 'export')} query=${{ resourceId: query.resourceId }} accept="application/x-ndjson" name=${`${project}.jsonl`} disabled=${!may} title=${may ? 'All threads that fit, with messages and observations' : 'This needs the role operator.'}>Export<//>
      </div>
    </div>
    <${View} load=${load}>
      ${(data) =>
        data.threads.length === 0
          ? html`<${Empty} title="No threads">${query.resourceId ? 'This resource has none.' : html`A call with the headers <code>x-thread-id</code> and <code>x-resource-id</code> makes one.`}<//>`
          : html`<${Table} caption="Threads" columns=${COLUMNS} rows=${data.threads} rowKey=${(row) => row.id} link=${(row) => href(['threads', project, row.id])} />`}
    <//>
    <nav class="pages" aria-label="Pages of threads">
      ${offset > 0 && html`<button type="button" onClick=${() => setQuery({ offset: offset > PAGE ? offset - PAGE : '' })}>Newer</button>`}
      ${load.data && offset + rows.length < load.data.total && html`<button type="button" onClick=${() => setQuery({ offset: offset + rows.length })}>Older</button>`}
      ${load.data && rows.length > 0 && html`<span class="note">${number(offset + 1)} to ${number(offset + rows.length)}</span>`}
    </nav>`;
}

const COLUMNS = [
  { label: 'Thread', grow: true, cell: (row) => html`${row.title || row.id}${row.title && html` <small class="muted">${row.id}</small>`}`, csv: (row) => row.id },
  { label: 'Title', rank: 4, cell: (row) => row.title, csv: (row) => row.title },
  { label: 'Resource', rank: 2, cell: (row) => html`<span class="clip" title=${row.resourceId}>${row.resourceId}</span>`, csv: (row) => row.resourceId },
  { label: 'Changed', cell: (row) => html`<${Time} at=${row.updatedAt} relative=${true} />`, csv: (row) => row.updatedAt },
  { label: 'Created', rank: 2, cell: (row) => html`<${Time} at=${row.createdAt} />`, csv: (row) => row.createdAt },
];
