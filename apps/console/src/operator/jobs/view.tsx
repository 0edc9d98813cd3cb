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
import { counted } from '../../shared/words.ts';
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
    <Page title="Jobs" lead="Background work: role checks, writes to chat platforms, webhooks, mails.">
      <Stack gap="xl">
        <Query read={queue} what="the queue">
          {({ running, ready, delayed, blocked, dead: given }) => (
            <Stats
              stats={[
                ['Running', running],
                ['Ready', ready],
                ['Due later', delayed],
                ['Waiting for another', blocked],
                ['Failed', given],
              ]}
            />
          )}
        </Query>
        <Section
          title="Failed jobs"
          lead="Fix the cause first, then retry. Failed jobs aren’t retried automatically."
          actions={
            chosen.size > 0 && (
              <Button loading={retry.isRunning} onClick={() => retry.run({ body: { ids: [...chosen].slice(0, 100) } })}>
                Retry {counted(chosen.size, 'job')}
              </Button>
            )
          }
        >
          <Stack gap="md">
            <FilterBar>
              <SearchField label="Kind of job, for example gating.write" value={name} onSearch={setName} />
              {name !== '' && jobs.items.length > 0 && (
                <Button variant="default" loading={retry.isRunning} onClick={() => retry.run({ body: { name } })}>
                  Retry all of this kind
                </Button>
              )}
            </FilterBar>
            <Failure error={retry.error} />
            <PagedList
              pages={jobs}
              what="jobs"
              keyOf={({ id }) => id}
              empty={
                name === '' ? (
                  <EmptyState title="No failed jobs">Nothing to do here.</EmptyState>
                ) : (
                  <EmptyState title="No failed job of this kind">Search for the whole name of a kind.</EmptyState>
                )
              }
            >
              {(job) => (
                <Row
                  picture={
                    <Checkbox
                      aria-label={`Choose job ${job.id}`}
                      checked={chosen.has(job.id)}
                      onChange={() => toggle(job.id)}
                    />
                  }
                  title={job.name}
                  states={<State tone="bad">{counted(job.attempts, 'attempt')}</State>}
                  note={
                    <>
                      {job.reason}
                      <br />
                      Failed <Time at={job.diedTime} isRelative />, enqueued <Time at={job.createdTime} />
                    </>
                  }
                  actions={
                    <Button
                      variant="default"
                      size="compact-sm"
                      disabled={retry.isRunning}
                      onClick={() => retry.run({ body: { ids: [job.id] } })}
                    >
                      Retry
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
