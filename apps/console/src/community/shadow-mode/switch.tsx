import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { counted, formatDay, type Shadow, type ShadowMode } from './use-shadow.ts';

/** The ways into shadow mode and out of it: each says what happens, and is confirmed. */
export function Switch({ shadow }: { shadow: Shadow }) {
  const { communityId, found, start, takeOver, undo } = shadow;
  const [asked, setAsked] = useState<keyof typeof explanations>();
  const { isOn = false, takenOverTime, takeOver: inProgress, days = [] } = found.data ?? {};
  const isTakingOver = inProgress?.askedTime !== undefined;
  const choices = {
    start: { action: start, title: 'Start shadow mode?', yes: 'Stop writing roles', isDangerous: false },
    takeOver: { action: takeOver, title: 'Take over from the other bot?', yes: 'Take over', isDangerous: true },
    cancel: { action: undo, title: 'Cancel the take-over?', yes: 'Cancel the take-over', isDangerous: false },
    undo: { action: undo, title: 'Undo the take-over?', yes: 'Put the roles back', isDangerous: true },
  };
  const ask = (which: keyof typeof choices) => {
    choices[which].action.reset();
    setAsked(which);
  };
  const choice = asked && choices[asked];
  const yes = () =>
    choice?.action.runAsync({ communityId }).then(
      () => setAsked(undefined),
      () => undefined,
    );
  return (
    <>
      {isOn && !isTakingOver && <Button onClick={() => ask('takeOver')}>Take over</Button>}
      {isTakingOver && (
        <Button variant="default" onClick={() => ask('cancel')}>
          Cancel the take-over
        </Button>
      )}
      {!isOn && (
        <Button variant={takenOverTime === undefined ? 'filled' : 'default'} onClick={() => ask('start')}>
          Start shadow mode
        </Button>
      )}
      {!isOn && takenOverTime !== undefined && (
        <Button variant="default" onClick={() => ask('undo')}>
          Undo the take-over
        </Button>
      )}
      <ConfirmDialog
        isOpen={choice !== undefined}
        title={choice?.title ?? ''}
        yes={choice?.yes ?? ''}
        isDangerous={choice?.isDangerous ?? false}
        isRunning={choice?.action.isRunning ?? false}
        error={choice?.action.error}
        onYes={() => void yes()}
        onNo={() => setAsked(undefined)}
      >
        {asked === 'takeOver' && <Summary days={days} />}
        <Text size="sm">{asked && explanations[asked]}</Text>
      </ConfirmDialog>
    </>
  );
}

/** What the newest day lets expect; the take-over looks again. */
function Summary({ days: [newest] }: { days: ShadowMode['days'] }) {
  if (newest === undefined) return <Text size="sm">So far no check found a difference between roles and rules.</Text>;
  const { day, grants, revokes, members } = newest;
  return (
    <Text size="sm">
      On {formatDay(day)} the rules would have granted <strong>{counted(grants, 'role', 'roles')}</strong> and removed{' '}
      <strong>{counted(revokes, 'role', 'roles')}</strong>, for {counted(members, 'member', 'members')}.
    </Text>
  );
}

const explanations = {
  start:
    'Latchkey writes no role in this community from then on, and rejects role changes that wait. Roles that members have stay. Rules are still evaluated, so that you see what they would do.',
  takeOver:
    'Stop the other bot first, or both write the same roles. Latchkey checks every member and writes all differences as one change, which you can undo. Members whose holdings cannot be read keep their roles.',
  cancel:
    'Latchkey writes no role, and only compares again. If it has just finished, it puts back the roles it changed.',
  undo: 'Latchkey puts back the roles that the take-over changed, and only compares again. Roles that changed for other reasons since then stay.',
} as const;
