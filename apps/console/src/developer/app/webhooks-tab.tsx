import { Stack } from '@mantine/core';
import { Deliveries } from './deliveries.tsx';
import { SigningSecret } from './signing-secret.tsx';
import type { App } from './types.ts';
import { WebhookForm } from './webhook-form.tsx';

export function WebhooksTab({ app, appId }: { app: App; appId: string }) {
  return (
    <Stack>
      <WebhookForm app={app} appId={appId} />
      <SigningSecret appId={appId} />
      <Deliveries appId={appId} hasWebhook={app.webhookUrl !== undefined} />
    </Stack>
  );
}
