import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { CopyText, Failure, NewSecrets } from '../../shared/ui/index.ts';
import { ScopePicker } from './scope-picker.tsx';

/** An application that works at once, for development. Its secrets are shown here and never again. */
export function CreateApplication({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [userId, setUserId] = useState('');
  const [redirects, setRedirects] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const create = useAction('POST /latchkey/operator/applications', {
    changes: ['GET /latchkey/operator/applications'],
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const redirectUris = redirects.split(/\s+/).filter((uri) => uri !== '');
    create.run({
      body: {
        name: name.trim(),
        scopes: [...scopes],
        ...(userId.trim() !== '' && { userId: userId.trim() }),
        ...(redirectUris.length > 0 && { redirectUris }),
      },
    });
  };
  const made = create.answer;
  return (
    <Modal opened onClose={onClose} title="Create an application" size="lg" data-dialog-open>
      {made === undefined ? (
        <form onSubmit={send}>
          <Stack gap="md">
            <TextInput
              label="Name"
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label="Owner"
              description="The id of a person, for example DIS#USER#123. Empty: you."
              maxLength={128}
              value={userId}
              onChange={(event) => setUserId(event.currentTarget.value)}
            />
            <Textarea
              label="Where logins return to"
              description="One address per line. Empty: it logs nobody in."
              value={redirects}
              autosize
              minRows={2}
              onChange={(event) => setRedirects(event.currentTarget.value)}
            />
            <ScopePicker label="What it may do" asked={[]} value={scopes} onChange={setScopes} />
            <Failure error={create.error} />
            <Group justify="flex-end">
              <Button type="submit" loading={create.isRunning} disabled={name.trim() === '' || scopes.length === 0}>
                Create approved application
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Text>
            {made.name} is approved. Its client id is <CopyText text={made.id ?? ''} what="client id" />
          </Text>
          <NewSecrets
            secrets={[
              { what: 'API key', value: made.apiKey },
              { what: 'Client secret', value: made.clientSecret },
              { what: 'Webhook secret', value: made.secret },
            ]}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have kept them</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
