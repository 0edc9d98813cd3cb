import styles from './charts.module.css';
import { board, formatDay, sayShort, xOf, yOf } from './scale.ts';

/** The lines and numbers behind a chart. Screen readers get the table instead. */
export function Axes({ dates, steps }: { dates: readonly string[]; steps: readonly number[] }) {
  const top = steps.at(-1) ?? 1;
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
            {sayShort(step)}
          </text>
        </g>
      ))}
      {[...new Set(shown)].map((index) => (
        <text
          key={index}
          className={styles.label}
          x={xOf(index, dates.length)}
          y={board.height - 5}
          textAnchor={
            index === 0 && dates.length > 1
              ? 'start'
              : index === dates.length - 1 && dates.length > 1
                ? 'end'
                : 'middle'
          }
        >
          {formatDay(dates[index] ?? '')}
        </text>
      ))}
    </g>
  );
}
