import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  CopyText,
  Dialog,
  Form,
  QueryList,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';

type Key = Answer<'GET /latchkey/operator/admin-keys'>[number];
const list = 'GET /latchkey/operator/admin-keys' as const;
const states = { active: ['good', 'Active'], expired: ['plain', 'Expired'], revoked: ['plain', 'Revoked'] } as const;

/** Keys with full access. */
export function OperatorKeys() {
  const [isCreating, setIsCreating] = useState(false);
  const keys = useOperation(list, {});
  return (
    <Section
      title="Operator keys"
      lead="Each key has full access to this server. Create one per person, with an expiry."
      actions={<Button onClick={() => setIsCreating(true)}>Create operator key</Button>}
    >
      <QueryList read={keys} what="keys" keyOf={({ id }) => id}>
        {(key) => <KeyRow item={key} />}
      </QueryList>
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} />}
    </Section>
  );
}

function KeyRow({ item }: { item: Key }) {
  const revoke = useAction('DELETE /latchkey/operator/admin-keys/{id}', { done: 'Key revoked.', changes: [list] });
  const { id, name, state, isOwn, createdTime, expiresTime, revokedTime, allowedIpAddresses } = item;
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
          <ConfirmButton
            label="Revoke"
            look={{ size: 'compact-sm', 'aria-label': `Revoke ${name}` }}
            title={`Revoke the key ${name}?`}
            yes="Revoke key"
            isDangerous
            action={revoke}
            onYes={() => revoke.runAsync({ id })}
          >
            <Stack gap="xs">
              <Text>It stops working at once. This cannot be undone.</Text>
              {isOwn && <Text c="red">You signed in with this key. You will be signed out.</Text>}
            </Stack>
          </ConfirmButton>
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

/** Creates a key with full access, and shows it once. */
function CreateKey({ onClose }: { onClose(): void }) {
  const create = useAction('POST /latchkey/operator/admin-keys', { changes: [list] });
  const form = useForm({ name: '', days: '90', allowedIpAddresses: '', reason: '' }, create.error);
  const { days } = form.values;
  const [name, reason] = [form.values.name.trim(), form.values.reason.trim()];
  const send = () => {
    const allowedIpAddresses = form.values.allowedIpAddresses.split(/[\s,]+/).filter((entry) => entry !== '');
    create.run({
      body: {
        name,
        ...(days !== '' && { expiresTime: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        ...(allowedIpAddresses.length > 0 && { allowedIpAddresses }),
        ...(reason !== '' && { reason }),
      },
    });
  };
  return (
    <Dialog title="Create an operator key" onClose={onClose}>
      {create.answer === undefined ? (
        <Form submit="Create key" canSubmit={name !== ''} action={create} onSubmit={send}>
          <TextInput
            label="Name"
            description="Whose it is. The audit log shows it."
            required
            maxLength={100}
            {...form.text('name')}
          />
          <Select label="Expires" data={ends} allowDeselect={false} {...form.choice('days')} />
          {days === '' && (
            <Text size="sm" c="red">
              A key without an expiry gives full access until you revoke it, also if it leaks.
            </Text>
          )}
          <Textarea
            label="Only from these addresses"
            description="IP addresses or networks such as 192.0.2.0/24. Empty: from anywhere."
            autosize
            {...form.text('allowedIpAddresses')}
          />
          <TextInput label="Reason" description="For the audit log." maxLength={500} {...form.text('reason')} />
        </Form>
      ) : (
        <>
          <Text>Copy this key now. It is shown only once.</Text>
          <CopyText text={create.answer.key} what="operator key" />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have kept it</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}
