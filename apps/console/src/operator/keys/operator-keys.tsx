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
import { t } from '../messages/index.ts';

type Key = Answer<'GET /latchkey/operator/admin-keys'>[number];
const list = 'GET /latchkey/operator/admin-keys' as const;
const tones = { active: 'good', expired: 'plain', revoked: 'plain' } as const;

/** Keys with full access. */
export function OperatorKeys() {
  const [isCreating, setIsCreating] = useState(false);
  const keys = useOperation(list, {});
  return (
    <Section
      title={t('operatorKeys.title')}
      lead={t('operatorKeys.lead')}
      actions={<Button onClick={() => setIsCreating(true)}>{t('operatorKeys.create')}</Button>}
    >
      <QueryList read={keys} loading={t('operatorKeys.loading')} keyOf={({ id }) => id}>
        {(key) => <KeyRow item={key} />}
      </QueryList>
      {isCreating && <CreateKey onClose={() => setIsCreating(false)} />}
    </Section>
  );
}

function KeyRow({ item }: { item: Key }) {
  const revoke = useAction('DELETE /latchkey/operator/admin-keys/{id}', {
    done: t('operatorKeys.revokeDone'),
    changes: [list],
  });
  const { id, name, state, isOwn, createdTime, expiresTime, revokedTime, allowedIpAddresses } = item;
  return (
    <Row
      title={name}
      states={
        <>
          <State tone={tones[state]}>{t(`operatorKeys.${state}`)}</State>
          {isOwn && <State>{t('operatorKeys.own')}</State>}
          {state === 'active' && expiresTime === undefined && (
            <State tone="warn">{t('operatorKeys.neverExpires')}</State>
          )}
        </>
      }
      note={
        <>
          {t.rich('operatorKeys.createdAt', { time: <Time key="time" at={createdTime} /> })}
          {expiresTime !== undefined && (
            <>, {t.rich('operatorKeys.expiresAt', { time: <Time key="time" at={expiresTime} /> })}</>
          )}
          {revokedTime !== undefined && (
            <>, {t.rich('operatorKeys.revokedAt', { time: <Time key="time" at={revokedTime} /> })}</>
          )}
          {allowedIpAddresses.length > 0 &&
            `, ${t('operatorKeys.onlyFrom', { addresses: t.list(allowedIpAddresses) })}`}
        </>
      }
      actions={
        state === 'active' && (
          <ConfirmButton
            label={t('operatorKeys.revoke')}
            look={{ size: 'compact-sm', 'aria-label': t('operatorKeys.revokeNamed', { name }) }}
            title={t('operatorKeys.revokeTitle', { name })}
            yes={t('operatorKeys.revokeYes')}
            isDangerous
            action={revoke}
            onYes={() => revoke.runAsync({ id })}
          >
            <Stack gap="xs">
              <Text>{t('operatorKeys.revokeLead')}</Text>
              {isOwn && <Text c="red">{t('operatorKeys.revokeOwn')}</Text>}
            </Stack>
          </ConfirmButton>
        )
      }
    />
  );
}

const dayMs = 24 * 60 * 60 * 1000;
const lifetimes = [1, 30, 90, 365];

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
    <Dialog title={t('operatorKeys.createTitle')} onClose={onClose}>
      {create.answer === undefined ? (
        <Form submit={t('operatorKeys.createYes')} canSubmit={name !== ''} action={create} onSubmit={send}>
          <TextInput
            label={t('common.name')}
            description={t('operatorKeys.nameHint')}
            required
            maxLength={100}
            {...form.text('name')}
          />
          <Select
            label={t('operatorKeys.expires')}
            data={[
              ...lifetimes.map((count) => ({ value: String(count), label: t('operatorKeys.after', { days: count }) })),
              { value: '', label: t('operatorKeys.never') },
            ]}
            allowDeselect={false}
            {...form.choice('days')}
          />
          {days === '' && (
            <Text size="sm" c="red">
              {t('operatorKeys.neverWarning')}
            </Text>
          )}
          <Textarea
            label={t('operatorKeys.addresses')}
            description={t('operatorKeys.addressesHint')}
            autosize
            {...form.text('allowedIpAddresses')}
          />
          <TextInput
            label={t('common.reason')}
            description={t('common.forAuditLog')}
            maxLength={500}
            {...form.text('reason')}
          />
        </Form>
      ) : (
        <>
          <Text>{t('operatorKeys.copyNow')}</Text>
          <CopyText text={create.answer.key} what={t('operatorKeys.key')} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('operatorKeys.kept')}</Button>
          </Group>
        </>
      )}
    </Dialog>
  );
}
