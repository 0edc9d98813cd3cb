import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, Section } from '../../shared/ui/index.ts';
import styles from './setup.module.css';

const roles = 'GET /latchkey/communities/{communityId}/chat-roles';

/** Picks the role that the first rule gives, or creates one, and goes on to the rule. */
export function FirstRule({ communityId }: { communityId: string }) {
  const list = useOperation(roles, { communityId });
  const [roleId, setRoleId] = useState<string | null>(null);
  const { items = [], canCreate = false } = list.data ?? {};
  const chosen = items.find(({ id }) => id === roleId);
  return (
    <Section title="Your first rule" lead="Choose the role that members get when their wallets hold enough.">
      {list.isPending && <Loading what="the roles" lines={2} />}
      <Failure error={list.error} onRetry={() => void list.refetch()} />
      {list.data !== undefined && (
        <>
          <Select
            label="Role"
            placeholder="Choose a role"
            searchable
            nothingFoundMessage="No role has this in its name"
            data={items.map(({ id, name, canBeGiven }) => ({
              value: id,
              label: canBeGiven ? name : `${name} (the bot cannot give it)`,
              disabled: !canBeGiven,
            }))}
            value={roleId}
            onChange={setRoleId}
            className={styles.field}
          />
          {items.every(({ canBeGiven }) => !canBeGiven) && (
            <Text size="sm" c="dimmed">
              The bot cannot give any of these roles yet. {items[0]?.problem}
            </Text>
          )}
          {canCreate && <NewRole communityId={communityId} onCreated={setRoleId} />}
          <Group>
            <Button
              disabled={chosen === undefined}
              renderRoot={(props) =>
                chosen === undefined ? (
                  <button type="button" {...props} />
                ) : (
                  <Link
                    to="/communities/$communityId/rules/new"
                    params={{ communityId }}
                    search={{ role: chosen.id }}
                    {...props}
                  />
                )
              }
            >
              {chosen === undefined ? 'Write the rule' : `Write the rule for ${shorten(chosen.name)}`}
            </Button>
          </Group>
        </>
      )}
      <Text size="sm">
        Does another bot give your roles today?{' '}
        <Link to="/communities/$communityId/rules/import" params={{ communityId }}>
          Import its rules
        </Link>{' '}
        and compare them before you switch.
      </Text>
    </Section>
  );
}

function NewRole({ communityId, onCreated }: { communityId: string; onCreated(roleId: string): void }) {
  const [name, setName] = useState('');
  const create = useAction('POST /discord/guilds/{guildId}/roles', {
    changes: [roles],
    onDone: ({ id }) => {
      setName('');
      if (id !== undefined) onCreated(id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') create.run({ guildId: communityId, body: { name: name.trim() } });
  };
  return (
    <form onSubmit={submit} className={styles.field}>
      <Group align="end" gap="xs">
        <TextInput
          label="Or create a new role"
          placeholder="Holder"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          className={styles.grow}
        />
        <Button type="submit" variant="default" loading={create.isRunning} disabled={name.trim() === ''}>
          Create role
        </Button>
      </Group>
      <Failure error={create.error} />
    </form>
  );
}

function shorten(name: string): string {
  return name.length <= 30 ? name : `${name.slice(0, 29)}…`;
}
