import { ApiError } from '@latchkey/client';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, ask, type Input, type ItemOf, usePages } from '../../shared/api/index.ts';
import { IconDownload } from '../../shared/icons.ts';
import { MemberChange } from '../../shared/parts/why.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { EmptyState, Failure, PagedList, SearchField, Section, State, type Tone } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { toCsv } from './to-csv.ts';

const route = 'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}';
export type Item = ItemOf<typeof route>;

interface Named {
  communityId: string;
  changeSetId: string;
}

/** Every change, member by member, with a search and a download. */
export function Members({ communityId, changeSetId }: Named) {
  const [search, setSearch] = useState('');
  const named = { communityId, changeSetId, limit: 100 };
  const pages = usePages(route, search === '' ? named : { ...named, search: search.slice(0, mostWords) });
  const { items } = pages;
  return (
    <Section
      title={t('changeSet.members')}
      actions={(items.length > 0 || search !== '') && <Download communityId={communityId} changeSetId={changeSetId} />}
    >
      {(items.length > 10 || search !== '') && (
        <SearchField
          label={t('changeSet.search')}
          placeholder={t('changeSet.searchBy')}
          value={search}
          onSearch={setSearch}
        />
      )}
      <PagedList
        pages={pages}
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

/** As long as the server takes it. */
const mostWords = 100;

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

/** Reads all changes page by page and saves them as a CSV file. */
function Download({ communityId, changeSetId }: Named) {
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const download = async () => {
    setIsRunning(true);
    setError(undefined);
    try {
      const heads = [
        t('changeSet.csv.member'),
        t('changeSet.csv.memberId'),
        t('changeSet.csv.role'),
        t('changeSet.csv.roleId'),
        t('changeSet.csv.change'),
        t('changeSet.csv.status'),
        t('changeSet.csv.reason'),
      ];
      // The byte order mark makes spreadsheets read it as UTF-8.
      const parts = ['\uFEFF', toCsv([heads])];
      for await (const items of readAll({ communityId, changeSetId })) parts.push(toCsv(items.map(toRow)));
      saveFile(`role-changes-${changeSetId}.csv`, 'text/csv;charset=utf-8', parts);
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

function toRow(item: Item): string[] {
  return [
    item.userName ?? '',
    item.userId,
    item.roleName ?? '',
    item.roleId,
    item.action === 'grant' ? t('changeSet.gains') : t('changeSet.loses'),
    stateOf(item),
    item.words.join(' '),
  ];
}

/** All changes, page by page, however many there are: a server that wants a pause gets it. */
async function* readAll(named: Named): AsyncGenerator<readonly Item[]> {
  let paginationToken: string | undefined;
  do {
    const token = paginationToken === undefined ? {} : { paginationToken };
    const page = await askPatiently({ ...named, limit: 100, ...token });
    yield page.items;
    paginationToken = page.paginationToken;
  } while (paginationToken !== undefined);
}

const mostPauses = 20;

async function askPatiently(input: Input<typeof route>): Promise<Answer<typeof route>> {
  for (let pauses = 0; ; pauses += 1)
    try {
      return await ask(route, input);
    } catch (problem) {
      if (!(problem instanceof ApiError) || problem.code !== 'RATE_LIMITED' || pauses === mostPauses) throw problem;
      const { retryAfterSeconds = 1 } = problem;
      await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1000));
    }
}
