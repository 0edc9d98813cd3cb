import { Progress, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Query, Section, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './day-bars.module.css';

export function UsageTab({ appId }: { appId: string }) {
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  return (
    <Query read={usage} loading={t('usage.loading')}>
      {(data) => (
        <Stack>
          <Section title={t('usage.perDay')} lead={t('usage.perDayLead')}>
            {data.days.length === 0 ? <EmptyState title={t('usage.none')} /> : <DayBars days={data.days} />}
          </Section>
          <Section title={t('usage.limits')} lead={t('usage.limitsLead', { plan: data.planName })}>
            {data.limits.map(({ limit, durationSeconds, used, resetsAt, scopes }) => (
              <div key={`${scopes.join(' ')} ${durationSeconds}`}>
                <Text size="sm">
                  {t('usage.used', { used, limit, ...windowOf(durationSeconds) })}
                  {!scopes.includes('$all') && ` (${scopes.join(', ')})`}
                  {resetsAt !== undefined && (
                    <>
                      {' · '}
                      {t.rich('usage.resets', { time: <Time key="time" at={resetsAt} isRelative /> })}
                    </>
                  )}
                </Text>
                <Progress
                  aria-label={t('usage.usedOf', { limit, ...windowOf(durationSeconds) })}
                  value={limit === 0 ? 0 : (used / limit) * 100}
                  color={used >= limit ? 'red' : 'green'}
                />
              </div>
            ))}
            <Text size="sm">{t('usage.apps', { apps: data.apps, most: data.maxApps })}</Text>
          </Section>
        </Stack>
      )}
    </Query>
  );
}

const daySeconds = 86_400;
const namedWindows = new Map([
  [1, 'second'],
  [60, 'minute'],
  [3_600, 'hour'],
  [daySeconds, 'day'],
]);

/** The window of a limit as the messages name it: by its name, or by its length in days or seconds. */
function windowOf(seconds: number): { window: string; length: number } {
  if (seconds % daySeconds === 0) return { window: namedWindows.get(seconds) ?? 'days', length: seconds / daySeconds };
  return { window: namedWindows.get(seconds) ?? 'seconds', length: seconds };
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
        <summary>{t('usage.figures')}</summary>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('usage.day')}</th>
              <th scope="col">{t('usage.calls')}</th>
              <th scope="col">{t('usage.refused')}</th>
              <th scope="col">{t('usage.failed')}</th>
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map(({ day, calls, refused, failed }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td>{t.number(calls)}</td>
                <td>{t.number(refused)}</td>
                <td>{t.number(failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
