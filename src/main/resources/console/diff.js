// Difference of two texts by lines: the longest common subsequence, within a bound of work.
const MOST_CELLS = 4_000_000;

/**
 * Lines of both texts in order, each with what happened to it: kept, added or removed. Texts that are too
 * large to compare are wholly removed and added.
 */
export function diffLines(before, after) {
  const a = lines(before);
  const b = lines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text) => ({ kind: 'kept', text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

const lines = (text) => (text ? text.replace(/\n$/, '').split('\n') : []);

function middle(a, b) {
  if (a.length * b.length > MOST_CELLS) {
    return [...a.map((text) => ({ kind: 'removed', text })), ...b.map((text) => ({ kind: 'added', text }))];
  }
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const result = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push({ kind: 'kept', text: a[i] });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || longest[(i + 1) * width + j] >= longest[i * width + j + 1])) {
      result.push({ kind: 'removed', text: a[i++] });
    } else {
      result.push({ kind: 'added', text: b[j++] });
    }
  }
  return result;
}
