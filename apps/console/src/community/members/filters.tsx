import { MultiSelect, NativeSelect, Switch } from '@mantine/core';
import type { Answer } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { SearchField } from '../../shared/ui/index.ts';
import type { Filter } from './filter.ts';
import styles from './members.module.css';

type Roles = Answer<'GET /latchkey/communities/{communityId}/member-roles'>;

const either = (title: string, what: string) => [
  { value: '', label: `${title}: any` },
  { value: 'yes', label: `With ${what}` },
  { value: 'no', label: `Without ${what}` },
];
const choices = { yes: true, no: false } as const;
const chosen = (value: string) => (value === 'yes' || value === 'no' ? choices[value] : undefined);
const shown = (value: boolean | undefined) => (value === undefined ? '' : value ? 'yes' : 'no');

/** Everything that the list can be narrowed by. */
export function Filters({
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
  // Chosen by a link, and held by nobody any more.
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
