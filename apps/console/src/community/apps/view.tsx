import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Failure, Loading, Page, SearchField, Section } from '../../shared/ui/index.ts';
import { type App, AppRow, isInstalled, list } from './app-row.tsx';
import styles from './apps.module.css';

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
