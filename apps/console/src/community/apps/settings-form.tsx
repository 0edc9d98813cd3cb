import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.tsx';
import { Failure } from '../../shared/ui/index.ts';
import styles from './apps.module.css';
import { fromRows, toRows } from './setting-rows.ts';

/** The settings of an app, by name and value. Which there are, the app's own help says. */
export function SettingsForm({
  communityId,
  appId,
  settings,
}: {
  communityId: string;
  appId: string;
  settings: Readonly<Record<string, unknown>>;
}) {
  const [rows, setRows] = useState(() => toRows(settings));
  const save = useAction('PUT /latchkey/communities/{communityId}/apps/{appId}/settings', {
    changes: [
      'GET /latchkey/communities/{communityId}/apps/{appId}',
      'GET /marketplace/communities/{communityId}/apps',
    ],
  });
  const change = (key: number, part: { name?: string; value?: string }) =>
    setRows((before) => before.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const { body, problem } = fromRows(rows);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body !== undefined) save.run({ communityId, appId, body });
  };
  return (
    <section aria-labelledby="app-settings" className={styles.part}>
      <h3 id="app-settings">Settings</h3>
      <p className={styles.note}>The developer’s help says which settings the app knows.</p>
      <form onSubmit={submit} className={styles.part}>
        {rows.map(({ key, name, value }) => (
          <Group key={key} gap="xs" wrap="nowrap" align="end">
            <TextInput
              className={styles.field}
              label="Name"
              maxLength={100}
              value={name}
              onChange={(event) => change(key, { name: event.currentTarget.value })}
            />
            <TextInput
              className={styles.field}
              label="Value"
              maxLength={4000}
              value={value}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
            />
            <ActionIcon
              size="lg"
              variant="subtle"
              color="gray"
              aria-label={`Remove the setting ${name}`}
              onClick={() => setRows((before) => before.filter((row) => row.key !== key))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {problem !== undefined && <p role="alert">{problem}</p>}
        <Failure error={save.error} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden="true" />}
            onClick={() =>
              setRows((before) => [
                ...before,
                { key: Math.max(0, ...before.map(({ key }) => key)) + 1, name: '', value: '', isText: true },
              ])
            }
          >
            Add setting
          </Button>
          <Button type="submit" loading={save.isRunning} disabled={body === undefined}>
            Save settings
          </Button>
        </Group>
      </form>
    </section>
  );
}
