import { Axes } from './axes.tsx';
import styles from './charts.module.css';
import { board, formatDay, formatNumber, stepsTo, xOf, yOf } from './scale.ts';
import { type Series, Stats } from './stats.tsx';

/** How something stood, day by day. Days without a count leave a gap. */
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
              <title>{`${formatDay(point.date)}: ${formatNumber(point.value)}`}</title>
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
