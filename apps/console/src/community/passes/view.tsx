import { Button, Group, Modal, MultiSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { MemberField } from '../../shared/member-field.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ConfirmDialog, EmptyState, Failure, Loading, Page, Section, State } from '../../shared/ui/index.ts';
import { Holders } from './holders.tsx';
import styles from './passes.module.css';

const list = 'GET /discord/{guildId}/guest-passes';
type Pass = Answer<typeof list>[number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const passes = useOperation(list, { guildId: communityId });
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title="Guest passes"
      lead="Give a member roles for a while, without a wallet. They are removed when the time is over."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={() => setIsMaking(true)}>
          New pass
        </Button>
      }
    >
      {passes.isPending && <Loading what="the passes" />}
      <Failure error={passes.error} onRetry={() => void passes.refetch()} />
      {passes.data?.length === 0 && (
        <EmptyState title="No guest passes yet">
          Create one for speakers, partners or new members, and give it to them.
        </EmptyState>
      )}
      {passes.data?.map((pass) => (
        <PassSection key={pass.id} communityId={communityId} pass={pass} />
      ))}
      <NewPass communityId={communityId} isOpen={isMaking} onClose={() => setIsMaking(false)} />
    </Page>
  );
}

function PassSection({ communityId, pass }: { communityId: string; pass: Pass }) {
  const [isAsking, setIsAsking] = useState(false);
  const { id = '', name = 'Guest pass', description, roleSet = [], period = 0, status } = pass;
  const remove = useAction('DELETE /discord/{guildId}/guest-passes/{passId}', {
    changes: [list],
    onDone: () => setIsAsking(false),
  });
  return (
    <Section
      title={name}
      lead={description}
      actions={
        <>
          {status !== 'active' && <State>Inactive</State>}
          <Button variant="default" size="xs" onClick={() => setIsAsking(true)}>
            Delete
          </Button>
        </>
      }
    >
      <p className={styles.facts}>
        Gives {roleSet.map((role) => role.name ?? 'a role').join(', ')} for {formatPeriod(period)}.
      </p>
      <Holders communityId={communityId} passId={id} />
      {status === 'active' && <GivePass communityId={communityId} passId={id} name={name} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete “${name}”?`}
        yes="Delete pass"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => remove.run({ guildId: communityId, passId: id })}
        onNo={() => setIsAsking(false)}
      >
        Everybody who holds it loses the roles that it gave.
      </ConfirmDialog>
    </Section>
  );
}

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const;

/** A span of time in words: "30 days". */
function formatPeriod(seconds: number): string {
  const [unit, size] =
    units.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['second', 1] as const);
  const amount = Math.round(seconds / size);
  return `${amount.toLocaleString()} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Finds a member by name and gives them the pass. */
function GivePass({ communityId, passId, name }: { communityId: string; passId: string; name: string }) {
  const [userId, setUserId] = useState<string>();
  const give = useAction('PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders'],
    onDone: () => setUserId(undefined),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (userId !== undefined) give.run({ communityId, passId, userId });
  };
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <MemberField
          communityId={communityId}
          label={`Give ${name} to`}
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
        <Button type="submit" variant="default" loading={give.isRunning} disabled={userId === undefined}>
          Give pass
        </Button>
      </Group>
      <Failure error={give.error} />
    </form>
  );
}

const daySeconds = 24 * 60 * 60;

/** Creates a pass. What was typed stays if that fails. */
function NewPass({ communityId, isOpen, onClose }: { communityId: string; isOpen: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [roleIds, setRoleIds] = useState<string[]>([]);
  const [days, setDays] = useState<number | string>(30);
  const roles = useOperation(
    'GET /latchkey/communities/{communityId}/chat-roles',
    { communityId },
    { enabled: isOpen },
  );
  const items = roles.data?.items ?? [];
  const create = useAction('POST /discord/{guildId}/guest-passes', {
    changes: ['GET /discord/{guildId}/guest-passes'],
    onDone: () => {
      setName('');
      setDescription('');
      setRoleIds([]);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const roleSet = items
      .filter(({ id }) => roleIds.includes(id))
      .map(({ id, name: roleName, color }) => ({ id, name: roleName, ...(color !== undefined && { color }) }));
    create.run({
      guildId: communityId,
      body: {
        name: name.trim(),
        roleSet,
        period: Number(days) * daySeconds,
        ...(description.trim() !== '' && { description: description.trim() }),
      },
    });
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="New guest pass">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="What it is for"
            maxLength={2000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <MultiSelect
            label="Roles"
            required
            searchable
            data={items.map(({ id, name: roleName, canBeGiven }) => ({
              value: id,
              label: canBeGiven ? roleName : `${roleName} (the bot cannot give it)`,
              disabled: !canBeGiven,
            }))}
            value={roleIds}
            onChange={setRoleIds}
          />
          <NumberInput label="How many days it lasts" required min={1} max={3650} value={days} onChange={setDays} />
          <Failure error={roles.error} onRetry={() => void roles.refetch()} />
          <Failure error={create.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isRunning}
              disabled={name.trim() === '' || roleIds.length === 0 || !(Number(days) >= 1)}
            >
              Create pass
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
