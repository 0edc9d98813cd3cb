import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Failure,
  Form,
  Page,
  Picture,
  Query,
  Row,
  SearchField,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import styles from './apps.module.css';
import { fromRows, toRows } from './setting-rows.ts';

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
      <Query read={apps} what="the apps">
        {() => (
          <>
            {items.length > 5 && <SearchField label="Search apps" value={search} onSearch={setSearch} />}
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
      </Query>
    </Page>
  );
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

const list = 'GET /marketplace/communities/{communityId}/apps';
type App = Answer<typeof list>['items'][number];

function isInstalled({ installed }: App): boolean {
  return installed === true;
}

function AppRow({ app, communityId }: { app: App; communityId: string }) {
  const [isManaging, setIsManaging] = useState(false);
  const install = useAction('POST /communities/{communityId}/apps/{appId}', {
    done: 'App installed.',
    changes: [list],
  });
  const remove = useAction('DELETE /communities/{communityId}/apps/{appId}', { done: 'App removed.', changes: [list] });
  const { appId, name, shortDescription, description, isBeta, isSuspended, version } = app;
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
          isInstalled(app) ? (
            <>
              <Button size="xs" variant="default" aria-label={`Manage ${name}`} onClick={() => setIsManaging(true)}>
                Manage
              </Button>
              <ConfirmButton
                label="Remove"
                look={{ size: 'xs', 'aria-label': `Remove ${name}` }}
                title={`Remove ${name}?`}
                yes="Remove app"
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ communityId, appId })}
              >
                Its commands and buttons stop working here, and its settings are deleted.
              </ConfirmButton>
            </>
          ) : (
            <ConfirmButton
              label="Install"
              look={{ size: 'xs', variant: 'filled', 'aria-label': `Install ${name}` }}
              title={`Install ${name}?`}
              yes="Install app"
              action={install}
              onYes={() => install.runAsync({ communityId, appId })}
            >
              <WhatItMayDo app={app} />
            </ConfirmButton>
          )
        }
      />
      {isManaging && (
        <InstalledAppDialog
          communityId={communityId}
          appId={appId}
          name={name}
          newestVersion={version?.name}
          onClose={() => setIsManaging(false)}
        />
      )}
    </>
  );
}

function WhatItMayDo({ app }: { app: App }) {
  const { platforms = [], subscribedEvents = [], version } = app;
  return (
    <ul className={styles.rights}>
      <li>It gets the commands and button presses that members send it, with who sent them.</li>
      <li>It does not see wallets, and acts for a member only after asking that member.</li>
      {subscribedEvents.length > 0 && <li>It is notified when members join, leave or change roles.</li>}
      {platforms.length > 0 && <li>Works on {platforms.map(platformName).join(', ')}.</li>}
      {version?.name !== undefined && <li>Version {version.name}.</li>}
    </ul>
  );
}

const read = 'GET /latchkey/communities/{communityId}/apps/{appId}';
type Installed = Answer<typeof read>;

/** The permissions of an installed app, its settings, and its newest version. */
function InstalledAppDialog({
  communityId,
  appId,
  name,
  newestVersion,
  onClose,
}: {
  communityId: string;
  appId: string;
  name: string;
  newestVersion: string | undefined;
  onClose(): void;
}) {
  const app = useOperation(read, { communityId, appId });
  return (
    <Dialog title={name} size="large" onClose={onClose}>
      <Query read={app} what="the app">
        {(data) => (
          <>
            <Facts app={data} />
            <Update communityId={communityId} app={data} newestVersion={newestVersion} />
            <Rights app={data} />
            <SettingsForm
              key={JSON.stringify(data.settings)}
              communityId={communityId}
              appId={appId}
              settings={data.settings}
            />
          </>
        )}
      </Query>
    </Dialog>
  );
}

function Facts({
  app: { developer, installedTime, installedByName, installedVersion, isSuspended },
}: {
  app: Installed;
}) {
  return (
    <p className={styles.note}>
      {developer !== undefined && `By ${developer}. `}
      Installed <Time at={installedTime} />
      {installedByName !== undefined && ` by ${installedByName}`}, version {installedVersion}.{' '}
      {isSuspended && <State tone="bad">Taken off by the operator</State>}
    </p>
  );
}

/** Installing it again updates it to the newest version, and keeps the settings. */
function Update({
  communityId,
  app: { appId, installedVersion, settings },
  newestVersion,
}: {
  communityId: string;
  app: Installed;
  newestVersion: string | undefined;
}) {
  const update = useAction('POST /communities/{communityId}/apps/{appId}', {
    done: 'App updated.',
    changes: [read, 'GET /marketplace/communities/{communityId}/apps'],
  });
  if (newestVersion === undefined || newestVersion === installedVersion) return null;
  return (
    <div>
      <Button size="xs" loading={update.isRunning} onClick={() => update.run({ communityId, appId, body: settings })}>
        Update to version {newestVersion}
      </Button>
      <Failure error={update.error} />
    </div>
  );
}

const contextWords: Readonly<Record<string, string>> = {
  guildName: 'the name of your server',
  isCommunityAdmin: 'whether the member is an admin',
  gmPassAddress: 'the address of the member’s hosted wallet',
  installationMetadata: 'its settings below',
};
const eventWords: Readonly<Record<string, string>> = {
  guildMemberUpdate: 'when a member’s roles change',
  guildMemberRemove: 'when a member leaves',
};

function Rights({ app: { commands, context, events, mayAsk } }: { app: Installed }) {
  const known = context.flatMap((word) => contextWords[word] ?? []);
  const heard = events.flatMap((event) => eventWords[event] ?? []);
  return (
    <section aria-labelledby="app-rights" className={styles.part}>
      <h3 id="app-rights">What it may do</h3>
      <ul className={styles.rights}>
        {commands.length > 0 && <li>Adds {commands.map((command) => `/${command}`).join(', ')}.</li>}
        <li>Gets the commands and button presses that members send it, with who sent them.</li>
        {known.length > 0 && <li>Receives {known.join(', ')}.</li>}
        {heard.length > 0 && <li>Is notified {heard.join(', and ')}.</li>}
        <li>Does not see wallets, and changes no roles.</li>
        {mayAsk.length === 0 ? (
          <li>Asks members for no access to their accounts.</li>
        ) : (
          <li>
            May ask each member for these. Members can decline, and then it gets nothing:
            <ul className={styles.rights}>
              {mayAsk.map(({ scope, description }) => (
                <li key={scope}>{description}</li>
              ))}
            </ul>
          </li>
        )}
      </ul>
    </section>
  );
}

/** The settings of an app, by name and value. The app's own help says which there are. */
function SettingsForm({
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
    done: 'App settings saved.',
    changes: [
      'GET /latchkey/communities/{communityId}/apps/{appId}',
      'GET /marketplace/communities/{communityId}/apps',
    ],
  });
  const change = (key: number, part: { name?: string; value?: string }) =>
    setRows((before) => before.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const { body, problem } = fromRows(rows);
  return (
    <section aria-labelledby="app-settings" className={styles.part}>
      <h3 id="app-settings">Settings</h3>
      <p className={styles.note}>The developer’s help says which settings the app knows.</p>
      <Form
        submit="Save settings"
        canSubmit={body !== undefined}
        action={save}
        onSubmit={() => body !== undefined && save.run({ communityId, appId, body })}
        buttons={
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() =>
              setRows((before) => [
                ...before,
                { key: Math.max(0, ...before.map(({ key }) => key)) + 1, name: '', value: '', isText: true },
              ])
            }
          >
            Add setting
          </Button>
        }
      >
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
      </Form>
    </section>
  );
}
