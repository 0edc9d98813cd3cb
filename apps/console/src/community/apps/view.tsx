import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { IconPlus, IconTrash } from '../../shared/icons.ts';
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
import { type CommunityMessageId, t } from '../messages/index.ts';
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
    <Page title={t('apps.title')} lead={t('apps.lead')}>
      <Query read={apps} loading={t('apps.loading')}>
        {() => (
          <>
            {items.length > 5 && <SearchField label={t('apps.search')} value={search} onSearch={setSearch} />}
            <Section title={t('apps.installedApps')}>
              {installed.length === 0 && (
                <EmptyState title={search === '' ? t('apps.noneInstalled') : t('apps.noInstalledMatch')}>
                  {t('apps.installHint')}
                </EmptyState>
              )}
              <AppList apps={installed} communityId={communityId} />
            </Section>
            <Section title={t('apps.available')} lead={t('apps.availableLead')}>
              {offered.length === 0 && (
                <EmptyState title={search === '' ? t('apps.noneAvailable') : t('apps.noMatch')}>
                  {t('apps.registerHint')}
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
    done: t('apps.installed'),
    changes: [list],
  });
  const remove = useAction('DELETE /communities/{communityId}/apps/{appId}', {
    done: t('apps.removed'),
    changes: [list],
  });
  const { appId, name, shortDescription, description, isBeta, isSuspended, version } = app;
  return (
    <>
      <Row
        picture={<Picture name={name} />}
        title={name}
        note={shortDescription ?? description}
        states={
          <>
            {isBeta === true && <State>{t('apps.beta')}</State>}
            {isSuspended === true && <State tone="bad">{t('apps.suspended')}</State>}
          </>
        }
        actions={
          isInstalled(app) ? (
            <>
              <Button
                size="xs"
                variant="default"
                aria-label={t('apps.manageOne', { name })}
                onClick={() => setIsManaging(true)}
              >
                {t('apps.manage')}
              </Button>
              <ConfirmButton
                label={t('common.remove')}
                look={{ size: 'xs', 'aria-label': t('common.removeOne', { name }) }}
                title={t('apps.removeTitle', { name })}
                yes={t('apps.remove')}
                isDangerous
                action={remove}
                onYes={() => remove.runAsync({ communityId, appId })}
              >
                {t('apps.removeNote')}
              </ConfirmButton>
            </>
          ) : (
            <ConfirmButton
              label={t('apps.install')}
              look={{ size: 'xs', variant: 'default', 'aria-label': t('apps.installOne', { name }) }}
              title={t('apps.installTitle', { name })}
              yes={t('apps.installApp')}
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
      <li>{t('apps.itGetsCommands')}</li>
      <li>{t('apps.itSeesNoWallets')}</li>
      {subscribedEvents.length > 0 && <li>{t('apps.itIsNotified')}</li>}
      {platforms.length > 0 && <li>{t('apps.worksOn', { platforms: t.list(platforms.map(platformName)) })}</li>}
      {version?.name !== undefined && <li>{t('apps.version', { version: version.name })}</li>}
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
      <Query read={app} loading={t('apps.loadingApp')}>
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
  const time = <Time key="time" at={installedTime} />;
  return (
    <p className={styles.note}>
      {developer !== undefined && `${t('apps.madeBy', { developer })} `}
      {installedByName === undefined
        ? t.rich('apps.installedAt', { time, version: installedVersion })
        : t.rich('apps.installedByAt', { time, name: installedByName, version: installedVersion })}{' '}
      {isSuspended && <State tone="bad">{t('apps.suspended')}</State>}
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
    done: t('apps.updated'),
    changes: [read, 'GET /marketplace/communities/{communityId}/apps'],
  });
  if (newestVersion === undefined || newestVersion === installedVersion) return null;
  return (
    <div>
      <Button size="xs" loading={update.isRunning} onClick={() => update.run({ communityId, appId, body: settings })}>
        {t('apps.update', { version: newestVersion })}
      </Button>
      <Failure error={update.error} />
    </div>
  );
}

const contextFacts: Readonly<Record<string, CommunityMessageId & `apps.fact.${string}`>> = {
  guildName: 'apps.fact.server',
  isCommunityAdmin: 'apps.fact.admin',
  gmPassAddress: 'apps.fact.hostedWallet',
  installationMetadata: 'apps.fact.settings',
};
const eventMoments: Readonly<Record<string, CommunityMessageId & `apps.moment.${string}`>> = {
  guildMemberUpdate: 'apps.moment.rolesChange',
  guildMemberRemove: 'apps.moment.memberLeaves',
};

function Rights({ app: { commands, context, events, mayAsk } }: { app: Installed }) {
  const facts = context.flatMap((word) => contextFacts[word] ?? []).map((id) => t(id));
  const moments = events.flatMap((event) => eventMoments[event] ?? []).map((id) => t(id));
  return (
    <section aria-labelledby="app-rights" className={styles.part}>
      <h3 id="app-rights">{t('apps.rights')}</h3>
      <ul className={styles.rights}>
        {commands.length > 0 && (
          <li>{t('apps.adds', { commands: t.list(commands.map((command) => `/${command}`)) })}</li>
        )}
        <li>{t('apps.getsCommands')}</li>
        {facts.length > 0 && <li>{t('apps.receives', { facts: t.list(facts) })}</li>}
        {moments.length > 0 && <li>{t('apps.isNotified', { moments: t.list(moments, 'and') })}</li>}
        <li>{t('apps.seesNoWallets')}</li>
        {mayAsk.length === 0 ? (
          <li>{t('apps.asksNothing')}</li>
        ) : (
          <li>
            {t('apps.mayAsk')}
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
    done: t('apps.settingsSaved'),
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
      <h3 id="app-settings">{t('apps.settings')}</h3>
      <p className={styles.note}>{t('apps.settingsHint')}</p>
      <Form
        submit={t('apps.saveSettings')}
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
            {t('apps.addSetting')}
          </Button>
        }
      >
        {rows.map(({ key, name, value }) => (
          <Group key={key} gap="xs" wrap="nowrap" align="end">
            <TextInput
              className={styles.field}
              label={t('common.name')}
              maxLength={100}
              value={name}
              onChange={(event) => change(key, { name: event.currentTarget.value })}
            />
            <TextInput
              className={styles.field}
              label={t('apps.settingValue')}
              maxLength={4000}
              value={value}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
            />
            <ActionIcon
              size="lg"
              variant="subtle"
              color="gray"
              aria-label={t('apps.removeSetting', { name })}
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
