import { Progress, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Query, Section, Time } from '../../shared/ui/index.ts';
import styles from './day-bars.module.css';

export function UsageTab({ appId }: { appId: string }) {
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  return (
    <Query read={usage} what="usage">
      {(data) => (
        <Stack>
          <Section title="Calls per day" lead="The last 30 days, by UTC day.">
            {data.days.length === 0 ? <EmptyState title="No calls yet" /> : <DayBars days={data.days} />}
          </Section>
          <Section title="Limits" lead={`What the ${data.planName} plan allows.`}>
            {data.limits.map(({ limit, durationSeconds, used, resetsAt, scopes }) => (
              <div key={`${scopes.join(' ')} ${durationSeconds}`}>
                <Text size="sm">
                  {used.toLocaleString()} of {limit.toLocaleString()} calls {formatWindow(durationSeconds)}
                  {!scopes.includes('$all') && ` (${scopes.join(', ')})`}
                  {resetsAt !== undefined && (
                    <>
                      {' '}
                      · resets <Time at={resetsAt} isRelative />
                    </>
                  )}
                </Text>
                <Progress
                  aria-label={`Used of ${limit} calls ${formatWindow(durationSeconds)}`}
                  value={limit === 0 ? 0 : (used / limit) * 100}
                  color={used >= limit ? 'red' : 'green'}
                />
              </div>
            ))}
            <Text size="sm">
              {data.apps} of {data.maxApps} applications
            </Text>
          </Section>
        </Stack>
      )}
    </Query>
  );
}

function formatWindow(seconds: number): string {
  if (seconds === 1) return 'per second';
  if (seconds === 60) return 'per minute';
  if (seconds === 3_600) return 'per hour';
  if (seconds === 86_400) return 'per day';
  if (seconds % 86_400 === 0) return `in ${seconds / 86_400} days`;
  return `in ${seconds.toLocaleString()} seconds`;
}

interface Day {
  day: string;
  calls: number;
  refused: number;
  failed: number;
}

const height = 96;
const step = 16;

/** Calls per day as bars, with failures in another color; the same figures are in a table for screen readers. */
function DayBars({ days }: { days: readonly Day[] }) {
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
