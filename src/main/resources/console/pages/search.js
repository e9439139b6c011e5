// Search in the messages of a thread or a resource.
import { html } from '../lib.js';
import { call, path } from '../api.js';
import { go, href } from '../route.js';
import { useLoad } from '../load.js';
import { count } from '../format.js';
import { Badge, Empty, Field, Head, Input, View } from '../ui.js';
import { Message } from '../message.js';

/** Form that leads to what it finds. */
export function SearchForm({ project, resourceId, threadId, label, value = '' }) {
  const submit = (event) => {
    event.preventDefault();
    const query = new FormData(event.target).get('q').trim();
    if (query) go(['search'], { project, resourceId, threadId, q: query });
  };
  return html`<form class="filters" role="search" aria-label=${label} onSubmit=${submit}>
    <${Field} label=${label} wide=${true}><${Input} type="search" name="q" value=${value} autocomplete="off" maxlength="1000" /><//>
    <button type="submit">Search</button>
  </form>`;
}

export function Search({ query }) {
  const { project, resourceId, threadId, q } = query;
  const load = useLoad(
    (signal) => (project && q && (threadId || resourceId) ? call('POST', path('projects', project, 'search'), { body: { query: q, ...(threadId ? { threadId } : { resourceId }), limit: 30, context: 1 }, signal }) : Promise.resolve(null)),
    [project, resourceId, threadId, q],
  );
  if (!project || !(threadId || resourceId)) {
    return html`<${Head} title="Search" /><${Empty} title="Where to search">Open a <a href=${href(['threads'])}>thread or resource</a> and search in it.<//>`;
  }
  const where = threadId ? `thread ${threadId}` : `resource ${resourceId}`;
  return html`<${Head} title="Search" note=${`In the messages of ${where}, project ${project}.`}>
      <a href=${threadId ? href(['threads', project, threadId]) : href(['threads'], { project, resourceId })}>${threadId ? 'The thread' : 'The threads'}</a>
    <//>
    <${SearchForm} project=${project} resourceId=${resourceId} threadId=${threadId} label="Words" value=${q} />
    ${q && html`<${View} load=${load}>${(data) => html`<${Hits} data=${data} project=${project} />`}<//>`}`;
}

function Hits({ data, project }) {
  if (data.hits.length === 0) {
    return html`<${Empty} title="Nothing was found">Other words may do.<//>`;
  }
  return html`<p class="note" role="status">${count(data.hits.length, 'hit')}, the best first, by ${data.ranking === 'hybrid' ? 'words and meaning' : 'words'}.</p>
    <ol class="hits">
      ${data.hits.map(
        (hit) => html`<li key=${hit.message.id} class="panel">
          <header class="panel-head"><h2><a href=${href(['threads', project, hit.thread.id], { around: hit.message.id })}>${hit.thread.title || hit.thread.id}</a></h2><${Badge} title="How well it fits">${hit.score.toFixed(2)}<//></header>
          ${hit.before.map((message) => html`<${Message} key=${message.id} message=${message} />`)}
          <${Message} message=${hit.message} matched=${hit.matched} marked=${true} />
          ${hit.after.map((message) => html`<${Message} key=${message.id} message=${message} />`)}
        </li>`,
      )}
    </ol>`;
}
