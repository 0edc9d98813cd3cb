import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Answer, ask, useAction } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';
import styles from './roles.module.css';

const progressOf = 'GET /latchkey/account/communities/{communityId}/role-check';
const rolesOf = 'GET /latchkey/account/communities/{communityId}/roles';
const pauseMs = 3_000;

type Progress = Answer<typeof progressOf>;

/** Has the person's roles checked, and counts along. */
export function CheckNow({ communityId, name }: { communityId: string; name: string }) {
  const queries = useQueryClient();
  const start = useAction('POST /latchkey/account/communities/{communityId}/role-check');
  const since = start.answer?.since;
  const { data: progress = start.answer } = useQuery({
    queryKey: [progressOf, { communityId, since }],
    queryFn: ({ signal }) => ask(progressOf, { communityId, ...(since !== undefined && { since }) }, signal),
    enabled: since !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined || isInProgress(data) ? pauseMs : false),
  });
  const isRunning = start.isRunning || (progress !== undefined && isInProgress(progress));
  const isOver = since !== undefined && !isRunning;
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: [rolesOf, { communityId }] });
  }, [isOver, queries, communityId]);
  return (
    <div className={styles.check}>
      <Button
        size="compact-sm"
        loading={start.isRunning}
        disabled={isRunning}
        aria-label={`Check now: my roles in ${name}`}
        onClick={() => start.run({ communityId })}
      >
        Check now
      </Button>
      <span role="status" className={styles.progress}>
        {progress === undefined ? '' : progressWords(progress)}
      </span>
      <Failure error={start.error} />
    </div>
  );
}

function isInProgress({ isWaiting, waiting }: Progress): boolean {
  return isWaiting || waiting > 0;
}

function progressWords({ isWaiting, waiting, held, given, taken, failed }: Progress): string {
  if (isWaiting) return 'Checking your wallets …';
  const parts = [
    waiting > 0 && `${countOf(waiting)} on the way`,
    held > 0 && `${countOf(held)} waiting for an admin’s approval`,
    given > 0 && `${countOf(given)} given`,
    taken > 0 && `${countOf(taken)} removed`,
    failed > 0 && `${countOf(failed)} refused by the chat platform`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Checked. Nothing changed.' : `${parts.join(', ')}.`;
}

function countOf(count: number): string {
  return count === 1 ? '1 role' : `${count} roles`;
}
