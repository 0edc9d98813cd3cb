import styles from './day-bars.module.css';

interface Day {
  day: string;
  calls: number;
  refused: number;
  failed: number;
}

const height = 96;
const step = 16;

/** Calls by day as bars, with what went wrong in another colour; the same figures are in a table for those who read. */
export function DayBars({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const tall = (count: number) => (count / most) * height;
  return (
    <>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="xMinYMax meet"
        aria-hidden="true"
      >
        {days.map(({ day, calls, refused, failed }, index) => (
          <g key={day}>
            <rect
              className={styles.fine}
              x={index * step + 2}
              width={step - 4}
              y={height - tall(calls)}
              height={tall(calls)}
              rx={2}
            />
            <rect
              className={styles.wrong}
              x={index * step + 2}
              width={step - 4}
              y={height - tall(refused + failed)}
              height={tall(refused + failed)}
              rx={2}
            />
          </g>
        ))}
      </svg>
      <details>
        <summary>Figures</summary>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Calls</th>
              <th scope="col">Refused</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map(({ day, calls, refused, failed }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{calls.toLocaleString()}</td>
                <td>{refused.toLocaleString()}</td>
                <td>{failed.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
