// One thread: its messages, what was observed in it, and how that changed.
import { html, useEffect, useState } from '../lib.js';
import { call, get, path } from '../api.js';
import { go, href, setQuery } from '../route.js';
import { useLoad } from '../load.js';
import { count, number } from '../format.js';
import { ActDialog, Copy, Empty, Head, Panel, RoleButton, Time, View, announce } from '../ui.js';
import { Download } from '../download.js';
import { Message } from '../message.js';
import { SearchForm } from './search.js';
import { Observations } from '../observations.js';

const PAGE = 50;
const VIEWS = [['messages', 'Messages'], ['observations', 'Observations']];

export function Thread({ me, rest, query }) {
  const [project, id] = rest;
  const resource = path('projects', project, 'threads', id);
  const load = useLoad((signal) => get(resource, {}, signal), [project, id]);
  const [deleting, setDeleting] = useState(false);
  const view = query.view === 'observations' ? 'observations' : 'messages';
  const thread = load.data?.thread;
  const remove = async () => {
    await call('DELETE', resource);
    announce('The thread is deleted.');
    go(['threads'], { project });
  };
  const may = me.role !== 'viewer';
  return html`<${Head} title=${thread?.title || 'Thread'} note=${html`<code>${id}</code>`}>
      <a href=${href(['threads'], { project })}>All threads of ${project}</a>
      <${Download} method="POST" resource=${`${resource}/export`} accept="application/x-ndjson" name=${`thread-${id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.jsonl`} disabled=${!may} title=${may ? 'Messages and observations, as lines that can be imported' : 'This needs the role operator.'}>Export<//>
      <${RoleButton} me=${me} needs="owner" class="danger small" disabled=${!thread} onClick=${() => setDeleting(true)}>Delete<//>
    <//>
    <${View} load=${load} rows=${3}>
      ${() => html`<${Facts} thread=${thread} project=${project} />
        <${SearchForm} project=${project} threadId=${id} label="Search in this thread" />
        <nav class="tabs" aria-label="Views of the thread">${VIEWS.map(([name, title]) => html`<a key=${name} href=${href(['threads', project, id], { view: name })} aria-current=${view === name ? 'page' : undefined}>${title}</a>`)}</nav>
        ${view === 'messages' ? html`<${Messages} resource=${resource} query=${query} />` : html`<${Observations} resource=${resource} query=${query} />`}`}
    <//>
    ${deleting &&
    html`<${ActDialog} title="Delete this thread" verb="Delete" danger=${true} confirm="delete" act=${remove} onClose=${() => setDeleting(false)}>
      <p>All messages and observations of <code>${id}</code> go with it, for good. The id is free again.</p>
    <//>`}`;
}

const Facts = ({ thread, project }) => html`<${Panel}>
  <dl class="facts">
    <dt>Resource</dt><dd><a href=${href(['threads'], { project, resourceId: thread.resourceId })}>${thread.resourceId}</a></dd>
    <dt>Changed</dt><dd><${Time} at=${thread.updatedAt} /> <small class="muted">created <${Time} at=${thread.createdAt} /></small></dd>
    <dt>Id</dt><dd><code>${thread.id}</code> <${Copy} text=${thread.id} /></dd>
    ${thread.metadata && html`<dt>Metadata</dt><dd><code>${JSON.stringify(thread.metadata)}</code></dd>`}
    <dt>Calls</dt><dd><a href=${href(['requests'], { project, thread: thread.id, range: '7d' })}>its requests</a></dd>
  </dl>
<//>`;

function Messages({ resource, query }) {
  const offset = Math.max(0, Number(query.offset) || 0);
  const newest = query.order === 'desc';
  const asked = query.around ? { around: query.around, limit: PAGE } : { limit: PAGE, offset, order: newest ? 'desc' : 'asc' };
  const load = useLoad((signal) => get(`${resource}/messages`, asked, signal), [JSON.stringify(asked)]);
  const messages = load.data?.messages ?? [];
  useEffect(() => {
    if (query.around && load.data) {
      document.getElementById(`message-${query.around}`)?.scrollIntoView({ block: 'center' });
    }
  }, [query.around, load.data]);
  const begin = load.data?.offset ?? offset;
  return html`<div class="list-head">
      <span class="note">${load.data && `${count(load.data.total, 'message')}${messages.length > 0 ? `, ${number(begin + 1)} to ${number(begin + messages.length)} shown` : ''}`}</span>
      <button type="button" class="small" onClick=${() => setQuery({ order: newest ? '' : 'desc', offset: '', around: '' })}>${newest ? 'Oldest first' : 'Newest first'}</button>
    </div>
    <${View} load=${load}>
      ${() =>
        messages.length === 0
          ? html`<${Empty} title="No messages" />`
          : html`<div class="messages">${messages.map((message) => html`<${Message} key=${message.id} message=${message} marked=${message.id === query.around} />`)}</div>`}
    <//>
    <nav class="pages" aria-label="Pages of messages">
      ${begin > 0 && html`<button type="button" onClick=${() => setQuery({ around: '', offset: begin > PAGE ? begin - PAGE : '' })}>Before</button>`}
      ${load.data && begin + messages.length < load.data.total && html`<button type="button" onClick=${() => setQuery({ around: '', offset: begin + messages.length })}>After</button>`}
    </nav>`;
}
