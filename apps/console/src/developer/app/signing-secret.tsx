import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { NewSecrets, Section, Time } from '../../shared/ui/index.ts';
import { RollDialog } from './roll-dialog.tsx';

/** The secret that events are signed with. */
export function SigningSecret({ appId }: { appId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const rotate = useAction('POST /latchkey/client-apps/{id}/webhook-secret', {
    changes: ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'],
    onDone: () => setIsAsking(false),
  });
  return (
    <Section
      title="Webhook secret"
      lead="Check the signature of every request with it, so that nobody else can send you events."
      actions={
        <Button
          variant="default"
          disabled={data?.oldSigningKeyEndsAt !== undefined}
          onClick={() => {
            rotate.reset();
            setIsAsking(true);
          }}
        >
          Replace secret
        </Button>
      }
    >
      <NewSecrets secrets={[{ what: 'New webhook secret', value: rotate.answer?.secret }]} />
      {data?.oldSigningKeyEndsAt !== undefined && (
        <Text size="sm">
          Requests are signed with the secret before as well until <Time at={data.oldSigningKeyEndsAt} />.
        </Text>
      )}
      <RollDialog
        isOpen={isAsking}
        title="Replace the webhook secret"
        what="secret"
        isRunning={rotate.isRunning}
        error={rotate.error}
        onNo={() => setIsAsking(false)}
        onYes={(oldSecretEndsInSeconds) => rotate.run({ id: appId, body: { oldSecretEndsInSeconds } })}
      />
    </Section>
  );
}
