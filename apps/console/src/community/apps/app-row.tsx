import { Button } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, Picture, Row, State } from '../../shared/ui/index.ts';
import styles from './apps.module.css';
import { InstalledAppDialog } from './installed-app.tsx';

export const list = 'GET /marketplace/communities/{communityId}/apps';
export type App = Answer<typeof list>['items'][number];

export function isInstalled({ installed }: App): boolean {
  return installed === true;
}

export function AppRow({ app, communityId }: { app: App; communityId: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const [isManaging, setIsManaging] = useState(false);
  const close = () => setIsAsking(false);
  const install = useAction('POST /communities/{communityId}/apps/{appId}', { changes: [list], onDone: close });
  const remove = useAction('DELETE /communities/{communityId}/apps/{appId}', { changes: [list], onDone: close });
  const { appId, name, shortDescription, description, isBeta, isSuspended, version } = app;
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
          <>
            {isInstalled(app) && (
              <Button size="xs" variant="default" aria-label={`Manage ${name}`} onClick={() => setIsManaging(true)}>
                Manage
              </Button>
            )}
            <Button
              size="xs"
              variant={isInstalled(app) ? 'default' : 'filled'}
              aria-label={`${isInstalled(app) ? 'Remove' : 'Install'} ${name}`}
              onClick={() => setIsAsking(true)}
            >
              {isInstalled(app) ? 'Remove' : 'Install'}
            </Button>
          </>
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
