// Data of a page: read, read again while somebody looks, kept while it cannot be read.
import { useEffect, useRef, useState } from './lib.js';

const LONGEST_WAIT_MS = 60_000;
const NOTHING = { data: null, error: null, at: null, loading: true };

/**
 * Reads when it is shown and when `deps` change.
 *
 * @param read gives a promise of the data; is given a signal that aborts it
 * @param every milliseconds between two reads; 0: only once. Longer after failures; none while the page is hidden
 */
export function useLoad(read, deps, { every = 0 } = {}) {
  const [state, setState] = useState(NOTHING);
  const reload = useRef(() => {});
  useEffect(() => {
    let timer = 0;
    let failures = 0;
    let known = false;
    let controller = null;
    const next = () => {
      clearTimeout(timer);
      if (every > 0 && !document.hidden) {
        timer = setTimeout(run, Math.min(every * 2 ** failures, Math.max(every, LONGEST_WAIT_MS)));
      }
    };
    const run = async () => {
      clearTimeout(timer);
      controller?.abort();
      const mine = new AbortController();
      controller = mine;
      setState((before) => ({ ...before, loading: true }));
      try {
        const data = await read(mine.signal);
        if (mine.signal.aborted) return;
        failures = 0;
        known = true;
        setState({ data, error: null, at: Date.now(), loading: false });
      } catch (error) {
        if (mine.signal.aborted) return;
        failures++;
        // What is there with other parameters is no older version of what is refused with these.
        const keep = known || !(error.status >= 400 && error.status < 500 && error.status !== 429);
        setState((before) => ({ ...before, data: keep ? before.data : null, error, loading: false }));
      }
      next();
    };
    const visible = () => (document.hidden ? clearTimeout(timer) : every > 0 && run());
    reload.current = run;
    document.addEventListener('visibilitychange', visible);
    run();
    return () => {
      clearTimeout(timer);
      controller?.abort();
      document.removeEventListener('visibilitychange', visible);
    };
  }, [...deps, every]);
  return { ...state, reload: () => reload.current() };
}
