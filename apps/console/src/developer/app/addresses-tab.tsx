import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section } from '../../shared/ui/index.ts';
import { fromLines, toLines } from '../lines.ts';
import type { App } from './types.ts';

export function AddressesTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      {app.clientType !== 'apiKey' && <Redirects app={app} appId={appId} />}
      <Origins app={app} appId={appId} />
    </Stack>
  );
}

function Redirects({ app, appId }: { app: App; appId: string }) {
  const [text, setText] = useState(fromLines(app.redirectUris));
  const save = useAction('PUT /latchkey/client-apps/{id}/redirect-uris', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section
      title="Redirect URIs"
      lead="Where a login may return to, one per line. They must match exactly; http is for this machine only."
    >
      <LinesForm
        label="Redirect URIs"
        placeholder="https://app.example/callback"
        text={text}
        onText={setText}
        action={save}
        onSave={() => save.run({ id: appId, body: { redirectUris: toLines(text) } })}
      />
    </Section>
  );
}

function Origins({ app, appId }: { app: App; appId: string }) {
  const [text, setText] = useState(fromLines(app.allowedOrigins));
  const save = useAction('PUT /latchkey/client-apps/{id}/origins', { changes: ['GET /client-apps/{id}'] });
  return (
    <Section
      title="Allowed origins"
      lead="The web pages that may call with this application, one per line. Empty means any page."
    >
      <LinesForm
        label="Allowed origins"
        placeholder="https://app.example"
        text={text}
        onText={setText}
        action={save}
        onSave={() => save.run({ id: appId, body: { allowedOrigins: toLines(text) } })}
      />
    </Section>
  );
}

function LinesForm({
  label,
  placeholder,
  text,
  onText,
  action,
  onSave,
}: {
  label: string;
  placeholder: string;
  text: string;
  onText(text: string): void;
  action: { isRunning: boolean; error: unknown; answer: unknown };
  onSave(): void;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <Stack>
        <Textarea
          aria-label={label}
          placeholder={placeholder}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
        />
        <Failure error={action.error} />
        <Group justify="flex-end">
          {action.answer !== undefined && action.error === null && <span role="status">Saved</span>}
          <Button type="submit" loading={action.isRunning}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
