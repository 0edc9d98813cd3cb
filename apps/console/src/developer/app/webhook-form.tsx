import { Alert, Button, Checkbox, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, NewSecrets, Section, State } from '../../shared/ui/index.ts';
import { pretty } from '../pretty.ts';
import { type EventType, eventTypes } from './event-types.ts';
import type { App } from './types.ts';
import styles from './webhooks.module.css';

const choices = Object.entries(eventTypes).map(([value, label]) => ({ value: value as EventType, label }));
const changes = ['GET /client-apps/{id}', 'GET /latchkey/client-apps/{id}/overview'] as const;

/** Where events go, and a way to try that before it is saved. */
export function WebhookForm({ app, appId }: { app: App; appId: string }) {
  const [url, setUrl] = useState(app.webhookUrl ?? '');
  const [events, setEvents] = useState(app.subscribeEvents ?? []);
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const save = useAction('PUT /latchkey/client-apps/{id}/webhook', { changes });
  const remove = useAction('DELETE /latchkey/client-apps/{id}/webhook', {
    changes,
    onDone: () => {
      setUrl('');
      setEvents([]);
    },
  });
  const isOff = overview.data?.webhookDisabledAt !== undefined;
  return (
    <Section title="Webhook" lead="Latchkey sends a signed request to this address when something happens.">
      {isOff && (
        <Alert color="red" title="Events are not sent">
          {overview.data?.webhookDisabledReason} What happens meanwhile is not sent later. Save another address, or
          remove the webhook and add it again.
        </Alert>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run({ id: appId, body: { webhookUrl: url.trim(), subscribeEvents: events } });
        }}
      >
        <Stack>
          <TextInput
            label="Address"
            type="url"
            placeholder="https://app.example/latchkey-events"
            required
            maxLength={2048}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Checkbox.Group label="Events" value={events} onChange={setEvents}>
            <div className={styles.events}>
              {choices.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} description={value} />
              ))}
            </div>
          </Checkbox.Group>
          <Failure error={save.error ?? remove.error} />
          <NewSecrets secrets={[{ what: 'Webhook secret', value: save.answer?.secret }]} />
          <Group justify="flex-end">
            {save.answer !== undefined && save.error === null && <span role="status">Saved</span>}
            {app.webhookUrl !== undefined && (
              <Button variant="light" color="red" loading={remove.isRunning} onClick={() => remove.run({ id: appId })}>
                Remove webhook
              </Button>
            )}
            <Button type="submit" loading={save.isRunning} disabled={url.trim() === ''}>
              Save webhook
            </Button>
          </Group>
        </Stack>
      </form>
      <TestEvent appId={appId} url={url.trim()} />
    </Section>
  );
}

function TestEvent({ appId, url }: { appId: string; url: string }) {
  const [type, setType] = useState<EventType>('member.role-granted');
  const test = useAction('POST /latchkey/client-apps/{id}/webhook/test');
  const result = test.answer;
  return (
    <div className={styles.test}>
      <Group align="flex-end">
        <Select
          label="Send a test event"
          description="To the address above, saved or not. It is signed like a real one."
          data={choices}
          value={type}
          allowDeselect={false}
          onChange={(value) => setType((value as EventType | null) ?? 'member.role-granted')}
        />
        <Button
          variant="default"
          loading={test.isRunning}
          disabled={url === ''}
          onClick={() => test.run({ id: appId, body: { webhookUrl: url, type } })}
        >
          Send test event
        </Button>
      </Group>
      <Failure error={test.error} />
      {result !== undefined && test.error === null && (
        <div role="status">
          <Text size="sm">
            <State tone={result.isDelivered ? 'good' : 'bad'}>
              {result.isDelivered ? 'Delivered' : 'Not delivered'}
            </State>{' '}
            {result.reason} It took {result.tookMs} ms.
          </Text>
          <details>
            <summary>What was sent</summary>
            <Code block className={styles.body}>
              {pretty(result.body)}
            </Code>
          </details>
        </div>
      )}
    </div>
  );
}
