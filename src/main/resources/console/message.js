// A stored message. Contents come from callers and providers: they are shown as text and never loaded.
import { html, useState } from './lib.js';
import { number } from './format.js';
import { Badge, Boundary, Time } from './ui.js';

// A stored message may have megabytes, or thousands of parts: what is drawn of it is bounded.
const MOST_AT_FIRST = 3000;
const MOST_PARTS = 40;
const MOST_OF_A_PART = 50_000;

export const Message = (props) => html`<${Boundary} what="message"><${Whole} ...${props} /><//>`;

function Whole({ message, matched = [], marked = false }) {
  const [whole, setWhole] = useState(false);
  const all = parts(message.content);
  const shown = whole ? all : all.slice(0, MOST_PARTS);
  return html`<article class=${`message ${message.role}${marked ? ' marked' : ''}`} id=${`message-${message.id}`} aria-label=${`Message of ${message.role}`}>
    <header>
      <b>${message.role}</b>
      ${message.type !== 'text' && html`<${Badge}>${message.type}<//>`}
      ${message.superseded && html`<${Badge} kind="warn" title="It was asked for again, and is no longer part of the conversation.">superseded<//>`}
      ${message.incomplete && html`<${Badge} kind="warn" title="The call broke off.">incomplete<//>`}
      <span class="muted"><${Time} at=${message.createdAt} /></span>
    </header>
    ${shown.map((part, index) => html`<${Part} key=${index} part=${part} matched=${matched} />`)}
    ${shown.length < all.length && html`<button type="button" class="small" onClick=${() => setWhole(true)}>Show all ${number(all.length)} parts</button>`}
  </article>`;
}

const parts = (content) => (Array.isArray(content) ? content : [content]);

function Part({ part, matched }) {
  const [open, setOpen] = useState(false);
  const text = textOf(part);
  if (text !== null) {
    return html`<${Long} text=${text} matched=${matched} />`;
  }
  return html`<details class="part" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${word(part?.type) || 'content'} ${word(part?.name)}</summary>${open && html`<pre tabindex="0">${cut(JSON.stringify(part, null, 2))}</pre>`}</details>`;
}

/** Only texts are drawn: an object in their place would be taken for a part of the page, and written into. */
const word = (value) => (typeof value === 'string' ? value : value && JSON.stringify(value));

const cut = (json) => (json.length > MOST_OF_A_PART ? `${json.slice(0, MOST_OF_A_PART)}\n… ${number(json.length)} characters; an export has all of them` : json);

function textOf(part) {
  if (typeof part === 'string') return part;
  const known = ['text', 'input_text', 'output_text'].includes(part?.type) || (part && !part.type);
  return known && typeof part?.text === 'string' ? part.text : known && typeof part?.content === 'string' ? part.content : null;
}

/** Text whose end is shown when asked for. */
export function Long({ text, matched = [] }) {
  const [whole, setWhole] = useState(false);
  const shown = whole || text.length <= MOST_AT_FIRST ? text : text.slice(0, MOST_AT_FIRST);
  return html`<p class="said">${highlighted(shown, matched)}${shown.length < text.length && '…'}</p>
    ${shown.length < text.length && html`<button type="button" class="small" onClick=${() => setWhole(true)}>Show all ${number(text.length)} characters</button>`}`;
}

function highlighted(text, matched) {
  const words = matched.filter((word) => word.length > 0).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (words.length === 0) return text;
  return text.split(new RegExp(`(${words.join('|')})`, 'giu')).map((piece, index) => (index % 2 === 1 ? html`<mark key=${index}>${piece}</mark>` : piece));
}
