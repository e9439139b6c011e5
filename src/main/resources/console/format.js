// Numbers with units, and times. Times are in the viewer's zone; the UTC time is in the title.
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const DOLLARS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const CENTS = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', minimumFractionDigits: 0, maximumSignificantDigits: 2 });
const DAY_AND_TIME = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const TIME = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const DATE = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', day: 'numeric' });

export const NONE = '–';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

export const number = (value) => (isNumber(value) ? WHOLE.format(value) : NONE);

export const short = (value) => (isNumber(value) ? SHORT.format(value) : NONE);

/** Decimal dollars, less than one with the two digits that count; null where nothing is known. */
export function dollars(text) {
  const value = Number(text ?? NaN);
  return !isNumber(value) ? NONE : (value > 0 && value < 1 ? CENTS : DOLLARS).format(value);
}

export const share = (part, whole) => (whole > 0 ? PERCENT.format(part / whole) : NONE);

/** Number and noun, such as "1 call" and "3 calls". */
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

export function milliseconds(value) {
  if (!isNumber(value)) {
    return NONE;
  }
  if (value < 1000) {
    return `${Math.round(value)} ms`;
  }
  if (value < 60_000) {
    return `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`;
  }
  return `${Math.floor(value / 60_000)} min ${Math.round((value % 60_000) / 1000)} s`;
}

export function seconds(value) {
  if (!isNumber(value)) {
    return NONE;
  }
  for (const [unit, size] of [['d', 86_400], ['h', 3600], ['min', 60]]) {
    if (value >= size && value % size === 0) {
      return `${value / size} ${unit}`;
    }
  }
  return value > 120 ? `${Math.floor(value / 60)} min ${Math.round(value % 60)} s` : `${number(value)} s`;
}

export function bytes(value) {
  if (!isNumber(value)) {
    return NONE;
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

export const dateOf = (iso) => DATE.format(new Date(iso));

/** Day of a report, which is a day in UTC. */
export const day = (text) => new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(`${text}T00:00:00Z`));

/** The day is left out where it is today. */
export function timeOf(iso) {
  const date = new Date(iso);
  return date.toDateString() === new Date().toDateString() ? TIME.format(date) : DAY_AND_TIME.format(date);
}

export const utc = (iso) => `${new Date(iso).toISOString().replace('T', ' ').replace('Z', '')} UTC`;

/** Distance from now, such as "3 min ago" and "in 2 d". */
export function distance(iso, now = Date.now()) {
  const away = (new Date(iso).getTime() - now) / 1000;
  const size = Math.abs(away);
  const [amount, unit] =
    size < 60 ? [size, 's'] : size < 3600 ? [size / 60, 'min'] : size < 86_400 ? [size / 3600, 'h'] : [size / 86_400, 'd'];
  const text = `${Math.floor(amount)} ${unit}`;
  return away > 0 ? `in ${text}` : size < 5 ? 'just now' : `${text} ago`;
}
