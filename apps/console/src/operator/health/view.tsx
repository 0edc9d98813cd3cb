import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { IconRefresh } from '../../shared/icons.ts';
import { List, Page, Query, Row, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
import { type MessageId, t } from '../messages/index.ts';

type Health = Answer<'GET /latchkey/operator/health'>;
type Check = Health['checks'][number];

const tones: Readonly<Record<Check['state'], Tone>> = {
  ok: 'good',
  attention: 'warn',
  failing: 'bad',
  unknown: 'warn',
};

/** Where to fix a problem, and what the button there says. */
const places = {
  jobs: { to: '/operator/jobs', go: 'health.openJobs' },
  chains: { to: '/operator/chains', go: 'health.openChains' },
  platforms: { to: '/operator/settings', go: 'health.openSettings' },
  mails: { to: '/operator/mails', go: 'health.openMail' },
  settings: { to: '/operator/settings', go: 'health.openSettings' },
  database: undefined,
  processes: undefined,
  data: undefined,
} as const satisfies Readonly<Record<Check['subject'], { to: string; go: MessageId } | undefined>>;

const leads = { ok: 'health.allOk', attention: 'health.allAttention', failing: 'health.allFailing' } as const;

/** The health of the installation: each line with a problem says what to do. */
export function View() {
  useLive('operator');
  const health = useOperation('GET /latchkey/operator/health', {});
  const processes = useOperation('GET /latchkey/operator/processes', {});
  const waiting = useOperation('GET /latchkey/operator/applications', { status: 'PENDING', limit: 1 });
  const refresh = () => void Promise.all([health.refetch(), processes.refetch(), waiting.refetch()]);
  return (
    <Page
      title={t('health.title')}
      lead={health.data === undefined ? undefined : t(leads[health.data.state])}
      actions={
        <Button variant="default" leftSection={<IconRefresh size={16} />} loading={health.isFetching} onClick={refresh}>
          {t('health.checkAgain')}
        </Button>
      }
    >
      <Stack gap="xl">
        {(waiting.data?.items.length ?? 0) > 0 && (
          <List items={['applications']} keyOf={(key) => key}>
            {() => (
              <Row
                title={t('health.applicationsWait')}
                states={<State tone="warn">{t('health.waiting')}</State>}
                actions={
                  <Button component={Link} to="/operator/approvals" size="compact-sm">
                    {t('health.reviewApplications')}
                  </Button>
                }
              />
            )}
          </List>
        )}
        <Query read={health} loading={t('health.loading')}>
          {({ checks, time }) => (
            <Stack gap="xs">
              <List items={checks} keyOf={({ subject }) => subject}>
                {(check) => <CheckRow check={check} />}
              </List>
              <Text size="sm" c="dimmed">
                {t.rich('health.checked', { time: <Time key="time" at={time} isRelative /> })}
              </Text>
            </Stack>
          )}
        </Query>
        <Section title={t('running.title')} lead={t('running.lead')}>
          <Query read={processes} loading={t('running.loading')}>
            {(running) => (
              <List items={running} keyOf={({ id }) => id}>
                {({ kind, hostName, pid, startedTime, seenTime }) => (
                  <Row
                    title={t('running.process', { kind, host: hostName })}
                    states={<State>{t('running.pid', { pid })}</State>}
                    note={t.rich('running.times', {
                      started: <Time key="started" at={startedTime} />,
                      seen: <Time key="seen" at={seenTime} isRelative />,
                    })}
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
  const place = places[subject];
  return (
    <Row
      title={t(`health.${subject}`)}
      states={<State tone={tones[state]}>{t(`health.${state}`)}</State>}
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
        place === undefined || state === 'ok' ? undefined : (
          <Button component={Link} to={place.to} variant="default" size="compact-sm">
            {t(place.go)}
          </Button>
        )
      }
    />
  );
}
