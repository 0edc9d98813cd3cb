import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ReadRoute, useAction } from '../../shared/api/index.ts';
import { changesInWords } from '../../shared/change-set-words.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';

type ChangeSet = Answer<'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}'>['changeSet'];

const changes: readonly ReadRoute[] = [
  'GET /latchkey/communities/{communityId}/change-sets',
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}',
  'GET /latchkey/account/waiting',
];

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}';

/** What can be decided about a change set in its state: each is confirmed, and says what will happen. */
export function Decide({ communityId, changeSet }: { communityId: string; changeSet: ChangeSet }) {
  const navigate = useNavigate();
  const named = { communityId, changeSetId: changeSet.id };
  const [asked, setAsked] = useState<'approve' | 'reject' | 'undo' | 'retry'>();
  const done = { changes, onDone: () => setAsked(undefined) };
  const approve = useAction(`POST ${path}/approve`, done);
  const reject = useAction(`POST ${path}/reject`, done);
  const retry = useAction(`POST ${path}/retry`, done);
  const undo = useAction(`POST ${path}/undo`, {
    changes,
    onDone: ({ id }) => {
      setAsked(undefined);
      void navigate({
        to: '/communities/$communityId/role-changes/$changeSetId',
        params: { communityId, changeSetId: id },
      });
    },
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
      <ConfirmDialog
        isOpen={choice !== undefined}
        title={choice?.title ?? ''}
        yes={choice?.yes ?? ''}
        isDangerous={choice?.isDangerous ?? false}
        isRunning={choice?.action.isRunning ?? false}
        error={choice?.action.error}
        onYes={() => choice?.action.run(named)}
        onNo={() => setAsked(undefined)}
      >
        <Text size="sm">{asked && explanations[asked]}</Text>
      </ConfirmDialog>
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
