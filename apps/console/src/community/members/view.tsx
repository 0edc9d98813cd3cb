import { Alert, Button, Group, MultiSelect, NativeSelect, Switch, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconDownload, IconRefresh, IconTicket, IconWallet } from '../../shared/icons.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { useSession } from '../../shared/session.ts';
import {
  ConfirmButton,
  EmptyState,
  Page,
  PagedList,
  Picture,
  Row,
  SearchField,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { Exports } from './exports.tsx';
import { type Filter, useFilter } from './filter.ts';
import styles from './members.module.css';

const pageSize = 50;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const [filter, change] = useFilter();
  const [isExporting, setIsExporting] = useState(false);
  const members = usePages('GET /latchkey/communities/{communityId}/members', {
    communityId,
    ...filter,
    limit: pageSize,
  });
  const roles = useOperation('GET /latchkey/communities/{communityId}/member-roles', { communityId });
  useLive({ communityId });
  const roleName = (roleId: string) =>
    roles.data?.find((role) => role.roleId === roleId)?.roleName ?? t('common.unnamedRoleInText', { id: roleId });
  // Clearing the filter also clears what was typed.
  const [resets, setResets] = useState(0);
  const showEverybody = () => {
    change(everything);
    setResets(resets + 1);
  };
  const isFiltered = Object.keys(filter).some((key) => key !== 'order');
  return (
    <Page
      title={t('members.title')}
      lead={t('members.lead')}
      actions={
        <>
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => setIsExporting(true)}>
            {t('members.export')}
          </Button>
          <CheckEverybody communityId={communityId} />
        </>
      }
    >
      <ListState communityId={communityId} />
      <Section title={t('members.find')}>
        <Filters key={resets} filter={filter} roles={roles.data ?? []} onChange={change} />
        <PagedList
          pages={members}
          loading={t('members.loading')}
          more={t('members.more')}
          keyOf={({ userId }) => userId}
          empty={
            isFiltered ? (
              <EmptyState
                title={t('members.noMatchTitle')}
                action={
                  <Button variant="default" onClick={showEverybody}>
                    {t('members.showAll')}
                  </Button>
                }
              >
                {t('members.noMatch')}
              </EmptyState>
            ) : (
              <EmptyState title={t('members.emptyTitle')}>{t('members.empty')}</EmptyState>
            )
          }
        >
          {(member) => <MemberRow communityId={communityId} member={member} />}
        </PagedList>
      </Section>
      {isExporting && (
        <Exports communityId={communityId} filter={filter} roleName={roleName} onClose={() => setIsExporting(false)} />
      )}
    </Page>
  );
}

const everything = {
  search: undefined,
  roleIds: undefined,
  roleMatch: undefined,
  hasWallet: undefined,
  hasGuestPass: undefined,
};

/** When the platform was last read, and whether it listed all members. */
function ListState({ communityId }: { communityId: string }) {
  const { data } = useOperation('GET /latchkey/communities/{communityId}/member-list', { communityId });
  if (data?.listedTime === undefined) return null;
  if (data.isComplete === false)
    return (
      <Alert color="yellow" title={t('members.partListTitle')}>
        {data.reason ?? t('members.partList')} {t('members.missingKeep')}
      </Alert>
    );
  return (
    <p className={styles.count}>
      {t.rich('members.listed', {
        count: data.listed ?? 0,
        time: <Time key="time" at={data.listedTime} isRelative />,
      })}
    </p>
  );
}

type Member = ItemOf<'GET /latchkey/communities/{communityId}/members'>;

const mostRoles = 6;

/** One member: name, roles, number of wallets, and a link to the details. */
function MemberRow({ communityId, member }: { communityId: string; member: Member }) {
  const { platformUserId, userName, roles, wallets, hasGuestPass, isProtected, checkedTime } = member;
  const name = userName ?? platformUserId;
  const left = roles.length - mostRoles;
  return (
    <Row
      picture={<Picture name={name} />}
      title={
        <Link
          className={styles.name}
          to="/communities/$communityId/members/$userId"
          params={{ communityId, userId: platformUserId }}
          title={name}
        >
          {name}
        </Link>
      }
      states={
        <span className={styles.roles}>
          {roles.slice(0, mostRoles).map(({ roleId, roleName }) => (
            <State key={roleId}>{roleName ?? t('common.unnamedRole', { id: roleId })}</State>
          ))}
          {left > 0 && <State>{t('members.moreRoles', { count: left })}</State>}
          {isProtected && <State tone="warn">{t('members.protected')}</State>}
        </span>
      }
      note={
        <>
          <IconWallet size={14} /> {t('members.wallets', { count: wallets })}
          {hasGuestPass && (
            <>
              {' · '}
              <IconTicket size={14} /> {t('common.guestPass')}
            </>
          )}
          {' · '}
          {checkedTime === undefined
            ? t('common.neverChecked')
            : t.rich('members.checked', { time: <Time key="time" at={checkedTime} isRelative /> })}
        </>
      }
    />
  );
}

