import { Alert, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Answer, ask } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './role-changes.module.css';

const progress = 'GET /latchkey/communities/{communityId}/role-checks';
const list = 'GET /latchkey/communities/{communityId}/change-sets';
/** Live events ask again earlier. */
const pauseMs = 30_000;

/** Shows how far the check is that follows a change of a rule, and opens the role changes that it leads to. */
export function Following({ communityId, ruleChangeId }: { communityId: string; ruleChangeId: string }) {
  const navigate = useNavigate();
  const read = useQuery({
    queryKey: [`${progress} ${list}`, communityId, ruleChangeId],
    // In this order: when the check is over, the list that is read afterwards has what came of it.
    queryFn: async ({ signal }) => {
      const check = await ask(progress, { communityId }, signal);
      const { items } = await ask(list, { communityId, limit: 100 }, signal);
      return { check, caused: causedBy(items, ruleChangeId) };
    },
    refetchInterval: pauseMs,
  });
  const changeSetId = read.data?.caused;
  useEffect(() => {
    if (changeSetId === undefined) return;
    void navigate({
      to: '/communities/$communityId/role-changes/$changeSetId',
      params: { communityId, changeSetId },
      replace: true,
    });
  }, [navigate, communityId, changeSetId]);
  if (read.error !== null) return <Failure error={read.error} onRetry={() => void read.refetch()} />;
  const { isListing = true, waiting = 0, postponed = 0 } = read.data?.check ?? {};
  const isOver = !isListing && waiting === 0;
  const rest = postponed > 0 && ` ${t('following.postponed', { count: postponed })}`;
  if (isOver && changeSetId === undefined)
    return (
      <Alert color="gray" title={t('following.noneTitle')} role="status">
        {t('following.none')}
        {rest}
      </Alert>
    );
  return (
    <Alert color="gray" title={t('following.title')} role="status" icon={<Loader size="xs" />}>
      <p className={styles.following}>
        {waiting > 0 ? t('following.waiting', { count: waiting }) : t('following.reading')} {t('following.opens')}
        {rest}
      </p>
    </Alert>
  );
}

/** What waits for approval is shown rather than what was applied at once. */
function causedBy(items: Answer<typeof list>['items'], ruleChangeId: string): string | undefined {
  const caused = items.filter(({ cause, ruleChangeIds }) => cause !== 'undo' && ruleChangeIds.includes(ruleChangeId));
  return (caused.find(({ status }) => status === 'held') ?? caused[0])?.id;
}
