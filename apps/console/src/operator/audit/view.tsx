import { Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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
  const { time, subject, subjectName, target, communityId, communityName, object, fromAddress, reason } = entry;
  const details = sayDetails(entry.details);
  const isTargetNew = target !== undefined && target !== subject;
  return (
    <>
      <Time at={time} />, <Who entry={entry} />
      {subject !== undefined && (
        <>, {t.rich('audit.about', { subject: <PersonLink key="subject" userId={subject} name={subjectName} /> })}</>
      )}
      {isTargetNew && (
        <>
          , <Target target={target} object={object} communityId={communityId} />
        </>
      )}
      {communityId !== undefined && (
        <>
          ,{' '}
          {t.rich('audit.in', {
            community: (
              <Link key="community" to="/communities/$communityId" params={{ communityId }}>
                {communityName ?? communityId}
              </Link>
            ),
          })}
        </>
      )}
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

function PersonLink({ userId, name }: { userId: string; name: string | undefined }) {
  return (
    <Link to="/operator/people/$userId" params={{ userId }}>
      {name ?? userId}
    </Link>
  );
}

/** What was changed, by its name where it has one, with a link if it is still there. */
function Target({ target, object, communityId = '' }: { target: string } & Pick<Entry, 'object' | 'communityId'>) {
  if (object === undefined) return target;
  const { kind, id, exists, name = target } = object;
  if (kind === 'member') return <PersonLink userId={id} name={object.name} />;
  if (kind === 'change-set')
    return (
      <Link to="/communities/$communityId/role-changes/$changeSetId" params={{ communityId, changeSetId: id }}>
        {t('audit.roleChanges')}
      </Link>
    );
  if (kind === 'rule' && exists)
    return (
      <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId: id }}>
        {t('audit.quoted', { name })}
      </Link>
    );
  return t('audit.quoted', { name });
}

function Who({ entry: { who, whoName } }: { entry: Entry }) {
  const [, kind, name = ''] = /^\$(admin|command-line)\/(.*)$/.exec(who) ?? [];
  if (kind !== undefined) return t(kind === 'admin' ? 'audit.byOperatorKey' : 'audit.byCommandLine', { name });
  const isPerson = who.includes('#USER#');
  return t.rich('audit.by', { who: isPerson ? <PersonLink key="who" userId={who} name={whoName} /> : who });
}

function sayDetails(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && String(value) !== '')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}
