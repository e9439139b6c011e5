// Icons, drawn in lines of the colour of the text around them.
import { html } from './lib.js';

const PATHS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  requests: 'M4 6h16M4 12h16M4 18h10',
  usage: 'M5 20V11M12 20V4M19 20v-6',
  keys: 'M14.5 9.5a4.5 4.5 0 1 0-4 4.47L12 15.5V18h2.5v2.5H19V17l-4.7-4.7c.13-.4.2-.8.2-1.3ZM9 9.5h.01',
  threads: 'M4 5h16v11H9l-5 4V5ZM8 9h8M8 12h5',
  providers: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01',
  limits: 'M4 17a8 8 0 1 1 16 0M12 17l4-6',
  audit: 'M6 3h9l4 4v14H6zM9.5 13l2 2 3.5-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
};

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
