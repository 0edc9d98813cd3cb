import { VisuallyHidden } from '@mantine/core';
import { formatDay } from '../words.ts';
import styles from './charts.module.css';
import { t } from './messages/index.ts';

/** The canvas of every chart; it is stretched to the available width. */
const board = { width: 640, height: 180, left: 44, right: 8, top: 10, bottom: 22 } as const;

/** Returns a round number above all of these, and the steps up to it. */
function stepsTo(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

/** A day as wide as its label. */
const narrowestSlot = 48;

function xOf(index: number, count: number): number {
  const span = board.width - board.left - board.right;
  return board.left + (count <= 1 ? span / 2 : (index * span) / (count - 1));
}

function yOf(value: number, top: number): number {
  const span = board.height - board.top - board.bottom;
  return board.height - board.bottom - (value / top) * span;
}

const compact = new Intl.NumberFormat(t.locale, { notation: 'compact' });
const shortDay = (date: string) => formatDay(date, true);

/** A value by day. Days without a value leave a gap. */
export function LineChart({
  title,
  dates,
  values,
}: {
  title: string;
  dates: readonly string[];
  values: readonly (number | undefined)[];
}) {
  const known = values.filter((value) => value !== undefined);
  const steps = stepsTo(Math.max(0, ...known));
  const top = steps.at(-1) ?? 1;
  const points = values.map((value, index) =>
    value === undefined
      ? undefined
      : { x: xOf(index, dates.length), y: yOf(value, top), value, date: dates[index] ?? '' },
  );
  return (
    <figure className={styles.chart}>
      <svg viewBox={`0 0 ${board.width} ${board.height}`} aria-hidden="true">
        <Axes dates={dates} steps={steps} />
        {runsOf(points).map((run) => (
          <path key={run[0]?.date} className={styles.line} d={`M${run.map(({ x, y }) => `${x} ${y}`).join('L')}`} />
        ))}
        {points.map((point) =>
          point === undefined ? null : (
            <circle key={point.date} className={styles.dot} cx={point.x} cy={point.y} r={dates.length > 40 ? 2 : 3}>
              <title>{t('chart.value', { day: shortDay(point.date), value: point.value })}</title>
            </circle>
          ),
        )}
      </svg>
      <Stats title={title} dates={dates} series={[{ name: title, values } satisfies Series]} />
    </figure>
  );
}

function runsOf<Point>(points: readonly (Point | undefined)[]): Point[][] {
  const runs: Point[][] = [];
  let open: Point[] | undefined;
  for (const point of points) {
    if (point === undefined) open = undefined;
    else if (open === undefined) {
      open = [point];
      runs.push(open);
    } else open.push(point);
  }
  return runs;
}

interface Bars {
  name: string;
  tone: 'good' | 'bad';
  values: readonly number[];
}

/** A count by day: one or two bars a day. */
export function BarChart({ title, dates, bars }: { title: string; dates: readonly string[]; bars: readonly Bars[] }) {
  const steps = stepsTo(Math.max(0, ...bars.flatMap(({ values }) => values)));
  const top = steps.at(-1) ?? 1;
  const slot = (board.width - board.left - board.right) / Math.max(1, dates.length);
  const width = Math.max(1, Math.min(18, (slot * 0.8) / bars.length));
  const leftOf = (day: number, bar: number) =>
    board.left + slot * (day + 0.5) - (width * bars.length) / 2 + width * bar;
  return (
    <figure className={styles.chart}>
      <svg viewBox={`0 0 ${board.width} ${board.height}`} aria-hidden="true">
        <Axes dates={dates} steps={steps} hasBars />
        {bars.map(({ name, tone, values }, bar) =>
          values.map((value, day) =>
            value === 0 ? null : (
              <rect
                key={`${name} ${dates[day]}`}
                className={styles[tone]}
                x={leftOf(day, bar)}
                y={yOf(value, top)}
                width={width}
                height={yOf(0, top) - yOf(value, top)}
              >
                <title>{t('chart.namedValue', { day: shortDay(dates[day] ?? ''), name, value })}</title>
              </rect>
            ),
          ),
        )}
      </svg>
      <figcaption className={styles.legend} aria-hidden="true">
        {bars.map(({ name, tone }) => (
          <span key={name}>
            <span className={`${styles.swatch} ${styles[tone]}`} /> {name}
          </span>
        ))}
      </figcaption>
      <Stats title={title} dates={dates} series={bars} />
    </figure>
  );
}

/** The lines and numbers behind a chart. Screen readers get the table instead. */
function Axes({
  dates,
  steps,
  hasBars = false,
}: {
  dates: readonly string[];
  steps: readonly number[];
  /** Bars stand in the middle of their day; the points of a line begin and end at the edges. */
  hasBars?: boolean;
}) {
  const top = steps.at(-1) ?? 1;
  const isInMiddle = (index: number) => (index > 0 && index < dates.length - 1) || dates.length === 1;
  const anchorOf = (index: number) => (isInMiddle(index) ? 'middle' : index === 0 ? 'start' : 'end');
  const slot = (board.width - board.left - board.right) / Math.max(1, dates.length);
  // Narrow slots would move the first and the last day out of the picture.
  const isSlotted = hasBars && slot >= narrowestSlot;
  const shown = [0, Math.floor((dates.length - 1) / 2), dates.length - 1];
  return (
    <g>
      {steps.map((step) => (
        <g key={step}>
          <line
            className={styles.grid}
            x1={board.left}
            x2={board.width - board.right}
            y1={yOf(step, top)}
            y2={yOf(step, top)}
          />
          <text className={styles.label} x={board.left - 6} y={yOf(step, top) + 4} textAnchor="end">
            {compact.format(step)}
          </text>
        </g>
      ))}
      {[...new Set(shown)].map((index) => (
        <text
          key={index}
          className={styles.label}
          x={isSlotted ? board.left + slot * (index + 0.5) : xOf(index, dates.length)}
          y={board.height - 5}
          textAnchor={isSlotted ? 'middle' : anchorOf(index)}
        >
          {shortDay(dates[index] ?? '')}
        </text>
      ))}
    </g>
  );
}

interface Series {
  name: string;
  /** One value for each day; undefined for days without one. */
  values: readonly (number | undefined)[];
}

/** The data of a chart as a table, for screen readers. */
function Stats({ title, dates, series }: { title: string; dates: readonly string[]; series: readonly Series[] }) {
  return (
    <VisuallyHidden>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{t('chart.day')}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {dates.map((date, index) => (
            <tr key={date}>
              <th scope="row">{shortDay(date)}</th>
              {series.map(({ name, values }) => {
                const value = values[index];
                return <td key={name}>{value === undefined ? t('chart.notCounted') : t.number(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
