// Tables: on narrow screens the columns of lower rank go, and what is still too wide can be scrolled.
import { Fragment, html, useState } from './lib.js';
import { announce } from './ui.js';
import { save } from './download.js';
import { number } from './format.js';

/** Rows that are shown at once; a browser takes a minute for tens of thousands. */
const MOST_ROWS = 500;

/**
 * Table.
 *
 * @param columns each with label, cell(row), and if wanted: number (right-aligned), rank (2: from 700 px, 3: from 1100 px, 5: from 1550 px, 4: in CSV alone), csv(row)
 * @param link of a row, which is shown around its first cell
 * @param detail of a row, which is shown below it; null: none
 */
export function Table({ caption, columns, rows, rowKey, link, fresh, detail, children }) {
  const [most, setMost] = useState(MOST_ROWS);
  const open = (event, row) => {
    const chosen = window.getSelection()?.toString();
    if (link && !chosen && !event.target.closest('a,button,input,select')) {
      window.location.hash = link(row);
    }
  };
  // What does not fit its cell is cut, and is read in whole where one points at it.
  const whole = (event) => {
    const cell = event.target.closest('.cut, td');
    if (cell) cell.title = cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight ? cell.innerText : '';
  };
  return html`<div class="table" role="region" aria-label=${caption} tabindex="0">
    <table onMouseOver=${whole}>
      <caption class="sr">${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th key=${column.label} scope="col" class=${classOf(column)}>${column.label}</th>`)}</tr></thead>
      <tbody>
        ${rows.slice(0, most).map(
          (row, index) => html`<${Fragment} key=${rowKey ? rowKey(row) : index}><tr class=${`${link ? 'linked' : ''}${fresh?.(row) ? ' fresh' : ''}`} onClick=${(event) => open(event, row)}>
            ${columns.map((column, at) => html`<td key=${column.label} class=${classOf(column)}>${cut(column, at === 0 && link ? html`<a href=${link(row)}>${column.cell(row)}</a>` : column.cell(row))}</td>`)}
          </tr>${detail?.(row) && html`<tr><td class="detail" colspan=${columns.length}>${detail(row)}</td></tr>`}<//>`,
        )}
      </tbody>
      ${children}
    </table>
  </div>
  ${rows.length > most &&
  html`<p class="table-foot"><span class="note">${number(most)} of ${number(rows.length)} rows</span><button type="button" onClick=${() => setMost(most + MOST_ROWS)}>Show more</button></p>`}`;
}

const cut = (column, content) => (column.grow ? html`<div class="cut">${content}</div>` : content);

const classOf = (column) => [column.number && 'number', column.rank && `rank${column.rank}`, column.grow && 'grow'].filter(Boolean).join(' ');

/** Saves the rows that are shown, where the server has no CSV of its own. */
export function CsvButton({ name, columns, rows }) {
  const write = () => {
    const used = columns.filter((column) => column.csv);
    const lines = [used.map((column) => column.label), ...rows.map((row) => used.map((column) => column.csv(row)))];
    save(new Blob([lines.map((line) => line.map(csvCell).join(',')).join('\r\n'), '\r\n'], { type: 'text/csv' }), `${name}.csv`);
    announce(`${rows.length} rows saved.`);
  };
  return html`<button type="button" class="small" onClick=${write} disabled=${rows.length === 0}>CSV</button>`;
}

/** As CsvText of the server: what a spreadsheet would take for a formula, also behind a separator, begins with an apostrophe. */
export function csvCell(value) {
  const text = String(value ?? '');
  if (/^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return text;
  const harmless = text.replace(/(^|[,;\t\r\n])([" ]*)(?=[=+\-@＝＋－＠])/g, "$1'$2").replace(/^(?=[,;\t\r\n])/, "'");
  return harmless !== text || /[",;\t\r\n]/.test(text) ? `"${harmless.replaceAll('"', '""')}"` : text;
}
