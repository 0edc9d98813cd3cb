import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { BarChart, LineChart } from '../../shared/parts/charts.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Page, Query, Section } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './analytics.module.css';
import { type Series, sinceFirstDay } from './since-first-day.ts';

const ranges = ['7d', '30d', '90d', '1y'] as const;

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
      title={t('analytics.title')}
      lead={t('analytics.lead')}
      actions={
        <SegmentedControl
          aria-label={t('analytics.timeSpan')}
          data={ranges.map((value) => ({ value, label: t(`analytics.span.${value}`) }))}
          value={range}
          onChange={setRange}
        />
      }
    >
      <Query read={series} loading={t('analytics.loading')} lines={5}>
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
      <Section title={t('analytics.members')} lead={t('analytics.membersLead', { count: members.at(-1) ?? 0 })}>
        <LineChart title={t('analytics.members')} dates={dates} values={members} />
        {members.filter((count) => count !== undefined).length < 2 && (
          <p className={styles.note}>{t('analytics.membersNote')}</p>
        )}
      </Section>
      <Section
        title={t('analytics.roles')}
        lead={t('analytics.rolesLead', { given: sum(({ given }) => given), taken: sum(({ taken }) => taken) })}
      >
        <BarChart
          title={t('analytics.roles')}
          dates={dates}
          bars={[
            { name: t('analytics.given'), tone: 'good', values: days.map(({ given }) => given) },
            { name: t('analytics.taken'), tone: 'bad', values: days.map(({ taken }) => taken) },
          ]}
        />
      </Section>
      <Section
        title={t('analytics.holders')}
        lead={t('analytics.holdersLead')}
        actions={
          roles.length > 1 && (
            <NativeSelect
              aria-label={t('common.role')}
              data={roles.map(({ roleId, roleName }) => ({
                value: roleId,
                label: roleName ?? t('common.unnamedRole', { id: roleId }),
              }))}
              value={role?.roleId ?? ''}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
          )
        }
      >
        {role === undefined ? (
          <EmptyState title={t('common.noRuleTitle')}>{t('analytics.noHolders')}</EmptyState>
        ) : (
          <>
            {roles.length === 1 && (
              <p className={styles.note}>{role.roleName ?? t('common.unnamedRole', { id: role.roleId })}</p>
            )}
            <LineChart
              title={t('analytics.holdersOf', { role: role.roleName ?? role.roleId })}
              dates={dates}
              values={role.holders}
            />
          </>
        )}
      </Section>
      <Section title={t('analytics.movement')} lead={t('analytics.movementLead')}>
        <BarChart
          title={t('analytics.movement')}
          dates={dates}
          bars={[
            { name: t('analytics.joined'), tone: 'good', values: days.map(({ joined }) => joined) },
            { name: t('analytics.left'), tone: 'bad', values: days.map(({ left }) => left) },
          ]}
        />
      </Section>
    </>
  );
}
