// Parts that several pages use.
import { Component, html, useEffect, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { distance, timeOf, utc } from './format.js';

/** Says something in the corner of the page and to screen readers. */
export const announce = (text, kind = 'done') => window.dispatchEvent(new CustomEvent('announce', { detail: { text, kind } }));

/** Where announcements appear; one in the page. */
export function Announcements() {
  const [said, setSaid] = useState(null);
  useEffect(() => {
    let timer = 0;
    const heard = (event) => {
      setSaid(event.detail);
      clearTimeout(timer);
      timer = setTimeout(() => setSaid(null), 6000);
    };
    window.addEventListener('announce', heard);
    return () => window.removeEventListener('announce', heard);
  }, []);
  return html`<div class="announcements" role="status" aria-live="polite">${said && html`<p class=${`announcement ${said.kind}`}>${said.text}</p>`}</div>`;
}

/** Title of a page with what can be done there. */
export function Head({ title, note, children }) {
  useEffect(() => {
    document.title = `${title} · Memory Gateway`;
  }, [title]);
  return html`<header class="head">
    <div><h1 tabindex="-1">${title}</h1>${note && html`<p class="note">${note}</p>`}</div>
    <div class="actions">${children}</div>
  </header>`;
}

export const Panel = ({ title, actions, children, wide }) => {
  const id = useId();
  return html`<section class=${`panel${wide ? ' wide' : ''}`} aria-labelledby=${title ? id : undefined}>
    ${title && html`<header class="panel-head"><h2 id=${id}>${title}</h2><div class="actions">${actions}</div></header>`}
    ${children}
  </section>`;
};

/** Moment in the viewer's zone; UTC on hover. */
export const Time = ({ at, relative = false }) =>
  at ? html`<time datetime=${at} title=${utc(at)}>${relative ? distance(at) : timeOf(at)}</time>` : html`<span class="muted">–</span>`;

export const Badge = ({ kind = 'plain', children, title }) => html`<span class=${`badge ${kind}`} title=${title}>${children}</span>`;

/** HTTP status in the colour of its class. */
export const Status = ({ code }) =>
  html`<${Badge} kind=${code >= 500 ? 'bad' : code >= 400 ? 'warn' : 'good'}>${code === 499 ? '499 left' : code}<//>`;

export const Figure = ({ label, value, note, kind = '' }) =>
  html`<div class=${`figure ${kind}`}><dt>${label}</dt><dd>${value}${note && html`<small>${note}</small>`}</dd></div>`;

export const Empty = ({ title, children }) => html`<div class="empty"><p class="empty-title">${title}</p>${children && html`<p>${children}</p>`}</div>`;

export function Problem({ error, onRetry, what }) {
  return html`<div class="problem" role="alert">
    <p><strong>${what && `${what} cannot be read: `}${error.message}</strong></p>
    ${error.requestId && html`<p class="muted">Request <code>${error.requestId}</code></p>`}
    ${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
  </div>`;
}

/** Boundary: a defect in what it holds, such as in one message, leaves the rest of the page as it is. */
export class Boundary extends Component {
  componentDidCatch(failure) {
    console.error(failure);
    this.setState({ failed: true });
  }

  render({ children, what }, { failed }) {
    return failed ? html`<p class="problem" role="alert">This ${what} cannot be shown.</p>` : children;
  }
}

/** Data of a page in each of its states: loading, failed, stale, there. */
export function View({ load, children, rows = 6, what }) {
  const { data, error, at, loading, reload } = load;
  if (data === null) {
    return error && !loading
      ? html`<${Problem} error=${error} onRetry=${reload} what=${what} />`
      : html`<div class="skeleton" role="status"><span class="sr">Loading…</span>${Array.from({ length: rows }, (_, i) => html`<i key=${i}></i>`)}</div>`;
  }
  return html`<div aria-busy=${loading ? 'true' : 'false'}>
    ${error &&
    html`<div class="stale" role="alert">
      <p>Could not be read again: ${error.message} This is what it was ${distance(new Date(at).toISOString())}.</p>
      <button type="button" onClick=${reload}>Try again</button>
    </div>`}
    ${children(data)}
  </div>`;
}

/** How old the data of a page is. */
export function Freshness({ load, live = false }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  if (!load.at) return null;
  const old = Boolean(load.error);
  return html`<span class=${`freshness${old ? ' old' : live ? ' live' : ''}`}>${old ? 'Stale' : live ? 'Live' : 'Updated'} · ${distance(new Date(load.at).toISOString())}</span>`;
}

export function Field({ label, hint, children, wide, second }) {
  // The label is around the control, which therefore needs no id.
  return html`<label class=${`field${wide ? ' wide' : ''}${second ? ' second' : ''}`}><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;
}

/** Row of fields. On narrow screens those of the class second are shown when asked for, or when one of them is set. */
export function Filters({ label, open = false, children }) {
  const [all, setAll] = useState(open);
  return html`<form class=${`filters${all || open ? '' : ' few'}`} role="search" aria-label=${label} onSubmit=${(event) => event.preventDefault()}>
    ${children}
    ${!open && html`<button type="button" class="more" aria-expanded=${all ? 'true' : 'false'} onClick=${() => setAll(!all)}>${all ? 'Fewer filters' : 'More filters'}</button>`}
  </form>`;
}

export const Select = ({ value, options, onChange, ...rest }) =>
  html`<select value=${value} onChange=${(event) => onChange(event.currentTarget.value)} ...${rest}>
    ${options.map(([name, text]) => html`<option key=${name} value=${name} selected=${name === value}>${text}</option>`)}
  </select>`;

/** Input whose text changes with its value and not with each drawing of the page, so that nothing typed is lost. */
export function Input({ value, ...rest }) {
  const input = useRef(null);
  useLayoutEffect(() => {
    input.current.value = value ?? '';
  }, [value]);
  return html`<input ref=${input} ...${rest} />`;
}

/** Text that is taken over when it is complete: on Enter and on leaving. */
export const TextInput = ({ value, onChange, list, ...rest }) => {
  const id = useId();
  return html`<${Input} value=${value} list=${list ? id : undefined} spellcheck="false" autocomplete="off"
      onChange=${(event) => onChange(event.currentTarget.value.trim())} ...${rest} />
    ${list && html`<datalist id=${id}>${list.map((entry) => html`<option key=${entry} value=${entry}></option>`)}</datalist>`}`;
};

/** Dialogue over the page, which keeps the focus in it and gives it back. */
export function Dialog({ title, onClose, children, danger = false, closable = true }) {
  const dialog = useRef(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current.showModal();
    return () => opener?.focus?.();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    if (closable) onClose();
  };
  return html`<dialog ref=${dialog} class=${danger ? 'danger' : ''} aria-labelledby=${id} onCancel=${cancel}>
    <h2 id=${id}>${title}</h2>
    ${children}
  </dialog>`;
}

/**
 * Form in a dialogue that does something on the server and says what went wrong there.
 *
 * @param act gives a promise; the dialogue closes when it is kept
 * @param confirm text that has to be typed first
 */
export function ActDialog({ title, verb, act, onClose, danger = false, confirm = '', children }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await act(Object.fromEntries(new FormData(event.target)));
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose} danger=${danger}>
    <form onSubmit=${submit}>
      ${children}
      ${confirm &&
      html`<${Field} label=${html`Type <code>${confirm}</code> to go on`} wide=${true}>
        <input value=${typed} onInput=${(event) => setTyped(event.currentTarget.value)} autocomplete="off" spellcheck="false" />
      <//>`}
      ${error && html`<${Problem} error=${error} />`}
      <div class="dialog-actions">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy || (confirm !== '' && typed !== confirm)}>${busy ? 'One moment…' : verb}</button>
      </div>
    </form>
  <//>`;
}

/** Button that copies a text; where the browser does not allow it, the text is selected. */
export function Copy({ text, label = 'Copy' }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      announce('The browser does not allow copying here: select the text and copy it by hand.', 'failed');
    }
  };
  return html`<button type="button" class="small" onClick=${copy}>${copied ? 'Copied' : label}</button>`;
}

const RANKS = ['viewer', 'operator', 'owner'];

/** Button for those whose role is enough; others see which role it needs. */
export function RoleButton({ me, needs, children, ...rest }) {
  const may = RANKS.indexOf(me.role) >= RANKS.indexOf(needs);
  return html`<button type="button" ...${rest} disabled=${!may || rest.disabled} title=${may ? rest.title : `This needs the role ${needs}.`}>${children}</button>`;
}

/** Part of a whole as a bar; the figures stand beside it. */
export const Meter = ({ value, max, label }) =>
  html`<meter min="0" max=${max} value=${Math.min(value, max)} high=${max * 0.8} low=${max * 0.5} optimum="0" aria-label=${label}></meter>`;
