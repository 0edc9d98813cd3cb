import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, NewSecrets, Section } from '../../shared/ui/index.ts';

/** The secret of the token endpoint. */
export function SecretSection({ appId }: { appId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const rotate = useAction('POST /latchkey/client-apps/{id}/client-secret', {
    changes: ['GET /client-apps/{id}'],
    onDone: () => setIsAsking(false),
  });
  return (
    <Section
      title="Client secret"
      lead="Proves the application when it exchanges a login for tokens. Keep it on your server."
      actions={
        <Button variant="default" onClick={() => setIsAsking(true)}>
          Replace secret
        </Button>
      }
    >
      <NewSecrets secrets={[{ what: 'New client secret', value: rotate.answer?.clientSecret }]} />
      <ConfirmDialog
        isOpen={isAsking}
        title="Replace the client secret?"
        yes="Replace secret"
        isDangerous
        isRunning={rotate.isRunning}
        error={rotate.error}
        onYes={() => rotate.run({ id: appId })}
        onNo={() => setIsAsking(false)}
      >
        The old secret stops working at once. People who are logged in stay logged in.
      </ConfirmDialog>
    </Section>
  );
}
