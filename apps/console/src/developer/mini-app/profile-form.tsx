import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section } from '../../shared/ui/index.ts';
import type { MiniApp } from './types.ts';

export function ProfileForm({ app, miniAppId }: { app: MiniApp; miniAppId: string }) {
  const [name, setName] = useState(app.name);
  const [description, setDescription] = useState(app.description);
  const [url, setUrl] = useState(app.url ?? '');
  const changes = ['GET /latchkey/miniapps/{miniAppId}', 'GET /miniapps/dev-orgs/{organizationId}'] as const;
  const rename = useAction('PATCH /miniapps/{miniAppId}', { changes });
  const save = useAction('PUT /latchkey/miniapps/{miniAppId}/profile', { changes });
  const isFixed = app.status === 'APPROVED' || app.status === 'LISTED';
  const submit = async () => {
    try {
      if (name !== app.name) await rename.runAsync({ miniAppId, body: { name } });
      await save.runAsync({
        miniAppId,
        body: {
          description,
          ...(url.trim() !== '' && { url: url.trim() }),
          ...(app.icon !== undefined && { icon: app.icon }),
        },
      });
    } catch {
      // Shown below.
    }
  };
  return (
    <Section title="Profile">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            required
            maxLength={8000}
            autosize
            minRows={2}
            maxRows={12}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <TextInput
            label="Address"
            description={
              isFixed
                ? 'The operator approved what is at this address. Register a new address as another mini-app.'
                : 'Latchkey calls /metadata, /interactions and /events below it.'
            }
            type="url"
            disabled={isFixed}
            maxLength={2048}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Failure error={rename.error ?? save.error} />
          <Group justify="flex-end">
            {save.answer !== undefined && save.error === null && <span role="status">Saved</span>}
            <Button
              type="submit"
              variant="default"
              loading={rename.isRunning || save.isRunning}
              disabled={name.trim() === '' || description.trim() === ''}
            >
              Save profile
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
