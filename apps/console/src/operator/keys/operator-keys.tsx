import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';
import { CreateKey } from './create-key.tsx';

type Key = Answer<'GET /latchkey/operator/admin-keys'>[number];
const list = 'GET /latchkey/operator/admin-keys' as const;
const states = { active: ['good', 'Active'], expired: ['plain', 'Expired'], revoked: ['plain', 'Revoked'] } as const;

/** Keys that open everything. */
export function OperatorKeys() {
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const keys = useOperation(list, {});
  const revoke = useAction('DELETE /latchkey/operator/admin-keys/{id}', {
    changes: [list],
    onDone: () => setRevoked(undefined),
  });
  return (
    <Section
      title="Operator keys"
      lead="Each opens everything on this server. Give one to each person, with an end."
      actions={<Button onClick={() => setIsCreating(true)}>Create operator key</Button>}
    >
      <Answered read={keys} what="keys">
        {(all) => (
          <Rows items={all} keyOf={({ id }) => id}>
            {(key) => <KeyRow item={key} onRevoke={() => setRevoked(key)} />}
          </Rows>
        )}
      </Answered>
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} />}
      <ConfirmDialog
        isOpen={revoked !== undefined}
        title={`Revoke the key ${revoked?.name ?? ''}?`}
        yes="Revoke key"
        isDangerous
        isRunning={revoke.isRunning}
        error={revoke.error}
        onYes={() => revoked && revoke.run({ id: revoked.id })}
        onNo={() => {
          setRevoked(undefined);
          revoke.reset();
        }}
      >
        <Stack gap="xs">
          <Text>It stops working at once. This cannot be undone.</Text>
          {revoked?.isOwn === true && <Text c="red">You signed in with this key. You will be signed out.</Text>}
        </Stack>
      </ConfirmDialog>
    </Section>
  );
}

function KeyRow({ item, onRevoke }: { item: Key; onRevoke(): void }) {
  const { name, state, isOwn, createdTime, expiresTime, revokedTime, allowedIpAddresses } = item;
  return (
    <Row
      title={name}
      states={
        <>
          <State tone={states[state][0]}>{states[state][1]}</State>
          {isOwn && <State>You</State>}
          {state === 'active' && expiresTime === undefined && <State tone="warn">Never expires</State>}
        </>
      }
      note={
        <>
          Created <Time at={createdTime} />
          {expiresTime !== undefined && (
            <>
              , expires <Time at={expiresTime} />
            </>
          )}
          {revokedTime !== undefined && (
            <>
              , revoked <Time at={revokedTime} />
            </>
          )}
          {allowedIpAddresses.length > 0 && `, only from ${allowedIpAddresses.join(', ')}`}
        </>
      }
      actions={
        state === 'active' && (
          <Button variant="default" size="compact-sm" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )
      }
    />
  );
}
