import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { useLive } from '../../shared/api/index.ts';
import { Page } from '../../shared/ui/index.ts';
import { Applications } from './applications.tsx';
import { MiniApps } from './mini-apps.tsx';
import { SigningDomains } from './signing-domains.tsx';

/** What waits for the operator's word: applications, mini-apps, and what applications may have signed. */
export function View() {
  useLive('operator');
  const [tab, setTab] = useState<string | null>('applications');
  return (
    <Page title="Approvals" lead="Decide which applications and mini-apps may work here, and what they may do.">
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="applications">Applications</Tabs.Tab>
          <Tabs.Tab value="mini-apps">Mini-apps</Tabs.Tab>
          <Tabs.Tab value="signing">Signing</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="applications" pt="md">
          <Applications />
        </Tabs.Panel>
        <Tabs.Panel value="mini-apps" pt="md">
          <MiniApps />
        </Tabs.Panel>
        <Tabs.Panel value="signing" pt="md">
          <SigningDomains />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
