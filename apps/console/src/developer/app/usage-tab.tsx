import { Progress, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, Section, Time } from '../../shared/ui/index.ts';
import { DayBars } from './day-bars.tsx';

export function UsageTab({ appId }: { appId: string }) {
  const { data, error, isLoading, refetch } = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  if (isLoading) return <Loading what="usage" />;
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
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
