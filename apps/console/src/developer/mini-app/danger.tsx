import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, NewSecrets, Section } from '../../shared/ui/index.ts';
import type { MiniApp } from './types.ts';

/** New keys, and the end. */
export function Danger({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const [asking, setAsking] = useState<'keys' | 'delete'>();
  const navigate = useNavigate();
  const reset = useAction('PATCH /miniapps/{miniAppId}/reset-secret', {
    changes: ['GET /latchkey/miniapps/{miniAppId}'],
    onDone: () => setAsking(undefined),
  });
  const remove = useAction('DELETE /miniapps/{miniAppId}', {
    changes: ['GET /miniapps/dev-orgs/{organizationId}'],
    onDone: () => void navigate({ to: '/developers/mini-apps' }),
  });
  return (
    <Section
      title="Key pair and deletion"
      actions={
        <>
          <Button variant="default" onClick={() => setAsking('keys')}>
            Replace key pair
          </Button>
          <Button color="red" variant="light" onClick={() => setAsking('delete')}>
            Delete mini-app
          </Button>
        </>
      }
    >
      <NewSecrets secrets={[{ what: 'New private key', value: reset.answer?.privateKey }]} />
      <ConfirmDialog
        isOpen={asking === 'keys'}
        title="Replace the key pair?"
        yes="Replace key pair"
        isDangerous
        isRunning={reset.isRunning}
        error={reset.error}
        onYes={() => reset.run({ miniAppId })}
        onNo={() => setAsking(undefined)}
      >
        What is sent from then on is signed with the new one.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'delete'}
        title={`Delete ${app.name}?`}
        yes="Delete mini-app"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => remove.run({ miniAppId })}
        onNo={() => setAsking(undefined)}
      >
        It is taken out of every community that installed it.
      </ConfirmDialog>
    </Section>
  );
}
