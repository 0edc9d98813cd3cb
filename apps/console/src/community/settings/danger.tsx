import { Button, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, Section } from '../../shared/ui/index.ts';

/** What cannot be undone. The server wants the person to have signed in just now. */
export function Danger({ communityId, name }: { communityId: string; name: string }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useAction('DELETE /latchkey/communities/{communityId}', {
    changes: ['GET /latchkey/account/communities'],
    onDone: () => void navigate({ to: '/' }),
  });
  const isSure = typed.trim() === 'delete';
  return (
    <Section
      title="Danger zone"
      lead="Deleting a community deletes its rules, members, history and settings here. On the platform nothing changes: everybody keeps the roles they have."
      actions={
        <Button color="red" variant="outline" onClick={() => setIsAsking(true)}>
          Delete community
        </Button>
      }
    >
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        yes="Delete community"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => {
          if (isSure) remove.run({ communityId });
        }}
        onNo={() => setIsAsking(false)}
      >
        <TextInput
          label="Type delete to go on"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={typed !== '' && !isSure ? 'Type the word delete.' : undefined}
        />
      </ConfirmDialog>
    </Section>
  );
}
