import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { BarChart, LineChart } from '../../shared/charts.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Page, Query, Section } from '../../shared/ui/index.ts';
import styles from './analytics.module.css';
import { type Series, sinceFirstDay } from './since-first-day.ts';

const ranges = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: '1 year' },
];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const [range, setRange] = useState('30d');
  const series = useOperation(
    'GET /latchkey/communities/{communityId}/series',
    { communityId, range },
    { keepsPrevious: true },
  );
  return (
    <Page
      title="Analytics"
      lead="Members and roles over time, by day in UTC."
      actions={<SegmentedControl aria-label="Time span" data={ranges} value={range} onChange={setRange} />}
    >
      <Query read={series} what="the analytics" lines={5}>
        {(data) => (
          <div className={styles.charts} aria-busy={series.isPlaceholderData}>
            <Charts series={data} />
          </div>
        )}
      </Query>
    </Page>
  );
}

function Charts({ series }: { series: Series }) {
  const [wanted, setWanted] = useState('');
  const { days, roles } = sinceFirstDay(series);
  const dates = days.map(({ date }) => date);
  const role = roles.find(({ roleId }) => roleId === wanted) ?? roles[0];
  const sum = (of: (day: (typeof days)[number]) => number) => days.reduce((total, day) => total + of(day), 0);
  const members = days.map((day) => day.members);
  return (
    <>
      <Section title="Members" lead={`${(members.at(-1) ?? 0).toLocaleString()} today, bots apart`}>
        <LineChart title="Members" dates={dates} values={members} />
        {members.filter((count) => count !== undefined).length < 2 && (
          <p className={styles.note}>Members are counted once an hour. The line grows from the first day on.</p>
        )}
      </Section>
      <Section
        title="Roles given and taken"
        lead={`${sum(({ given }) => given).toLocaleString()} given, ${sum(({ taken }) => taken).toLocaleString()} taken by Latchkey`}
      >
        <BarChart
          title="Roles given and taken"
          dates={dates}
          bars={[
            { name: 'Given', tone: 'good', values: days.map(({ given }) => given) },
            { name: 'Taken', tone: 'bad', values: days.map(({ taken }) => taken) },
          ]}
        />
      </Section>
      <Section
        title="Holders of a role"
        lead="Calculated back from today using Latchkey’s role changes. Manual changes are not included."
        actions={
          roles.length > 1 && (
            <NativeSelect
              aria-label="Role"
              data={roles.map(({ roleId, roleName }) => ({ value: roleId, label: roleName ?? `Role ${roleId}` }))}
              value={role?.roleId ?? ''}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
          )
        }
      >
        {role === undefined ? (
          <EmptyState title="No rule gives a role yet">Create a rule, and its holders appear here.</EmptyState>
        ) : (
          <>
            {roles.length === 1 && <p className={styles.note}>{role.roleName ?? `Role ${role.roleId}`}</p>}
            <LineChart title={`Holders of ${role.roleName ?? role.roleId}`} dates={dates} values={role.holders} />
          </>
        )}
      </Section>
      <Section title="Joined and left" lead="As reported by the platform.">
        <BarChart
          title="Joined and left"
          dates={dates}
          bars={[
            { name: 'Joined', tone: 'good', values: days.map(({ joined }) => joined) },
            { name: 'Left', tone: 'bad', values: days.map(({ left }) => left) },
          ]}
        />
      </Section>
    </>
  );
}
