// Asks for an admin token. Where a proxy or the browser does the login, this is seen only once that has ended.
import { html, useEffect, useState } from './lib.js';
import { get, login } from './api.js';
import { Field } from './ui.js';

const NOT_GOOD = 'This token is unknown, revoked or expired.';

export function Login({ hasEnded, onEnter }) {
  const [error, setError] = useState(hasEnded ? NOT_GOOD : '');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Log in · Memory Gateway';
  }, []);
  const submit = async (event) => {
    event.preventDefault();
    const token = new FormData(event.target).get('token').trim();
    setBusy(true);
    setError('');
    login.keep(token);
    try {
      await get('me');
      await onEnter();
    } catch (failure) {
      login.forget();
      setError(failure.status === 401 ? NOT_GOOD : failure.message);
      setBusy(false);
    }
  };
  return html`<main class="alone">
    <form class="panel login" onSubmit=${submit}>
      <img src="console/icon.svg" alt="" width="40" height="40" />
      <h1>Memory Gateway</h1>
      <${Field} label="Admin token" wide=${true}>
        <input name="token" type="password" required autocomplete="off" spellcheck="false" placeholder="msa_…" autofocus />
      <//>
      ${error && html`<p class="problem" role="alert">${error}</p>`}
      <button type="submit" class="primary" disabled=${busy}>${busy ? 'One moment…' : 'Log in'}</button>
      <p class="note">An owner issues tokens: <code>memory-gateway admin-token issue --name ada --role operator</code>. It is kept in this tab until you log out or close it.</p>
      <p class="note">Behind a proxy with a login of its own, <a href=".">load the page again</a>.</p>
    </form>
  </main>`;
}
