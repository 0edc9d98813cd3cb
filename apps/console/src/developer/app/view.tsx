import { Button, Tabs } from '@mantine/core';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { IconLogin2 } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { Page } from '../../shared/ui/index.ts';
import { ReviewState } from '../review-state.tsx';
import { Unread } from '../unread.tsx';
import { AddressesTab } from './addresses-tab.tsx';
import { CallsTab } from './calls-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { ScopesTab } from './scopes-tab.tsx';
import type { App } from './types.ts';
import { UsageTab } from './usage-tab.tsx';
import { WebhooksTab } from './webhooks-tab.tsx';

const tabs: readonly { id: string; title: string; Content: ComponentType<{ app: App; appId: string }> }[] = [
  { id: 'overview', title: 'Overview', Content: OverviewTab },
  { id: 'scopes', title: 'Scopes', Content: ScopesTab },
  { id: 'addresses', title: 'Origins and redirects', Content: AddressesTab },
  { id: 'webhooks', title: 'Webhooks', Content: WebhooksTab },
  { id: 'calls', title: 'Calls', Content: CallsTab },
  { id: 'usage', title: 'Usage', Content: UsageTab },
];

export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const { hash } = useLocation();
  const navigate = useNavigate();
  if (app === undefined)
    return <Unread title="Application" what="the application" error={error} onRetry={() => void refetch()} />;
  const current = tabs.find(({ id }) => id === hash)?.id ?? 'overview';
  return (
    <Page
      title={app.name ?? 'Application'}
      lead={<ReviewState status={app.status} />}
      crumbs={[{ to: '/developers', title: 'Developers' }]}
      actions={
        app.clientType !== 'apiKey' && (
          <Button
            component={Link}
            to={`/developers/apps/${appId}/try-login`}
            leftSection={<IconLogin2 size={16} aria-hidden="true" />}
          >
            Try a login
          </Button>
        )
      }
    >
      <Tabs
        value={current}
        keepMounted={false}
        onChange={(tab) => void navigate({ to: '.', hash: tab ?? 'overview', replace: true })}
      >
        <Tabs.List>
          {tabs.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, Content }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            <Content app={app} appId={appId} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
