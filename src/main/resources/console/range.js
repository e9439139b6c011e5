// Time ranges that a page can be about. There always is one: the request log is long.
import { html } from './lib.js';
import { Field, Select } from './ui.js';

const MINUTE = 60_000;
const RANGES = {
  '15m': ['15 minutes', 15 * MINUTE],
  '1h': ['1 hour', 60 * MINUTE],
  '6h': ['6 hours', 360 * MINUTE],
  '24h': ['24 hours', 1440 * MINUTE],
  '7d': ['7 days (UTC)', 7 * 1440 * MINUTE],
  '30d': ['30 days (UTC)', 30 * 1440 * MINUTE],
};

const known = (range, usual) => (Object.hasOwn(RANGES, range ?? '') ? range : usual);

/** Parameters of the API for a range that ends now. Days are whole days in UTC and today, everywhere. */
export function since(range, usual = '1h') {
  const [, length] = RANGES[known(range, usual)];
  const count = length / (1440 * MINUTE);
  return { from: count > 1 ? `${days(count).from}T00:00:00.000Z` : new Date(Date.now() - length).toISOString() };
}

/** The same for a range of days, both included. */
export function days(count) {
  const day = (back) => new Date(Date.now() - back * 1440 * MINUTE).toISOString().slice(0, 10);
  return { from: day(count - 1), to: day(0) };
}

export const RangeField = ({ value, usual = '1h', onChange }) =>
  html`<${Field} label="Last">
    <${Select} value=${known(value, usual)} onChange=${onChange} options=${Object.entries(RANGES).map(([name, [text]]) => [name, text])} />
  <//>`;
