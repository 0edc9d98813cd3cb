import { Stack } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { EmptyState, Page, PagedList, Row, SearchField, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

type Entry = ItemOf<'GET /latchkey/audit-log'>;

/** The audit log: who used which permission, on which account, and why. */
export function View() {
  const [userId, setUserId] = useState('');
  const log = usePages('GET /latchkey/audit-log', userId === '' ? {} : { userId });
  return (
    <Page title={t('audit.title')} lead={t('audit.lead')}>
      <Stack gap="md">
        <SearchField
          label={t('audit.search')}
          placeholder={t('audit.searchPlaceholder')}
          value={userId}
          onSearch={setUserId}
        />
        <PagedList
          pages={log}
          loading={t('audit.loading')}
          more={t('audit.more')}
          keyOf={({ id }) => id}
          empty={
            userId === '' ? (
              <EmptyState title={t('audit.emptyTitle')}>{t('audit.empty')}</EmptyState>
            ) : (
              <EmptyState title={t('audit.noneTitle')}>{t('audit.none')}</EmptyState>
            )
          }
        >
          {(entry) => (
            <Row
              title={entry.meaning ?? entry.action}
              states={<State>{entry.action}</State>}
              note={<About entry={entry} />}
            />
          )}
        </PagedList>
      </Stack>
    </Page>
  );
}

function About({ entry }: { entry: Entry }) {
  const { time, who, subject, target, communityId, fromAddress, reason } = entry;
  const details = sayDetails(entry.details);
  return (
    <>
      <Time at={time} />, {sayWho(who)}
      {subject !== undefined && `, ${t('audit.about', { subject })}`}
      {target !== undefined && target !== subject && `, ${target}`}
      {communityId !== undefined && `, ${t('audit.in', { communityId })}`}
      {fromAddress !== undefined && `, ${t('audit.from', { address: fromAddress })}`}
      {reason !== undefined && (
        <>
          <br />“{reason}”
        </>
      )}
      {details !== '' && (
        <>
          <br />
          {details}
        </>
      )}
    </>
  );
}

function sayWho(who: string): string {
  const [, kind, name = ''] = /^\$(admin|command-line)\/(.*)$/.exec(who) ?? [];
  if (kind === undefined) return t('audit.by', { who });
  return t(kind === 'admin' ? 'audit.byOperatorKey' : 'audit.byCommandLine', { name });
}

function sayDetails(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && String(value) !== '')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}
