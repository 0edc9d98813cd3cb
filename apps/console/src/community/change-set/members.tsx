import { Button, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ask, type ItemOf, type Pages } from '../../shared/api/index.ts';
import { IconDownload } from '../../shared/icons.tsx';
import { MemberChange } from '../../shared/parts/why.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { EmptyState, Failure, PagedList, SearchField, Section, State, type Tone } from '../../shared/ui/index.ts';
import { toast } from '../../shared/ui/toasts.tsx';
import { t } from '../messages/index.ts';
import styles from './change-set.module.css';
import { toCsv } from './to-csv.ts';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';
export type Item = ItemOf<typeof route>;

/** A search loads more pages until it has looked at so many changes. */
const mostSearched = 2_000;

interface Parts {
  communityId: string;
  changeSetId: string;
  pages: Pages<Item>;
}

/** Every change, member by member, with a search and a download. */
export function Members({ communityId, changeSetId, pages }: Parts) {
  const [search, setSearch] = useState('');
  const { items, hasMore, isLoadingMore, error, loadMore } = pages;
  const wantsMore = search !== '' && hasMore && !isLoadingMore && error === null && items.length < mostSearched;
  useEffect(() => {
    if (wantsMore) loadMore();
  });
  const found = search === '' ? items : items.filter((item) => matches(item, search.toLowerCase()));
  return (
    <Section
      title={t('changeSet.members')}
      actions={items.length > 0 && <Download communityId={communityId} changeSetId={changeSetId} />}
    >
      {(items.length > 10 || search !== '') && (
        <SearchField
          label={t('changeSet.search')}
          placeholder={t('changeSet.searchBy')}
          value={search}
          onSearch={setSearch}
        />
      )}
      {search !== '' && hasMore && !wantsMore && !isLoadingMore && (
        <p className={styles.note}>{t('changeSet.searchedFirst', { count: items.length })}</p>
      )}
      <PagedList
        pages={{ ...pages, items: found }}
        loading={t('changeSet.loadingMembers')}
        more={t('changeSet.moreMembers')}
        keyOf={({ userId, roleId }) => `${userId} ${roleId}`}
        empty={
          search === '' ? (
            <EmptyState title={t('changeSet.emptyTitle')}>{t('changeSet.empty')}</EmptyState>
          ) : (
            <EmptyState title={t('changeSet.noMatchTitle')}>{t('changeSet.noMatch')}</EmptyState>
          )
        }
      >
        {(change) => <Change communityId={communityId} change={change} />}
      </PagedList>
    </Section>
  );
}

function matches({ userName = '', userId, roleName = '' }: Item, search: string): boolean {
  return [userName, userId, roleName].some((text) => text.toLowerCase().includes(search));
}

const tones: Readonly<Partial<Record<Item['state'], Tone>>> = { confirmed: 'good', failed: 'bad' };

function stateOf({ state, dropReason }: Item): string {
  return t(`changeSet.state.${dropReason ?? state}`);
}

/** One role of one member: gained or lost, how far it is, and why. */
function Change({ communityId, change }: { communityId: string; change: Item }) {
  return (
    <MemberChange
      communityId={communityId}
      change={change}
      verb={change.action === 'grant' ? 'gains' : 'loses'}
      state={<State tone={tones[change.state] ?? 'plain'}>{stateOf(change)}</State>}
    >
      {change.error !== undefined && (
        <Text size="sm" c="var(--bad)">
          {change.error}
        </Text>
      )}
    </MemberChange>
  );
}

const mostPages = 100;

/** Reads the changes page by page, up to 10,000, and saves them as a CSV file. */
function Download({ communityId, changeSetId }: Omit<Parts, 'pages'>) {
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const download = async () => {
    setIsRunning(true);
    setError(undefined);
    try {
      const { items, isWhole } = await readAll(communityId, changeSetId);
      const heads = [
        t('changeSet.csv.member'),
        t('changeSet.csv.memberId'),
        t('changeSet.csv.role'),
        t('changeSet.csv.roleId'),
        t('changeSet.csv.change'),
        t('changeSet.csv.status'),
        t('changeSet.csv.reason'),
      ];
      const rows = items.map((item) => [
        item.userName ?? '',
        item.userId,
        item.roleName ?? '',
        item.roleId,
        item.action === 'grant' ? t('changeSet.gains') : t('changeSet.loses'),
        stateOf(item),
        item.words.join(' '),
      ]);
      // The byte order mark makes spreadsheets read it as UTF-8.
      saveFile(`role-changes-${changeSetId}.csv`, 'text/csv;charset=utf-8', ['\uFEFF', toCsv([heads, ...rows])]);
      if (!isWhole) toast(t('changeSet.downloadedFirst', { count: items.length }));
    } catch (problem) {
      setError(problem);
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={16} />}
        loading={isRunning}
        onClick={() => void download()}
      >
        {t('changeSet.download')}
      </Button>
      <Failure error={error} />
    </>
  );
}

async function readAll(communityId: string, changeSetId: string): Promise<{ items: Item[]; isWhole: boolean }> {
  const items: Item[] = [];
  let paginationToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const token = paginationToken === undefined ? {} : { paginationToken };
    const read = await ask(route, { communityId, changeSetId, limit: 100, ...token });
    items.push(...read.items);
    paginationToken = read.paginationToken;
    if (paginationToken === undefined) return { items, isWhole: true };
  }
  return { items, isWhole: false };
}
