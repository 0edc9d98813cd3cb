import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, NewSecrets, Section, State, Time } from '../../shared/ui/index.ts';
import { RollDialog } from './roll-dialog.tsx';

export function KeySection({ appId }: { appId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const usage = useOperation('GET /latchkey/client-apps/{id}/usage', { id: appId });
  const changes = ['GET /latchkey/client-apps/{id}/overview', 'GET /client-apps/{id}'] as const;
  const roll = useAction('POST /latchkey/client-apps/{id}/api-key', { changes, onDone: () => setIsAsking(false) });
  const end = useAction('DELETE /latchkey/client-apps/{id}/api-key/old', { changes });
  const keys = overview.data;
  return (
    <Section
      title="API key"
      lead="Send it in the x-api-key header, from a server only."
      actions={
        <Button
          variant="default"
          disabled={keys?.oldKeyEndsAt !== undefined}
          onClick={() => {
            roll.reset();
            setIsAsking(true);
          }}
        >
          Replace key
        </Button>
      }
    >
      <Failure error={overview.error ?? usage.error ?? end.error} />
      <NewSecrets secrets={[{ what: 'New API key', value: roll.answer?.apiKey }]} />
      {keys !== undefined && (
        <Stack gap={4}>
          <Text size="sm">
            Created <Time at={keys.keyCreatedAt} /> ·{' '}
            {usage.data?.keyLastUsedAt === undefined ? (
              'not used yet'
            ) : (
              <>
                last used <Time at={usage.data.keyLastUsedAt} isRelative />
              </>
            )}{' '}
            {usage.data?.isKeyIdle === true && <State tone="warn">Not used for 30 days</State>}
          </Text>
          {keys.oldKeyEndsAt !== undefined && (
            <Text size="sm">
              The key before still works until <Time at={keys.oldKeyEndsAt} />
              {usage.data?.oldKeyLastUsedAt !== undefined && (
                <>
                  ; it was last used <Time at={usage.data.oldKeyLastUsedAt} isRelative />
                </>
              )}
              .{' '}
              <Button
                size="compact-xs"
                variant="light"
                color="red"
                loading={end.isRunning}
                onClick={() => end.run({ id: appId })}
              >
                End it now
              </Button>
            </Text>
          )}
        </Stack>
      )}
      <RollDialog
        isOpen={isAsking}
        title="Replace the API key"
        what="key"
        isRunning={roll.isRunning}
        error={roll.error}
        onNo={() => setIsAsking(false)}
        onYes={(oldKeyEndsInSeconds) => roll.run({ id: appId, body: { oldKeyEndsInSeconds } })}
      />
    </Section>
  );
}
