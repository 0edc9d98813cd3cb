import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';

type Key = Answer<'GET /latchkey/operator/signing-keys'>[number];
const list = 'GET /latchkey/operator/signing-keys' as const;

const purposes: Readonly<Record<Key['purpose'], string>> = {
  jwt: 'Tokens',
  'action-ecdsa': 'Calls to mini-apps (ECDSA)',
  'action-ed25519': 'Calls to mini-apps (Ed25519)',
};

/** What this server signs with, in which phase each key is, and rotation. */
export function SigningKeys() {
  const [rotated, setRotated] = useState<Key['purpose']>();
  const keys = useOperation(list, {});
  const rotate = useAction('POST /latchkey/operator/signing-keys/{purpose}/rotate', {
    changes: [list],
    onDone: () => setRotated(undefined),
  });
  const wasRotated = keys.data?.some(({ purpose, state }) => purpose === rotated && state === 'retired') ?? false;
  return (
    <Section
      title="Signing keys"
      lead="After a rotation the old key stays published for 30 days, so that what it signed can still be verified."
    >
      <Answered read={keys} what="signing keys">
        {(all) => (
          <Rows items={all} keyOf={({ keyId }) => keyId}>
            {({ keyId, purpose, state, createdTime, retiredTime, deletedTime }) => (
              <Row
                title={purposes[purpose]}
                states={
                  state === 'signing' ? <State tone="good">Signs now</State> : <State>Retired, still published</State>
                }
                note={
                  <>
                    Since <Time at={createdTime} />
                    {retiredTime !== undefined && deletedTime !== undefined && (
                      <>
                        , retired <Time at={retiredTime} />, deleted <Time at={deletedTime} />
                      </>
                    )}
                    <br />
                    {keyId}
                  </>
                }
                actions={
                  state === 'signing' && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={`Rotate ${purposes[purpose]}`}
                      onClick={() => setRotated(purpose)}
                    >
                      Rotate
                    </Button>
                  )
                }
              />
            )}
          </Rows>
        )}
      </Answered>
      <ConfirmDialog
        isOpen={rotated !== undefined}
        title={`Rotate the key for ${rotated === undefined ? '' : purposes[rotated].toLowerCase()}?`}
        yes="Rotate key"
        isRunning={rotate.isRunning}
        error={rotate.error}
        onYes={() => rotated && rotate.run({ purpose: rotated })}
        onNo={() => setRotated(undefined)}
      >
        <Text>A new key signs from now on. Programs that keep the public keys must read them again.</Text>
        {wasRotated && (
          <Text c="red">
            This key was rotated within the last 30 days. Rotate again only if it may be known to others.
          </Text>
        )}
      </ConfirmDialog>
    </Section>
  );
}
