import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Section } from '../../shared/ui/index.ts';

/** Forgets a person for good. The id is typed, so that nobody does it to the wrong one. */
export function Erase({ userId }: { userId: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const [isRefused, setIsRefused] = useState(false);
  const [reason, setReason] = useState('');
  const erase = useAction('POST /latchkey/operator/people/{userId}/erase', {
    changes: [
      'GET /latchkey/operator/people',
      'GET /latchkey/operator/people/{userId}',
      'GET /latchkey/operator/erasures',
    ],
    onDone: () => setIsAsked(false),
  });
  const isTyped = typed.trim() === userId;
  const close = () => {
    setIsAsked(false);
    erase.reset();
  };
  return (
    <Section
      title="Erase this account"
      lead="Deletes everything personal about it, and removes the roles that depend on it."
    >
      {erase.answer === undefined ? (
        <div>
          <Button color="red" variant="light" onClick={() => setIsAsked(true)}>
            Erase account
          </Button>
        </div>
      ) : (
        <EmptyState title={erase.answer.state === 'erased' ? 'Nothing is left of it' : 'It is being erased'}>
          {erase.answer.reason ?? 'The account is erased.'}
        </EmptyState>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        title="Erase this account for good?"
        yes="Erase account"
        isDangerous
        isRunning={erase.isRunning}
        error={erase.error}
        onYes={() => {
          setIsRefused(!isTyped);
          if (isTyped) erase.run({ userId, body: reason.trim() === '' ? {} : { reason: reason.trim() } });
        }}
        onNo={close}
      >
        <Text>This cannot be undone. Type the id to confirm: {userId}</Text>
        <TextInput
          label="Id of the account"
          value={typed}
          error={isRefused && !isTyped ? 'Type the id of this account to erase it.' : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <TextInput
          label="Reason"
          description="For the audit log."
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </ConfirmDialog>
    </Section>
  );
}
