// Addresses of pages: #/page/part?name=value, so that every view has a link of its own.
import { useEffect, useState } from './lib.js';

/** Segments and parameters of a hash. */
export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decoded);
  return { page: segments[0] ?? '', rest: segments.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Link to a page; parameters that are empty are left out. */
export function href(segments, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(given).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`;
}

export function go(segments, query) {
  window.location.hash = href(segments, query);
}

/** Shows the same page with other parameters; the step before stays reachable. */
export function setQuery(changes) {
  const { page, rest, query } = parse(window.location.hash);
  window.location.hash = href([page, ...rest], { ...query, ...changes });
}

export function useRoute() {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const changed = () => setHash(window.location.hash);
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return parse(hash);
}
