import { Alert, Text } from '@mantine/core';
import { type ItemOf, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { causeInWords, changesInWords, decisionInWords, statusOf } from '../../shared/change-set-words.ts';
import { MemberChange } from '../../shared/member-change.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import {
  EmptyState,
  Failure,
  Loading,
  Page,
  PagedList,
  Section,
  State,
  Time,
  type Tone,
} from '../../shared/ui/index.ts';
import styles from './change-set.module.css';
import { Decide } from './decide.tsx';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';

export function View() {
  const { communityId, changeSetId } = useScreenParams('communityId', 'changeSetId');
  const found = useOperation(route, { communityId, changeSetId, limit: 1 });
  const changes = usePages(route, { communityId, changeSetId, limit: 50 });
  useLive({ communityId });
  const { changeSet, shares = [] } = found.data ?? {};
  const decision = changeSet && decisionInWords(changeSet);
  return (
    <Page
      title={changeSet === undefined ? 'Role changes' : changesInWords(changeSet)}
      crumbs={[{ title: 'Role changes', to: `/communities/${encodeURIComponent(communityId)}/role-changes` }]}
      actions={changeSet !== undefined && <Decide communityId={communityId} changeSet={changeSet} />}
    >
      {found.isLoading && <Loading what="the changes" />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {changeSet !== undefined && (
        <>
          <p className={styles.facts}>
            <State tone={statusOf(changeSet)[1]}>{statusOf(changeSet)[0]}</State>
            <span>
              After {causeInWords(changeSet)}, <Time at={changeSet.createdTime} />
            </span>
            {decision !== undefined && (
              <span>
                {decision}
                {changeSet.decidedTime !== undefined && (
                  <>
                    , <Time at={changeSet.decidedTime} />
                  </>
                )}
              </span>
            )}
          </p>
          {changeSet.note !== undefined && (
            <Alert
              color={changeSet.status === 'held' ? 'yellow' : 'gray'}
              title={changeSet.status === 'held' ? 'Why it waits' : 'Note'}
            >
              {changeSet.note}
            </Alert>
          )}
          {changeSet.unknowns > 0 && (
            <Alert color="yellow" title="Some members could not be checked">
              {changeSet.unknowns.toLocaleString()} {changeSet.unknowns === 1 ? 'member keeps' : 'members keep'} their
              roles, because a chain or service did not answer. Latchkey checks them again by itself.
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
              empty={<EmptyState title="Nothing to change">Later checks left nothing to change.</EmptyState>}
            >
              {(change) => <Change communityId={communityId} change={change} />}
            </PagedList>
          </Section>
        </>
      )}
    </Page>
  );
}

type Item = ItemOf<'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}'>;

const states: Readonly<Record<Item['state'], [string, Tone]>> = {
  planned: ['Waits', 'plain'],
  pending: ['Being applied', 'plain'],
  sent: ['Being applied', 'plain'],
  confirmed: ['Done', 'good'],
  failed: ['Refused', 'bad'],
  gone: ['Member left', 'plain'],
  dropped: ['Not needed', 'plain'],
};

/** One role of one member: gained or lost, how far it is, and why. */
function Change({ communityId, change }: { communityId: string; change: Item }) {
  const [word, tone] = states[change.state];
  return (
    <MemberChange
      communityId={communityId}
      change={change}
      verb={change.action === 'grant' ? 'gets' : 'loses'}
      state={<State tone={tone}>{word}</State>}
    >
      {change.error !== undefined && (
        <Text size="sm" c="var(--bad)">
          {change.error}
        </Text>
      )}
    </MemberChange>
  );
}
