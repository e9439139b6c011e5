// What was observed in a thread, and what each revision changed.
import { html, useMemo } from './lib.js';
import { get } from './api.js';
import { setQuery } from './route.js';
import { useLoad } from './load.js';
import { count, number } from './format.js';
import { diffLines } from './diff.js';
import { Badge, Empty, Field, Figure, Panel, Select, Time, View } from './ui.js';

const RECORDS = 20;
const ORIGINS = { initial: 'empty at first', observation: 'observed', reflection: 'condensed' };
/** Unchanged lines around a change that are shown. */
const AROUND = 3;

export function Observations({ resource, query }) {
  const load = useLoad((signal) => get(`${resource}/observations/history`, { limit: RECORDS }, signal), [resource]);
  return html`<${View} load=${load}>
    ${(data) =>
      data.records.length === 0
        ? html`<${Empty} title="Nothing was observed yet">Observations are made when a thread gets long.<//>`
        : html`<${Current} record=${data.records[0]} /><${History} records=${data.records} total=${data.total} query=${query} />`}
  <//>`;
}

function Current({ record }) {
  return html`<dl class="figures">
      <${Figure} label="Observations" value=${number(record.observationTokenCount)} note="tokens" />
      <${Figure} label="Messages observed" value=${number(record.totalTokensObserved)} note="tokens" />
      <${Figure} label="Not observed yet" value=${number(record.pendingMessageTokens)} note="tokens" />
      <${Figure} label="Last observed" value=${html`<${Time} at=${record.lastObservedAt} relative=${true} />`} />
      <${Figure} label="Condensed" value=${count(record.generationCount, 'time')} />
    </dl>
    <${Panel} title="Now" actions=${html`${record.isObserving && html`<${Badge}>observing<//>`}${record.isReflecting && html`<${Badge}>condensing<//>`}`}>
      ${record.activeObservations ? html`<pre class="log" tabindex="0" role="region" aria-label="Observations">${record.activeObservations}</pre>` : html`<${Empty} title="No observations yet" />`}
    <//>`;
}

function History({ records, total, query }) {
  if (records.length < 2) {
    return html`<${Panel} title="History"><${Empty} title="There is one revision only">A new one is made each time the observations are condensed.<//><//>`;
  }
  const index = Math.min(Math.max(0, records.findIndex((record) => record.id === query.revision)), records.length - 2);
  const options = records.slice(0, -1).map((record) => [record.id, `${record.createdAt.slice(0, 16).replace('T', ' ')} UTC, ${ORIGINS[record.originType] ?? record.originType}`]);
  return html`<${Panel} title="History" actions=${html`<${Field} label="Revision"><${Select} value=${records[index].id} options=${options} onChange=${(revision) => setQuery({ revision })} /><//>`}>
    <p class="note">${count(total, 'revision')}${total > records.length ? `, the newest ${records.length} shown` : ''}. What this one changed in the one before:</p>
    <${Diff} before=${records[index + 1].activeObservations} after=${records[index].activeObservations} />
  <//>`;
}

const SIGNS = { added: '+', removed: '−', kept: ' ' };

function Diff({ before, after }) {
  const lines = useMemo(() => folded(diffLines(before ?? '', after ?? '')), [before, after]);
  if (!lines.some((line) => line.kind !== 'kept')) return html`<p class="note">Nothing changed.</p>`;
  return html`<pre class="log diff" tabindex="0" role="region" aria-label="Changed lines">${lines.map(
    (line, index) => html`<span key=${index} class=${line.kind}>${line.kind === 'folded' ? `  … ${count(line.lines, 'line')} unchanged` : html`<span class="sr">${line.kind === 'kept' ? '' : `${line.kind}: `}</span>${SIGNS[line.kind]} ${line.text}`}${'\n'}</span>`,
  )}</pre>`;
}

/** Without the unchanged lines that are far from a change. */
function folded(lines) {
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.kind !== 'kept'));
  const result = [];
  lines.forEach((line, at) => {
    if (near[at]) result.push(line);
    else if (result.at(-1)?.kind === 'folded') result.at(-1).lines++;
    else result.push({ kind: 'folded', lines: 1 });
  });
  return result;
}
