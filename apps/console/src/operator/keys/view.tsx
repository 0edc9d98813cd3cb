import { Stack, Text } from '@mantine/core';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, Page, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { OperatorKeys } from './operator-keys.tsx';

export function View() {
  useLive('operator');
  return (
    <Page title="Keys" lead="Operator keys, and the keys that this server signs and encrypts with.">
      <Stack gap="xl">
        <OperatorKeys />
        <SigningKeys />
        <MasterKeys />
      </Stack>
    </Page>
  );
}

/** The master keys of the responding server, by their fingerprints. */
function MasterKeys() {
  const keys = useOperation('GET /latchkey/operator/master-keys', {});
  return (
    <Section
      title="Master keys"
      lead="Secrets in the database are sealed with the current one. To change it, put a new key first in LATCHKEY_MASTER_KEYS, restart, and run: latchkey keys rewrap"
    >
      <QueryList read={keys} what="master keys" keyOf={({ id }) => id}>
        {({ id, fingerprint, state }) => (
          <Row
            title={id}
            states={state === 'current' ? <State tone="good">Current</State> : <State>Opens older secrets</State>}
            note={`Fingerprint ${fingerprint}`}
          />
        )}
      </QueryList>
    </Section>
  );
}

type Key = Answer<'GET /latchkey/operator/signing-keys'>[number];
const list = 'GET /latchkey/operator/signing-keys' as const;

const purposes: Readonly<Record<Key['purpose'], string>> = {
  jwt: 'Tokens',
  'action-ecdsa': 'Calls to mini-apps (ECDSA)',
  'action-ed25519': 'Calls to mini-apps (Ed25519)',
};

/** The signing keys of this server, their phases, and rotation. */
function SigningKeys() {
  const keys = useOperation(list, {});
  const rotate = useAction('POST /latchkey/operator/signing-keys/{purpose}/rotate', {
    done: 'Signing key replaced.',
    changes: [list],
  });
  const wasRotated = (wanted: Key['purpose']) =>
    keys.data?.some(({ purpose, state }) => purpose === wanted && state === 'retired') ?? false;
  return (
    <Section
      title="Signing keys"
      lead="After a rotation the old key stays published for 30 days, so that what it signed can still be verified."
    >
      <QueryList read={keys} what="signing keys" keyOf={({ keyId }) => keyId}>
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
                <ConfirmButton
                  label="Rotate"
                  look={{ size: 'compact-sm', 'aria-label': `Rotate ${purposes[purpose]}` }}
                  title={`Rotate the key for ${purposes[purpose].toLowerCase()}?`}
                  yes="Rotate key"
                  action={rotate}
                  onYes={() => rotate.runAsync({ purpose })}
                >
                  <Text>A new key signs from now on. Programs that keep the public keys must read them again.</Text>
                  {wasRotated(purpose) && (
                    <Text c="red">
                      This key was rotated within the last 30 days. Rotate again only if it may be compromised.
                    </Text>
                  )}
                </ConfirmButton>
              )
            }
          />
        )}
      </QueryList>
    </Section>
  );
}
