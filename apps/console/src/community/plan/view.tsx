import { Alert } from '@mantine/core';
import { useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { causeInWords, changesInWords, decisionInWords, statusOf } from '../../shared/plan-words.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Failure, Loading, Page, PagedList, Section, State, Time } from '../../shared/ui/index.ts';
import { Change } from './change.tsx';
import { Decide } from './decide.tsx';
import styles from './plan.module.css';

const route = 'GET /latchkey/communities/{communityId}/role-plans/{planId}';

export function View() {
  const { communityId, planId } = useScreenParams('communityId', 'planId');
  const found = useOperation(route, { communityId, planId, limit: 1 });
  const changes = usePages(route, { communityId, planId, limit: 50 });
  useLive({ communityId });
  const { plan, shares = [] } = found.data ?? {};
  const decision = plan && decisionInWords(plan);
  return (
    <Page
      title={plan === undefined ? 'Role changes' : changesInWords(plan)}
      crumbs={[{ title: 'Plans', to: `/communities/${encodeURIComponent(communityId)}/plans` }]}
      actions={plan !== undefined && <Decide communityId={communityId} plan={plan} />}
    >
      {found.isLoading && <Loading what="the changes" />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {plan !== undefined && (
        <>
          <p className={styles.facts}>
            <State tone={statusOf(plan)[1]}>{statusOf(plan)[0]}</State>
            <span>
              After {causeInWords(plan)}, <Time at={plan.createdTime} />
            </span>
            {decision !== undefined && (
              <span>
                {decision}
                {plan.decidedTime !== undefined && (
                  <>
                    , <Time at={plan.decidedTime} />
                  </>
                )}
              </span>
            )}
          </p>
          {plan.note !== undefined && (
            <Alert
              color={plan.status === 'held' ? 'yellow' : 'gray'}
              title={plan.status === 'held' ? 'Why it waits' : 'Note'}
            >
              {plan.note}
            </Alert>
          )}
          {plan.unknowns > 0 && (
            <Alert color="yellow" title="Some members could not be checked">
              {plan.unknowns.toLocaleString()} {plan.unknowns === 1 ? 'member keeps' : 'members keep'} their roles,
              because a chain or service did not answer. Latchkey checks them again by itself.
            </Alert>
          )}
          {shares.length > 0 && (
            <Section title="By role">
              <ul className={styles.shares}>
                {shares.map(({ roleId, roleName, action, members, written }) => (
                  <li key={`${roleId} ${action}`}>
                    <State tone={action === 'grant' ? 'good' : 'bad'}>{action === 'grant' ? 'Gain' : 'Lose'}</State>
                    <span>
                      {members.toLocaleString()} {members === 1 ? 'member' : 'members'}{' '}
                      {action === 'grant' ? (members === 1 ? 'gets' : 'get') : members === 1 ? 'loses' : 'lose'}{' '}
                      <strong>{roleName ?? `role ${roleId}`}</strong>
                    </span>
                    {written > 0 && <span className={styles.done}>{written.toLocaleString()} written</span>}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Members">
            <PagedList
              pages={changes}
              what="changes"
              keyOf={({ userId, roleId }) => `${userId} ${roleId}`}
              empty={<EmptyState title="Nothing to change">Later checks left nothing of this plan.</EmptyState>}
            >
              {(change) => <Change communityId={communityId} change={change} />}
            </PagedList>
          </Section>
        </>
      )}
    </Page>
  );
}
