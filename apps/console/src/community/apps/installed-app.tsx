import { Button, Modal, Stack } from '@mantine/core';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Loading, State, Time } from '../../shared/ui/index.ts';
import styles from './apps.module.css';
import { SettingsForm } from './settings-form.tsx';

const read = 'GET /latchkey/communities/{communityId}/apps/{appId}';
type Installed = Answer<typeof read>;

/** What an installed app may do here, its settings, and its newest version. */
export function InstalledAppDialog({
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
    <Modal opened onClose={onClose} title={name} size="lg" data-dialog-open>
      <Stack gap="lg">
        {app.isPending && <Loading what="the app" />}
        <Failure error={app.error} onRetry={() => void app.refetch()} />
        {app.data !== undefined && (
          <>
            <Facts app={app.data} />
            <Update communityId={communityId} app={app.data} newestVersion={newestVersion} />
            <Rights app={app.data} />
            <SettingsForm
              key={JSON.stringify(app.data.settings)}
              communityId={communityId}
              appId={appId}
              settings={app.data.settings}
            />
          </>
        )}
      </Stack>
    </Modal>
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

/** Installing it again takes the newest version, and keeps the settings. */
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

const toldWords: Readonly<Record<string, string>> = {
  guildName: 'the name of your server',
  isCommunityAdmin: 'whether the member is an admin',
  gmPassAddress: 'the address of the member’s hosted wallet',
  installationMetadata: 'its settings below',
};
const eventWords: Readonly<Record<string, string>> = {
  guildMemberUpdate: 'when a member’s roles change',
  guildMemberRemove: 'when a member leaves',
};

function Rights({ app: { commands, told, events, mayAsk } }: { app: Installed }) {
  const known = told.flatMap((word) => toldWords[word] ?? []);
  const heard = events.flatMap((event) => eventWords[event] ?? []);
  return (
    <section aria-labelledby="app-rights" className={styles.part}>
      <h3 id="app-rights">What it may do</h3>
      <ul className={styles.rights}>
        {commands.length > 0 && <li>Adds {commands.map((command) => `/${command}`).join(', ')}.</li>}
        <li>Gets the commands and button presses that members send it, with who sent them.</li>
        {known.length > 0 && <li>Is told {known.join(', ')}.</li>}
        {heard.length > 0 && <li>Is told {heard.join(', and ')}.</li>}
        <li>Does not see wallets, and changes no roles.</li>
        {mayAsk.length === 0 ? (
          <li>Asks members for no access to their accounts.</li>
        ) : (
          <li>
            May ask each member for these. Nobody has to agree, and it gets nothing without:
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
