import { Alert, Button, Group, MultiSelect, NativeSelect, Switch, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconDownload, IconRefresh, IconTicket, IconWallet } from '../../shared/icons.tsx';
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
import { counted } from '../../shared/words.ts';
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
  const roleName = (roleId: string) => roles.data?.find((role) => role.roleId === roleId)?.roleName ?? `role ${roleId}`;
  // Clearing the filter also clears what was typed.
  const [resets, setResets] = useState(0);
  const showEverybody = () => {
    change(everything);
    setResets(resets + 1);
  };
  const isFiltered = Object.keys(filter).some((key) => key !== 'order');
  return (
    <Page
      title="Members"
      lead="All members Latchkey knows in this community. Open a member to see why they have a role, or why not."
      actions={
        <>
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => setIsExporting(true)}>
            Export
          </Button>
          <CheckEverybody communityId={communityId} />
        </>
      }
    >
      <ListState communityId={communityId} />
      <Section title="Find members">
        <Filters key={resets} filter={filter} roles={roles.data ?? []} onChange={change} />
        <PagedList
          pages={members}
          what="members"
          keyOf={({ userId }) => userId}
          empty={
            isFiltered ? (
              <EmptyState
                title="No members match"
                action={
                  <Button variant="default" onClick={showEverybody}>
                    Show all members
                  </Button>
                }
              >
                Check the spelling, or remove a filter.
              </EmptyState>
            ) : (
              <EmptyState title="No members yet">
                Members appear when the bot has joined the community and read its members, which takes a few minutes.
              </EmptyState>
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
      <Alert color="yellow" title="Not every member is listed">
        {data.reason ?? 'The platform shows only some members of this community.'} Members who are missing keep their
        roles.
      </Alert>
    );
  return (
    <p className={styles.count}>
      {(data.listed ?? 0).toLocaleString()} members and bots, read <Time at={data.listedTime} isRelative />
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
            <State key={roleId}>{roleName ?? `Role ${roleId}`}</State>
          ))}
          {left > 0 && <State>{`${left.toLocaleString()} more`}</State>}
          {isProtected && <State tone="warn">Cannot be changed</State>}
        </span>
      }
      note={
        <>
          <IconWallet size={14} /> {wallets === 0 ? 'No wallet' : counted(wallets, 'wallet')}
          {hasGuestPass && (
            <>
              {' · '}
              <IconTicket size={14} /> Guest pass
            </>
          )}
          {' · '}
          {checkedTime === undefined ? (
            'Never checked'
          ) : (
            <>
              Checked <Time at={checkedTime} isRelative />
            </>
          )}
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
  return (
    <Group gap="xs">
      <ConfirmButton
        label="Check all members"
        look={{ variant: 'filled', leftSection: <IconRefresh size={16} /> }}
        title="Check every member now?"
        yes="Start the check"
        action={check}
        onYes={() => check.runAsync({ communityId })}
      >
        <Text size="sm">
          Latchkey reads all wallets again and changes roles by your rules. Large changes wait for your approval under
          Role changes.
        </Text>
      </ConfirmButton>
      <Text role="status" size="sm" c="dimmed">
        {data !== undefined && formatProgress(data, check.answer !== undefined)}
      </Text>
    </Group>
  );
}

function formatProgress({ isListing, waiting, postponed }: Answer<typeof progress>, wasStarted: boolean): string {
  if (isListing) return 'Reading the members …';
  if (waiting > 0) return `${waiting.toLocaleString()} left to check …`;
  if (postponed > 0) return `${postponed.toLocaleString()} could not be read and are checked again later`;
  return wasStarted ? 'All members were checked.' : '';
}

type Roles = Answer<'GET /latchkey/communities/{communityId}/member-roles'>;

const either = (title: string, what: string) => [
  { value: '', label: `${title}: any` },
  { value: 'yes', label: `With ${what}` },
  { value: 'no', label: `Without ${what}` },
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
    label: `${roleName ?? `Role ${roleId}`} (${members.toLocaleString()})`,
  }));
  const { roleIds = [] } = filter;
  // Selected by a link, but no member has it any more.
  const missing = roleIds.filter((id) => !roles.some(({ roleId }) => roleId === id));
  return (
    <div className={styles.filters}>
      <div className={styles.search}>
        <SearchField
          label="Search members"
          placeholder={isOperator ? 'Name, id or wallet address' : 'Name or id'}
          value={filter.search ?? ''}
          onSearch={(search) => onChange({ search })}
        />
      </div>
      <MultiSelect
        aria-label="Roles"
        placeholder={roleIds.length === 0 ? 'Any role' : ''}
        data={[...options, ...missing.map((id) => ({ value: id, label: `Role ${id}` }))]}
        value={roleIds}
        onChange={(wanted) => onChange({ roleIds: wanted })}
        maxValues={25}
        searchable
        clearable
        nothingFoundMessage="Role not found"
      />
      <NativeSelect
        aria-label="Wallet"
        data={either('Wallet', 'a wallet')}
        value={shown(filter.hasWallet)}
        onChange={(event) => onChange({ hasWallet: chosen(event.currentTarget.value) })}
      />
      <NativeSelect
        aria-label="Guest pass"
        data={either('Guest pass', 'a guest pass')}
        value={shown(filter.hasGuestPass)}
        onChange={(event) => onChange({ hasGuestPass: chosen(event.currentTarget.value) })}
      />
      <NativeSelect
        aria-label="Order"
        data={[
          { value: 'name', label: 'By name' },
          { value: 'activity', label: 'Last active first' },
        ]}
        value={filter.order ?? 'name'}
        onChange={(event) => onChange({ order: event.currentTarget.value === 'activity' ? 'activity' : 'name' })}
      />
      {roleIds.length > 1 && (
        <Switch
          label="Must have all of these roles"
          checked={filter.roleMatch === 'all'}
          onChange={(event) => onChange({ roleMatch: event.currentTarget.checked ? 'all' : 'any' })}
        />
      )}
    </div>
  );
}