const progress = 'GET /latchkey/communities/{communityId}/role-checks';

/** Starts a check of all members. */
function CheckEverybody({ communityId }: { communityId: string }) {
  const { data } = useOperation(progress, { communityId });
  const check = useAction('POST /latchkey/communities/{communityId}/role-checks', { changes: [progress] });
  const state = data === undefined ? '' : formatProgress(data, check.answer !== undefined);
  return (
    <Group gap={state === '' ? 0 : 'xs'}>
      <ConfirmButton
        label={t('members.checkAll')}
        look={{ variant: 'filled', leftSection: <IconRefresh size={16} /> }}
        title={t('members.checkTitle')}
        yes={t('members.startCheck')}
        action={check}
        onYes={() => check.runAsync({ communityId })}
      >
        <Text size="sm">{t('members.check')}</Text>
      </ConfirmButton>
      <Text role="status" size="sm" c="dimmed">
        {state}
      </Text>
    </Group>
  );
}

function formatProgress({ isListing, waiting, postponed }: Answer<typeof progress>, wasStarted: boolean): string {
  if (isListing) return t('members.reading');
  if (waiting > 0) return t('members.leftToCheck', { count: waiting });
  if (postponed > 0) return t('members.postponed', { count: postponed });
  return wasStarted ? t('members.checkDone') : '';
}

type Roles = Answer<'GET /latchkey/communities/{communityId}/member-roles'>;

const either = (what: 'wallet' | 'pass') => [
  { value: '', label: t(`members.${what}Any`) },
  { value: 'yes', label: t(`members.${what}Yes`) },
  { value: 'no', label: t(`members.${what}No`) },
];
const choices = { yes: true, no: false } as const;
const chosen = (value: string) => (value === 'yes' || value === 'no' ? choices[value] : undefined);
const shown = (value: boolean | undefined) => (value === undefined ? '' : value ? 'yes' : 'no');

/** All filters of the list. */
function Filters({
  filter,
  roles,
  onChange,
}: {
  filter: Filter;
  roles: Roles;
  onChange(change: Partial<Filter>): void;
}) {
  const { isOperator } = useSession();
  const options = roles.map(({ roleId, roleName, members }) => ({
    value: roleId,
    label: t('members.roleMembers', {
      role: roleName ?? t('common.unnamedRole', { id: roleId }),
      count: members,
    }),
  }));
  const { roleIds = [] } = filter;
  // Selected by a link, but no member has it any more.
  const missing = roleIds.filter((id) => !roles.some(({ roleId }) => roleId === id));
  return (
    <div className={styles.filters}>
      <div className={styles.search}>
        <SearchField
          label={t('members.search')}
          placeholder={isOperator ? t('members.searchByWallet') : t('members.searchBy')}
          value={filter.search ?? ''}
          onSearch={(search) => onChange({ search })}
        />
      </div>
      <MultiSelect
        aria-label={t('members.roles')}
        placeholder={roleIds.length === 0 ? t('members.anyRole') : ''}
        data={[...options, ...missing.map((id) => ({ value: id, label: t('common.unnamedRole', { id }) }))]}
        value={roleIds}
        onChange={(wanted) => onChange({ roleIds: wanted })}
        maxValues={25}
        searchable
        clearable
        nothingFoundMessage={t('members.noRole')}
      />
      <NativeSelect
        aria-label={t('members.wallet')}
        data={either('wallet')}
        value={shown(filter.hasWallet)}
        onChange={(event) => onChange({ hasWallet: chosen(event.currentTarget.value) })}
      />
      <NativeSelect
        aria-label={t('common.guestPass')}
        data={either('pass')}
        value={shown(filter.hasGuestPass)}
        onChange={(event) => onChange({ hasGuestPass: chosen(event.currentTarget.value) })}
      />
      <NativeSelect
        aria-label={t('members.order')}
        data={[
          { value: 'name', label: t('members.byName') },
          { value: 'activity', label: t('members.byActivity') },
        ]}
        value={filter.order ?? 'name'}
        onChange={(event) => onChange({ order: event.currentTarget.value === 'activity' ? 'activity' : 'name' })}
      />
      {roleIds.length > 1 && (
        <Switch
          label={t('members.allRoles')}
          checked={filter.roleMatch === 'all'}
          onChange={(event) => onChange({ roleMatch: event.currentTarget.checked ? 'all' : 'any' })}
        />
      )}
    </div>
  );
}
