import { Button, Checkbox, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import {
  EmptyState,
  Failure,
  FilterBar,
  Page,
  PagedList,
  Query,
  Row,
  SearchField,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

const counts = 'GET /latchkey/operator/jobs' as const;
const dead = 'GET /latchkey/operator/jobs/dead' as const;

/** The queue, and the permanently failed jobs: why, when, and a button to run them again. */
export function View() {
  useLive('operator');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const queue = useOperation(counts, {});
  const jobs = usePages(dead, name === '' ? {} : { name });
  const retry = useAction('POST /latchkey/operator/jobs/retry', {
    changes: [counts, dead, 'GET /latchkey/operator/health'],
    onDone: () => setChosen(new Set()),
  });
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Page title={t('jobs.title')} lead={t('jobs.lead')}>
      <Stack gap="xl">
        <Query read={queue} loading={t('jobs.loadingQueue')}>
          {({ running, ready, delayed, blocked, dead: given }) => (
            <Stats
              stats={[
                [t('jobs.running'), running],
                [t('jobs.ready'), ready],
                [t('jobs.delayed'), delayed],
                [t('jobs.blocked'), blocked],
                [t('jobs.dead'), given],
              ]}
            />
          )}
        </Query>
        <Section
          title={t('jobs.failed')}
          lead={t('jobs.failedLead')}
          actions={
            chosen.size > 0 && (
              <Button loading={retry.isRunning} onClick={() => retry.run({ body: { ids: [...chosen].slice(0, 100) } })}>
                {t('jobs.retryChosen', { count: chosen.size })}
              </Button>
            )
          }
        >
          <Stack gap="md">
            <FilterBar>
              <SearchField label={t('jobs.search')} value={name} onSearch={setName} />
              {name !== '' && jobs.items.length > 0 && (
                <Button variant="default" loading={retry.isRunning} onClick={() => retry.run({ body: { name } })}>
                  {t('jobs.retryKind')}
                </Button>
              )}
            </FilterBar>
            <Failure error={retry.error} />
            <PagedList
              pages={jobs}
              loading={t('jobs.loading')}
              more={t('jobs.more')}
              keyOf={({ id }) => id}
              empty={
                name === '' ? (
                  <EmptyState title={t('jobs.emptyTitle')}>{t('jobs.empty')}</EmptyState>
                ) : (
                  <EmptyState title={t('jobs.noneTitle')}>{t('jobs.none')}</EmptyState>
                )
              }
            >
              {(job) => (
                <Row
                  picture={
                    <Checkbox
                      aria-label={t('jobs.choose', { id: job.id })}
                      checked={chosen.has(job.id)}
                      onChange={() => toggle(job.id)}
                    />
                  }
                  title={job.name}
                  states={<State tone="bad">{t('jobs.attempts', { count: job.attempts })}</State>}
                  note={
                    <>
                      {job.reason}
                      <br />
                      {t.rich('jobs.times', {
                        failed: <Time key="failed" at={job.diedTime} isRelative />,
                        enqueued: <Time key="enqueued" at={job.createdTime} />,
                      })}
                    </>
                  }
                  actions={
                    <Button
                      variant="default"
                      size="compact-sm"
                      disabled={retry.isRunning}
                      onClick={() => retry.run({ body: { ids: [job.id] } })}
                    >
                      {t('jobs.retry')}
                    </Button>
                  }
                />
              )}
            </PagedList>
          </Stack>
        </Section>
      </Stack>
    </Page>
  );
}

/** A few numbers, each with what it counts. */
function Stats({ stats }: { stats: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.stats}>
      {stats.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
