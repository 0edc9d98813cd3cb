import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import styles from './change-set.module.css';
import { shortened, waitingInWords, waitingOf } from './title.ts';
import { UndoDialog } from './undo-dialog.tsx';

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
type Details = Answer<`GET ${typeof path}`>;

const changes = [
  'GET /latchkey/communities/{communityId}/change-sets',
  `GET ${path}`,
  'GET /latchkey/account/waiting',
] as const;
const withRules = [...changes, 'GET /latchkey/communities/{communityId}/rules'] as const;

const undoable: readonly Details['changeSet']['status'][] = ['approved', 'applying', 'done', 'failed'];

/** What can be decided about a change set in its state: each is confirmed, and says what will happen. */
export function Decide({ communityId, details }: { communityId: string; details: Details }) {
  const { changeSet, approvals } = details;
  const named = { communityId, changeSetId: changeSet.id };
  const { accountId } = useSession();
  const [asked, setAsked] = useState<keyof typeof choices>();
  const [isUndoing, setIsUndoing] = useState(false);
  const choices = useChoices(details);
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const { grants, removals } = waitingOf(details.shares);
  const isOpen = ['held', 'previewed'].includes(changeSet.status);
  const isApprovedByMe = approvals.some(({ userId }) => userId === accountId);
  const canRestore = changeSet.status === 'held' && details.rules.some((rule) => rule.canRestore);
  const offered = [
    ...(isOpen || changeSet.status === 'failed' ? (['reject'] as const) : []),
    ...(canRestore ? (['rejectAndRestore'] as const) : []),
    ...(isOpen && grants > 0 && removals > 0 ? (['approveGrants'] as const) : []),
  ];
  const choice = asked && choices[asked];
  return (
    <>
      {offered.map((which) => (
        <Button key={which} variant="default" onClick={() => ask(which)}>
          {choices[which].label}
        </Button>
      ))}
      {isOpen && (
        <Button disabled={isApprovedByMe} onClick={() => ask('approve')}>
          {isApprovedByMe ? 'You approved this' : choices.approve.label}
        </Button>
      )}
      {changeSet.status === 'failed' && <Button onClick={() => ask('retry')}>{choices.retry.label}</Button>}
      {undoable.includes(changeSet.status) && (
        <Button variant="default" onClick={() => setIsUndoing(true)}>
          Undo
        </Button>
      )}
      {choice !== undefined && (
        <ConfirmDialog {...choice} onYes={() => choice.action.runAsync(named)} onClose={() => setAsked(undefined)}>
          {choice.text}
        </ConfirmDialog>
      )}
      {isUndoing && <UndoDialog {...named} changes={changes} onClose={() => setIsUndoing(false)} />}
    </>
  );
}

/** Each says what happens, and how to take it back. */
function useChoices(details: Details) {
  const { changeSet, shares, approvals, approvers } = details;
  const approve = useAction(`POST ${path}/approve`, { changes });
  const approveGrants = useAction(`POST ${path}/approve-grants`, { changes });
  const reject = useAction(`POST ${path}/reject`, { changes });
  const rejectAndRestore = useAction(`POST ${path}/reject-and-restore`, { changes: withRules });
  const retry = useAction(`POST ${path}/retry`, { changes });
  const { grants, removals } = waitingOf(shares);
  const what = waitingInWords(shares);
  const needsAnother = changeSet.status === 'held' && approvers > approvals.length + 1;
  const approveWords = what === '' ? 'Approve' : `Approve ${what}`;
  const grantsWords = `Approve ${counted(grants, 'grant')} only`;
  return {
    approve: {
      action: approve,
      label: approveWords,
      title: 'Approve these changes?',
      yes: approveWords,
      isDangerous: changeSet.revokes > 0,
      text: (
        <>
          <Text size="sm">
            Latchkey writes the changes to the platform as fast as its rate limits allow. You can undo them afterwards.
          </Text>
          {needsAnother && <Text size="sm">Another admin must approve them too before they are applied.</Text>}
        </>
      ),
    },
    approveGrants: {
      action: approveGrants,
      label: grantsWords,
      title: 'Approve only the grants?',
      yes: grantsWords,
      isDangerous: false,
      text: (
        <>
          <ul className={styles.list}>
            <li>{counted(grants, 'role is', 'roles are')} given.</li>
            <li>
              {counted(removals, 'removal is', 'removals are')} rejected. Those members keep their roles, and later
              checks skip these roles for them.
            </li>
          </ul>
          <Text size="sm">
            To take it back, undo the grants, and check those members again. Changing the rule also ends the pause.
          </Text>
          {needsAnother && (
            <Text size="sm">The removals are rejected now. Another admin must approve the grants too.</Text>
          )}
        </>
      ),
    },
    reject: {
      action: reject,
      label: 'Reject',
      title: 'Reject these changes?',
      yes: 'Reject',
      isDangerous: false,
      text: (
        <Text size="sm">
          Members keep the roles they have. Later checks skip these roles for these members until you check them again
          or change the rule.
        </Text>
      ),
    },
    rejectAndRestore: {
      action: rejectAndRestore,
      label: 'Reject and restore the rule',
      title: 'Reject and restore the rule?',
      yes: 'Reject and restore the rule',
      isDangerous: false,
      text: <Restored details={details} />,
    },
    retry: {
      action: retry,
      label: 'Try again',
      title: 'Try the rest again?',
      yes: 'Try again',
      isDangerous: false,
      text: (
        <Text size="sm">Latchkey retries the changes that the platform refused, if the rules still require them.</Text>
      ),
    },
  };
}

function Restored({ details: { rules, shares } }: { details: Details }) {
  const restorable = rules.filter(({ canRestore }) => canRestore);
  const names = restorable.flatMap(({ ruleId, ruleName }) => (ruleName === undefined ? [] : { ruleId, ruleName }));
  const isEdited = restorable.some(({ laterRuleChangeId }) => laterRuleChangeId !== undefined);
  return (
    <>
      <ul className={`${styles.list} ${styles.wraps}`}>
        <li>Rejected: {waitingInWords(shares) || 'all changes'}. Members keep the roles they have.</li>
        <li>
          {restorable.length === 1 ? 'This rule goes' : 'These rules go'} back to the version before
          {names.length === 0 ? '.' : ': '}
          {names.slice(0, 3).map(({ ruleId, ruleName }, index) => (
            <span key={ruleId}>
              {index > 0 && ', '}
              <bdi>{shortened(ruleName)}</bdi>
            </span>
          ))}
        </li>
        <li>Latchkey then checks all members against it.</li>
        {isEdited && <li>It was edited since. Restoring it discards the later edits.</li>}
      </ul>
      <Text size="sm">To take it back, open the rule’s history and bring back the newer version.</Text>
    </>
  );
}
