import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { waitingInWords } from './title.ts';
import { UndoDialog } from './undo-dialog.tsx';

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';
type Details = Answer<`GET ${typeof path}`>;

const changes = [
  'GET /latchkey/communities/{communityId}/change-sets',
  `GET ${path}`,
  'GET /latchkey/account/waiting',
] as const;

const undoable: readonly Details['changeSet']['status'][] = ['approved', 'applying', 'done', 'failed'];

/** What can be decided about a change set in its state: each is confirmed, and says what will happen. */
export function Decide({ communityId, details }: { communityId: string; details: Details }) {
  const { changeSet, shares, approvals, approvers } = details;
  const named = { communityId, changeSetId: changeSet.id };
  const { accountId } = useSession();
  const [asked, setAsked] = useState<'approve' | 'reject' | 'retry'>();
  const [isUndoing, setIsUndoing] = useState(false);
  const approve = useAction(`POST ${path}/approve`, { changes });
  const reject = useAction(`POST ${path}/reject`, { changes });
  const retry = useAction(`POST ${path}/retry`, { changes });
  const what = waitingInWords(shares);
  const approveWords = what === '' ? 'Approve' : `Approve ${what}`;
  const choices = {
    approve: {
      action: approve,
      title: 'Approve these changes?',
      yes: approveWords,
      isDangerous: changeSet.revokes > 0,
    },
    reject: { action: reject, title: 'Reject these changes?', yes: 'Reject', isDangerous: false },
    retry: { action: retry, title: 'Try the rest again?', yes: 'Try again', isDangerous: false },
  };
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const isOpen = ['held', 'previewed'].includes(changeSet.status);
  const isApprovedByMe = approvals.some(({ userId }) => userId === accountId);
  const needsAnother = changeSet.status === 'held' && approvers > approvals.length + 1;
  const choice = asked && choices[asked];
  return (
    <>
      {(isOpen || changeSet.status === 'failed') && (
        <Button variant="default" onClick={() => ask('reject')}>
          Reject
        </Button>
      )}
      {isOpen && (
        <Button disabled={isApprovedByMe} onClick={() => ask('approve')}>
          {isApprovedByMe ? 'You approved this' : approveWords}
        </Button>
      )}
      {changeSet.status === 'failed' && <Button onClick={() => ask('retry')}>Try again</Button>}
      {undoable.includes(changeSet.status) && (
        <Button variant="default" onClick={() => setIsUndoing(true)}>
          Undo
        </Button>
      )}
      {choice !== undefined && (
        <ConfirmDialog {...choice} onYes={() => choice.action.runAsync(named)} onClose={() => setAsked(undefined)}>
          <Text size="sm">{asked && explanations[asked]}</Text>
          {asked === 'approve' && needsAnother && (
            <Text size="sm">Another admin must approve them too before they are applied.</Text>
          )}
        </ConfirmDialog>
      )}
      {isUndoing && <UndoDialog {...named} changes={changes} onClose={() => setIsUndoing(false)} />}
    </>
  );
}

const explanations = {
  approve:
    'Latchkey writes the changes to the platform as fast as its rate limits allow. You can undo them afterwards.',
  reject:
    'Members keep the roles they have. Later checks skip these roles for these members until you check them again or change the rule.',
  retry: 'Latchkey retries the changes that the platform refused, if the rules still require them.',
} as const;
