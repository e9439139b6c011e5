// The secret of a key, which the gateway shows once.
import { html, useRef } from './lib.js';
import { Copy, Dialog } from './ui.js';

export function Secret({ issued, onClose }) {
  const field = useRef(null);
  return html`<${Dialog} title=${`The key ${issued.name}`} onClose=${onClose} closable=${false}>
    <p>Copy it now: the gateway keeps only its hash, and nobody can show it again.</p>
    <p class="secret"><input class="mono" aria-label="Secret of the key" readonly value=${issued.key} ref=${field} onFocus=${() => field.current.select()} /><${Copy} text=${issued.key} /></p>
    <div class="dialog-actions"><button type="button" class="primary" onClick=${onClose}>I have stored it</button></div>
  <//>`;
}
