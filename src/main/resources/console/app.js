// The console: who is here, where one can go, and the page that the address names.
import { html, render, useEffect, useRef, useState } from './lib.js';
import { get, login } from './api.js';
import { href, useRoute } from './route.js';
import { Icon } from './icons.js';
import { Announcements, Badge, Boundary, Head, Problem } from './ui.js';
import { Login } from './login.js';
import { Overview } from './pages/overview.js';
import { Requests } from './pages/requests.js';
import { Request } from './pages/request.js';
import { Usage } from './pages/usage.js';
import { Keys } from './pages/keys.js';
import { Key } from './pages/key.js';
import { Threads } from './pages/threads.js';
import { Thread } from './pages/thread.js';
import { Search } from './pages/search.js';
import { Providers } from './pages/providers.js';
import { Limits } from './pages/limits.js';
import { Audit } from './pages/audit.js';
import { Project } from './pages/project.js';

// Name in the address, title in the menu, icon, page, and page of one of its things with how many segments name that: 1, if none is given.
const PAGES = [
  ['', 'Overview', 'overview', Overview],
  ['requests', 'Requests', 'requests', Requests, Request],
  ['usage', 'Usage', 'usage', Usage],
  ['keys', 'Keys', 'keys', Keys, Key],
  ['threads', 'Threads', 'threads', Threads, Thread, 2],
  ['providers', 'Providers', 'providers', Providers],
  ['limits', 'Limits', 'limits', Limits],
  ['audit', 'Audit log', 'audit', Audit],
];

/** Pages that others lead to: the name, the one of the menu that they belong to, and the page. */
const INNER = { search: ['threads', Search], project: ['keys', Project] };

function App() {
  const [me, setMe] = useState(null);
  const [needsLogin, setNeedsLogin] = useState('');
  const [error, setError] = useState(null);
  const enter = async () => {
    setError(null);
    try {
      setMe(await get('me'));
      setNeedsLogin('');
    } catch (failure) {
      if (failure.status !== 401) setError(failure);
    }
  };
  useEffect(() => {
    const needed = () => {
      const after = login.hasToken ? 'end' : 'start';
      setNeedsLogin((before) => before || after);
      login.forget();
    };
    window.addEventListener('login-needed', needed);
    enter();
    return () => window.removeEventListener('login-needed', needed);
  }, []);
  if (needsLogin) return html`<${Login} hasEnded=${needsLogin === 'end'} onEnter=${enter} /><${Announcements} />`;
  if (error) return html`<main class="alone"><${Problem} error=${error} onRetry=${enter} /></main>`;
  if (!me) return html`<p class="boot" role="status">Loading the console…</p>`;
  return html`<${Shell} me=${me} onLeave=${() => {
    login.forget();
    setNeedsLogin('start');
  }} /><${Announcements} />`;
}

function Shell({ me, onLeave }) {
  const route = useRoute();
  const [menu, setMenu] = useState(false);
  const main = useRef(null);
  const place = `${route.page}/${route.rest.join('/')}`;
  const first = useRef(place);
  useEffect(() => {
    setMenu(false);
    // The heading of a new page is read out; the first page is read from its beginning anyway.
    if (first.current !== place) {
      first.current = null;
      window.scrollTo(0, 0);
      main.current.querySelector('h1')?.focus({ preventScroll: true });
    }
  }, [place]);
  const [current, Page] = (Object.hasOwn(INNER, route.page) && INNER[route.page]) || pageOf(route);
  return html`<a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current.focus();
    }}>Skip to the content</a>
    <div class="shell">
      <header class="side">
        <a class="brand" href="#/"><img src="console/icon.svg" alt="" width="26" height="26" />Memory Gateway</a>
        <button type="button" class="menu" aria-expanded=${menu ? 'true' : 'false'} aria-controls="pages" onClick=${() => setMenu(!menu)}><${Icon} name="menu" />Menu</button>
        <nav id="pages" class=${menu ? 'open' : ''} aria-label="Pages">
          <ul>
            ${PAGES.map(
              ([name, title, icon]) => html`<li key=${name}><a href=${href(name ? [name] : [])} aria-current=${name === current ? 'page' : undefined}><${Icon} name=${icon} />${title}</a></li>`,
            )}
          </ul>
          <p class="who"><span>${me.name === 'anybody' ? 'No login needed' : me.name}</span><${Badge}>${me.role}<//>
            ${login.hasToken && html`<button type="button" class="small" onClick=${onLeave}>Log out</button>`}
          </p>
        </nav>
      </header>
      <main id="main" ref=${main} tabindex="-1">
        ${Page
          ? html`<${Boundary} key=${place} what="page"><${Page} me=${me} query=${route.query} rest=${route.rest} /><//>`
          : html`<${Head} title="There is no such page" /><p><a href="#/">To the overview</a></p>`}
      </main>
    </div>`;
}

function pageOf(route) {
  const entry = PAGES.find(([name]) => name === route.page);
  if (!entry) return ['?', null];
  const [, , , all, one, segments = 1] = entry;
  return [route.page, route.rest.length === 0 ? all : route.rest.length >= segments ? one : null];
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
