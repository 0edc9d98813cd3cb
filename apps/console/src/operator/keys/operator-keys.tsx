import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, CopyText, Failure, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';

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

const dayMs = 24 * 60 * 60 * 1000;
const ends = [
  { value: '1', label: 'After a day' },
  { value: '30', label: 'After 30 days' },
  { value: '90', label: 'After 90 days' },
  { value: '365', label: 'After a year' },
  { value: '', label: 'Never' },
];

/** Makes a key that opens everything, and shows it for the only time. */
function CreateKey({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [addresses, setAddresses] = useState('');
  const [reason, setReason] = useState('');
  const create = useAction('POST /latchkey/operator/admin-keys', { changes: ['GET /latchkey/operator/admin-keys'] });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const allowedIpAddresses = addresses.split(/[\s,]+/).filter((entry) => entry !== '');
    create.run({
      body: {
        name: name.trim(),
        ...(days !== '' && { expiresTime: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        ...(allowedIpAddresses.length > 0 && { allowedIpAddresses }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      },
    });
  };
  return (
    <Modal opened onClose={onClose} title="Create an operator key" data-dialog-open>
      {create.answer === undefined ? (
        <form onSubmit={send}>
          <Stack gap="md">
            <TextInput
              label="Name"
              description="Whose it is. The audit log shows it."
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Select
              label="Expires"
              data={ends}
              value={days}
              allowDeselect={false}
              onChange={(chosen) => setDays(chosen ?? '90')}
            />
            {days === '' && (
              <Text size="sm" c="red">
                A key without an end opens everything for as long as nobody notices that it was lost.
              </Text>
            )}
            <Textarea
              label="Only from these addresses"
              description="IP addresses or networks such as 192.0.2.0/24. Empty: from anywhere."
              value={addresses}
              autosize
              onChange={(event) => setAddresses(event.currentTarget.value)}
            />
            <TextInput
              label="Reason"
              description="For the audit log."
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <Failure error={create.error} />
            <Group justify="flex-end">
              <Button type="submit" loading={create.isRunning} disabled={name.trim() === ''}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Text>Keep this key now. It is shown only this once.</Text>
          <CopyText text={create.answer.key} what="operator key" />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have kept it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
