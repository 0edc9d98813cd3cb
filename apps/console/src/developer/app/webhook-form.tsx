import { Alert, Button, Checkbox, Code, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Form, NewSecrets, Section, State, useForm } from '../../shared/ui/index.ts';
import { type EventType, eventTypes } from '../event-types.ts';
import { t } from '../messages/index.ts';
import { pretty } from '../parts.tsx';
import styles from '../webhooks.module.css';
import type { App } from './overview-tab.tsx';

const eventChoices = () =>
  Object.entries(eventTypes).map(([value, title]) => ({ value: value as EventType, label: t(title) }));
const changes = ['GET /client-apps/{id}', 'GET /latchkey/client-apps/{id}/overview'] as const;

/** The URL that receives events, and a way to test it before saving. */
export function WebhookForm({ app, appId }: { app: App; appId: string }) {
  const overview = useOperation('GET /latchkey/client-apps/{id}/overview', { id: appId });
  const save = useAction('PUT /latchkey/client-apps/{id}/webhook', { changes });
  const remove = useAction('DELETE /latchkey/client-apps/{id}/webhook', {
    done: t('webhook.removed'),
    changes,
    onDone: () => form.set({ webhookUrl: '', subscribeEvents: [] }),
  });
  const form = useForm({ webhookUrl: app.webhookUrl ?? '', subscribeEvents: app.subscribeEvents ?? [] }, save.error);
  const { subscribeEvents } = form.values;
  const webhookUrl = form.values.webhookUrl.trim();
  const isOff = overview.data?.webhookDisabledAt !== undefined;
  return (
    <Section title={t('webhook.title')} lead={t('webhook.lead')}>
      {isOff && (
        <Alert color="red" title={t('webhook.isOff')}>
          {overview.data?.webhookDisabledReason} {t('webhook.isOffHow')}
        </Alert>
      )}
      <Form
        submit={t('webhook.save')}
        saved={t('common.saved')}
        canSubmit={webhookUrl !== ''}
        action={{ ...save, error: save.error ?? remove.error }}
        onSubmit={() => save.run({ id: appId, body: { webhookUrl, subscribeEvents } })}
        buttons={
          app.webhookUrl !== undefined && (
            <Button variant="light" color="red" loading={remove.isRunning} onClick={() => remove.run({ id: appId })}>
              {t('webhook.remove')}
            </Button>
          )
        }
      >
        <TextInput
          label={t('common.address')}
          type="url"
          placeholder="https://app.example/latchkey-events"
          required
          maxLength={2048}
          {...form.text('webhookUrl')}
        />
        <Checkbox.Group label={t('webhook.events')} {...form.choice('subscribeEvents')}>
          <div className={styles.events}>
            {eventChoices().map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} description={value} />
            ))}
          </div>
        </Checkbox.Group>
        <NewSecrets secrets={[{ what: t('common.webhookSecret'), value: save.answer?.secret }]} />
      </Form>
      <TestEvent appId={appId} url={webhookUrl} />
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
          label={t('webhook.test')}
          description={t('webhook.testNote')}
          data={eventChoices()}
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
          {t('webhook.testYes')}
        </Button>
      </Group>
      <Failure error={test.error} />
      {result !== undefined && test.error === null && (
        <div role="status">
          <Text size="sm">
            <State tone={result.isDelivered ? 'good' : 'bad'}>
              {t(result.isDelivered ? 'webhook.delivered' : 'webhook.notDelivered')}
            </State>{' '}
            {t('webhook.result', { reason: result.reason, ms: result.tookMs })}
          </Text>
          <details>
            <summary>{t('webhook.sent')}</summary>
            <Code block className={styles.body}>
              {pretty(result.body)}
            </Code>
          </details>
        </div>
      )}
    </div>
  );
}
