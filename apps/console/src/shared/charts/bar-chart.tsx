import { Axes } from './axes.tsx';
import styles from './charts.module.css';
import { board, formatDay, formatNumber, stepsTo, yOf } from './scale.ts';
import { Stats } from './stats.tsx';

interface Bars {
  name: string;
  tone: 'good' | 'bad';
  values: readonly number[];
}

/** How often something happened, day by day: one or two bars a day. */
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
        <Axes dates={dates} steps={steps} />
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
                <title>{`${formatDay(dates[day] ?? '')}, ${name}: ${formatNumber(value)}`}</title>
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
