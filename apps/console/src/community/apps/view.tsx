import { Button } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmDialog,
  EmptyState,
  Failure,
  Loading,
  Page,
  Picture,
  Row,
  SearchField,
  Section,
  State,
} from '../../shared/ui/index.ts';
import styles from './apps.module.css';

const list = 'GET /marketplace/communities/{communityId}/apps';
type App = Answer<typeof list>['items'][number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const apps = useOperation(list, { communityId });
  const [search, setSearch] = useState('');
  const items = apps.data?.items ?? [];
  const found = items.filter((app) => holds(app, search));
  const [installed, offered] = [found.filter(isInstalled), found.filter((app) => !isInstalled(app))];
  return (
    <Page
      title="Apps"
      lead="Mini-apps add commands and buttons to your community. Each runs on its developer’s own server."
    >
      {apps.isPending && <Loading what="the apps" />}
      <Failure error={apps.error} onRetry={() => void apps.refetch()} />
      {items.length > 5 && <SearchField label="Search apps" value={search} onSearch={setSearch} />}
      {apps.data !== undefined && (
        <>
          <Section title="Installed">
            {installed.length === 0 && (
              <EmptyState title={search === '' ? 'No apps installed' : 'No installed app matches'}>
                Install one from the list below.
              </EmptyState>
            )}
            <AppList apps={installed} communityId={communityId} />
          </Section>
          <Section title="Available" lead="Apps that the operator of this server has approved.">
            {offered.length === 0 && (
              <EmptyState title={search === '' ? 'Nothing else to install' : 'No app matches'}>
                Developers register apps under Developers; the operator approves them.
              </EmptyState>
            )}
            <AppList apps={offered} communityId={communityId} />
          </Section>
        </>
      )}
    </Page>
  );
}

function isInstalled({ installed }: App): boolean {
  return installed === true;
}

function holds({ name, shortDescription = '', keywords = [] }: App, search: string): boolean {
  const words = [name, shortDescription, ...keywords].join(' ').toLowerCase();
  return words.includes(search.toLowerCase());
}

function AppList({ apps, communityId }: { apps: readonly App[]; communityId: string }) {
  return (
    <ul className={styles.apps}>
      {apps.map((app) => (
        <li key={app.appId}>
          <AppRow app={app} communityId={communityId} />
        </li>
      ))}
    </ul>
  );
}

function AppRow({ app, communityId }: { app: App; communityId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const close = () => setIsAsking(false);
  const install = useAction('POST /communities/{communityId}/apps/{appId}', { changes: [list], onDone: close });
  const remove = useAction('DELETE /communities/{communityId}/apps/{appId}', { changes: [list], onDone: close });
  const { appId, name, shortDescription, description, isBeta, isSuspended } = app;
  const action = isInstalled(app) ? remove : install;
  return (
    <>
      <Row
        picture={<Picture name={name} />}
        title={name}
        note={shortDescription ?? description}
        states={
          <>
            {isBeta === true && <State>Beta</State>}
            {isSuspended === true && <State tone="bad">Taken off by the operator</State>}
          </>
        }
        actions={
          <Button size="xs" variant={isInstalled(app) ? 'default' : 'filled'} onClick={() => setIsAsking(true)}>
            {isInstalled(app) ? 'Remove' : 'Install'}
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isAsking}
        title={isInstalled(app) ? `Remove ${name}?` : `Install ${name}?`}
        yes={isInstalled(app) ? 'Remove app' : 'Install app'}
        isDangerous={isInstalled(app)}
        isRunning={action.isRunning}
        error={action.error}
        onYes={() => action.run({ communityId, appId })}
        onNo={close}
      >
        {isInstalled(app) ? (
          'Its commands and buttons stop working here, and its settings are deleted.'
        ) : (
          <WhatItMayDo app={app} />
        )}
      </ConfirmDialog>
    </>
  );
}

function WhatItMayDo({ app }: { app: App }) {
  const { platforms = [], subscribedEvents = [], version } = app;
  return (
    <ul className={styles.rights}>
      <li>It gets the commands and button presses that members send it, with who sent them.</li>
      <li>It does not see wallets, and acts for a member only after asking that member.</li>
      {subscribedEvents.length > 0 && <li>It is told when members join, leave or change roles.</li>}
      {platforms.length > 0 && <li>Works on {platforms.map(platformName).join(', ')}.</li>}
      {version?.name !== undefined && <li>Version {version.name}.</li>}
    </ul>
  );
}
