import { Stack } from '@mantine/core';
import { useState } from 'react';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { EmptyState, Page, PagedList, Row, SearchField, State, Time } from '../../shared/ui/index.ts';

type Entry = ItemOf<'GET /latchkey/audit-log'>;

/** The audit log: who used which permission, on which account, and why. */
export function View() {
  const [userId, setUserId] = useState('');
  const log = usePages('GET /latchkey/audit-log', userId === '' ? {} : { userId });
  return (
    <Page
      title="Audit log"
      lead="Who changed what about accounts, apps, communities and keys. Nothing here can be edited."
    >
      <Stack gap="md">
        <SearchField
          label="ID of the person who did it, or that it is about"
          placeholder="Id of a person, for example DIS#USER#123"
          value={userId}
          onSearch={setUserId}
        />
        <PagedList
          pages={log}
          what="entries"
          keyOf={({ id }) => id}
          empty={
            userId === '' ? (
              <EmptyState title="Nothing is on record yet">Uses of power appear here.</EmptyState>
            ) : (
              <EmptyState title="Nothing is on record for this id">
                Search for a whole id, such as DIS#USER#123.
              </EmptyState>
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
      <Time at={time} />, by {sayWho(who)}
      {subject !== undefined && `, about ${subject}`}
      {target !== undefined && target !== subject && `, ${target}`}
      {communityId !== undefined && `, in ${communityId}`}
      {fromAddress !== undefined && `, from ${fromAddress}`}
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
  const [, kind, name] = /^\$(admin|command-line)\/(.*)$/.exec(who) ?? [];
  if (kind === undefined) return who;
  return kind === 'admin' ? `the operator key ${name}` : `the command line (${name})`;
}

function sayDetails(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && String(value) !== '')
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}
