// Files that the browser saves. They are fetched and not linked, so that a token can go with the request.
import { html, useState } from './lib.js';
import { request } from './api.js';
import { announce } from './ui.js';

const TIME_LIMIT_MS = 10 * 60_000;

/** Hands a file to the browser to be saved. */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Button that fetches a file and saves it. An export is a POST, because it is recorded. */
export function Download({ resource, method = 'GET', query, accept, name, children, disabled = false, title }) {
  const [busy, setBusy] = useState(false);
  const fetchIt = async () => {
    setBusy(true);
    try {
      const response = await request(method, resource, { query, accept, timeLimit: TIME_LIMIT_MS });
      const file = await response.blob();
      save(file, name);
      // The last line of a file that was cut says so.
      const [cut] = (await file.slice(-200).text()).match(/There are more rows[^"]*/) ?? [];
      announce(`${name} was saved. ${cut ?? ''}`.trim());
    } catch (failure) {
      announce(failure.message, 'failed');
    }
    setBusy(false);
  };
  return html`<button type="button" class="small" onClick=${fetchIt} disabled=${disabled || busy} title=${title}>${busy ? 'One moment…' : children}</button>`;
}
