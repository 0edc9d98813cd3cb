import { Alert, Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { causeInWords, changesInWords, decisionInWords, statusOf } from '../../shared/change-set-words.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmDialog,
  EmptyState,
  Page,
  PagedList,
  Query,
  Section,
  State,
  Time,
  type Tone,
} from '../../shared/ui/index.ts';
import { MemberChange } from '../../shared/why.tsx';
import { counted } from '../../shared/words.ts';
import styles from './change-set.module.css';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';

export function View() {
  const { communityId, changeSetId } = useScreenParams('communityId', 'changeSetId');
  const found = useOperation(route, { communityId, changeSetId, limit: 1 });
  const changes = usePages(route, { communityId, changeSetId, limit: 50 });
  useLive({ communityId });
  const changeSet = found.data?.changeSet;
  return (
    <Page
      title={changeSet === undefined ? 'Role changes' : changesInWords(changeSet)}
      crumbs={[{ title: 'Role changes', to: `/communities/${encodeURIComponent(communityId)}/role-changes` }]}
      actions={changeSet !== undefined && <Decide communityId={communityId} changeSet={changeSet} />}
    >
      <Query read={found} what="the changes">
        {({ changeSet, shares }) => (
          <>
            <p className={styles.facts}>
              <State tone={statusOf(changeSet)[1]}>{statusOf(changeSet)[0]}</State>
              <span>
                After {causeInWords(changeSet)}, <Time at={changeSet.createdTime} />
              </span>
              {changeSet.decidedBy !== undefined && (
                <span>
                  {decisionInWords(changeSet)}
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
                        {counted(members, 'member')}{' '}
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
                empty={<EmptyState title="Nothing to change">Later checks left nothing of this change set.</EmptyState>}
              >
                {(change) => <Change communityId={communityId} change={change} />}
              </PagedList>
            </Section>
          </>
        )}
      </Query>
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

type ChangeSet = Answer<'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}'>['changeSet'];

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
const changes = [
  'GET /latchkey/communities/{communityId}/change-sets',
  route,
  'GET /latchkey/account/waiting',
] as const;

/** What can be decided about a change set in its state: each is confirmed, and says what will happen. */
function Decide({ communityId, changeSet }: { communityId: string; changeSet: ChangeSet }) {
  const navigate = useNavigate();
  const named = { communityId, changeSetId: changeSet.id };
  const [asked, setAsked] = useState<'approve' | 'reject' | 'undo' | 'retry'>();
  const approve = useAction(`POST ${path}/approve`, { changes });
  const reject = useAction(`POST ${path}/reject`, { changes });
  const retry = useAction(`POST ${path}/retry`, { changes });
  const undo = useAction(`POST ${path}/undo`, {
    changes,
    onDone: ({ id }) =>
      void navigate({
        to: '/communities/$communityId/role-changes/$changeSetId',
        params: { communityId, changeSetId: id },
      }),
  });
  const what = changesInWords(changeSet).toLowerCase();
  const choices = {
    approve: {
      action: approve,
      title: 'Approve these changes?',
      yes: `Approve: ${what}`,
      isDangerous: changeSet.revokes > 0,
    },
    reject: { action: reject, title: 'Reject these changes?', yes: 'Reject', isDangerous: false },
    undo: { action: undo, title: 'Undo these changes?', yes: 'Undo', isDangerous: true },
    retry: { action: retry, title: 'Try the rest again?', yes: 'Try again', isDangerous: false },
  };
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const isOpen = ['held', 'previewed'].includes(changeSet.status);
  const choice = asked && choices[asked];
  return (
    <>
      {(isOpen || changeSet.status === 'failed') && (
        <Button variant="default" onClick={() => ask('reject')}>
          Reject
        </Button>
      )}
      {isOpen && <Button onClick={() => ask('approve')}>Approve</Button>}
      {changeSet.status === 'failed' && <Button onClick={() => ask('retry')}>Try again</Button>}
      {['approved', 'applying', 'done', 'failed'].includes(changeSet.status) && changeSet.cause !== 'undo' && (
        <Button variant="default" onClick={() => ask('undo')}>
          Undo
        </Button>
      )}
      {choice !== undefined && (
        <ConfirmDialog {...choice} onYes={() => choice.action.runAsync(named)} onClose={() => setAsked(undefined)}>
          <Text size="sm">{asked && explanations[asked]}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

const explanations = {
  approve: 'Latchkey writes the changes to the platform, as fast as it allows. You can undo them afterwards.',
  reject:
    'Members keep the roles they have. Latchkey leaves these members alone until you check them again or change the rule.',
  undo: 'Latchkey gives back what it took and takes what it gave. It leaves these members alone until you check them again or change the rule.',
  retry: 'Latchkey tries again what the platform refused, as far as the rules still ask for it.',
} as const;
