// Charts over time. What they show stands in the page as figures as well.
import { html, useEffect, useRef } from './lib.js';
import { uPlot } from './vendor/uplot.js';
import { short } from './format.js';

const DARK = window.matchMedia('(prefers-color-scheme: dark)');
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Chart of bars or lines.
 *
 * @param times seconds since the epoch, ascending
 * @param series each with label, values, colour (a variable of the style), and if wanted: bars, format
 * @param utc whether the times are days in UTC
 */
export function Chart({ label, times, series, height = 180, utc = false }) {
  const box = useRef(null);
  const plot = useRef(null);
  const step = times.length > 1 ? times[1] - times[0] : 60;
  const data = [times, ...series.map((one) => one.values)];
  // Newer figures go into the same chart, so that what somebody points at stays.
  const shape = JSON.stringify([series.map((one) => [one.label, one.colour, one.bars]), height, utc, step]);
  useEffect(() => {
    // Kept, because what watches it may hear of it once more while it goes.
    const element = box.current;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(element.clientWidth, height, series, utc, step), data, element);
    };
    draw();
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    DARK.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      DARK.removeEventListener('change', draw);
      plot.current.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [times, series]);
  return html`<div class="chart" role="img" aria-label=${label} ref=${box}></div>`;
}

function options(width, height, series, utc, step) {
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return {
    width,
    height,
    tzDate: utc ? (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : undefined,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { x: { time: true, range: (_, min, max) => [min - step / 2, max + step / 2] }, y: { range: (_, min, max) => [0, Math.max(max * 1.1, series[0]?.format ? 1e-9 : 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 70, values: timeLabels(utc, step) },
      { ...axis, size: series[0]?.format ? 68 : 48, space: 36, values: (_, splits) => splits.map(series[0]?.format ?? ((value) => (Number.isInteger(value) || value > 10 ? short(value) : ''))) },
    ],
    series: [
      { value: (_, value) => (value === null ? '–' : moment(value, utc, step)) },
      ...series.map((one) => ({
        label: one.label,
        stroke: colour(one.colour),
        fill: one.bars ? colour(one.colour) : undefined,
        width: one.bars ? 0 : 2,
        points: one.bars ? { show: false } : undefined,
        paths: one.bars ? uPlot.paths.bars({ size: [0.75, 40] }) : undefined,
        value: (_, value) => (value === null || value === undefined ? '–' : (one.format ?? short)(value)),
      })),
    ],
  };
}

const zone = (utc) => (utc ? { timeZone: 'UTC' } : {});
const clock = (seconds, utc) => new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone(utc) }).format(seconds * 1000);
const date = (seconds, utc) => new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', ...zone(utc) }).format(seconds * 1000);
const moment = (seconds, utc, step) => (step >= 86_400 ? date(seconds, utc) : `${date(seconds, utc)}, ${clock(seconds, utc)}`);

function timeLabels(utc, step) {
  return (_, splits) => {
    const far = splits.length > 1 && splits[1] - splits[0] >= 43_200;
    return splits.map((value) => (step >= 86_400 || far ? date(value, utc) : clock(value, utc)));
  };
}
