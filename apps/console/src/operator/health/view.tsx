import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { IconRefresh } from '../../shared/icons.tsx';
import { List, Page, Query, Row, Section, State, Time, type Tone } from '../../shared/ui/index.ts';

type Health = Answer<'GET /latchkey/operator/health'>;
type Check = Health['checks'][number];

const tones: Readonly<Record<Check['state'], readonly [Tone, string]>> = {
  ok: ['good', 'OK'],
  attention: ['warn', 'Needs attention'],
  failing: ['bad', 'Failing'],
  unknown: ['warn', 'Unknown'],
};

const subjects: Readonly<Record<Check['subject'], { title: string; to?: string; go?: string }>> = {
  database: { title: 'Database' },
  processes: { title: 'Processes' },
  jobs: { title: 'Background jobs', to: '/operator/jobs', go: 'Open jobs' },
  chains: { title: 'Chains', to: '/operator/chains', go: 'Open chains' },
  platforms: { title: 'Chat platforms', to: '/operator/settings', go: 'Open settings' },
  data: { title: 'Data from outside' },
  mails: { title: 'Mail', to: '/operator/mails', go: 'Open mail' },
  settings: { title: 'Settings', to: '/operator/settings', go: 'Open settings' },
};

const whole: Readonly<Record<Health['state'], string>> = {
  ok: 'Everything works.',
  attention: 'Everything works, but something needs your attention.',
  failing: 'Something is failing. Start with the red lines.',
};

/** The health of the installation: each line with a problem says what to do. */
export function View() {
  useLive('operator');
  const health = useOperation('GET /latchkey/operator/health', {});
  const processes = useOperation('GET /latchkey/operator/processes', {});
  const waiting = useOperation('GET /latchkey/operator/applications', { status: 'PENDING', limit: 1 });
  const refresh = () => void Promise.all([health.refetch(), processes.refetch(), waiting.refetch()]);
  return (
    <Page
      title="Health"
      lead={health.data === undefined ? undefined : whole[health.data.state]}
      actions={
        <Button variant="default" leftSection={<IconRefresh size={16} />} loading={health.isFetching} onClick={refresh}>
          Check again
        </Button>
      }
    >
      <Stack gap="xl">
        {(waiting.data?.items.length ?? 0) > 0 && (
          <List items={['applications']} keyOf={(key) => key}>
            {() => (
              <Row
                title="Applications wait for your approval"
                states={<State tone="warn">Waiting</State>}
                actions={
                  <Button component={Link} to="/operator/approvals" size="compact-sm">
                    Review applications
                  </Button>
                }
              />
            )}
          </List>
        )}
        <Query read={health} what="the health">
          {({ checks, time }) => (
            <Stack gap="xs">
              <List items={checks} keyOf={({ subject }) => subject}>
                {(check) => <CheckRow check={check} />}
              </List>
              <Text size="sm" c="dimmed">
                Checked <Time at={time} isRelative />
              </Text>
            </Stack>
          )}
        </Query>
        <Section title="Processes" lead="Servers and workers that reported within the last 15 seconds.">
          <Query read={processes} what="processes">
            {(running) => (
              <List items={running} keyOf={({ id }) => id}>
                {({ kind, hostName, pid, startedTime, seenTime }) => (
                  <Row
                    title={`${kind === 'worker' ? 'Worker' : 'Server'} on ${hostName}`}
                    states={<State>process {pid}</State>}
                    note={
                      <>
                        Started <Time at={startedTime} />, seen <Time at={seenTime} isRelative />
                      </>
                    }
                  />
                )}
              </List>
            )}
          </Query>
        </Section>
      </Stack>
    </Page>
  );
}

function CheckRow({ check: { subject, state, summary, advice } }: { check: Check }) {
  const [tone, word] = tones[state];
  const { title, to, go } = subjects[subject];
  return (
    <Row
      title={title}
      states={<State tone={tone}>{word}</State>}
      note={
        <>
          {summary}
          {advice !== undefined && (
            <>
              <br />
              {advice}
            </>
          )}
        </>
      }
      actions={
        to === undefined || state === 'ok' ? undefined : (
          <Button component={Link} to={to} variant="default" size="compact-sm">
            {go}
          </Button>
        )
      }
    />
  );
}
