import { ActionIcon, MultiSelect, NumberInput, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, useOperation } from '../../../shared/api/index.ts';
import { IconPlus, IconX } from '../../../shared/icons.tsx';
import { isObject } from '../../../shared/is-object.ts';
import { RoleName } from '../../../shared/role-name.tsx';
import { useBuilding } from '../builder-context.ts';
import { readField, textOf, writeField } from '../fields.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

interface Parts {
  fields: Fields;
  onChange(fields: Fields): void;
}

type Role = Answer<'GET /latchkey/communities/{communityId}/rule-roles'>[number];

/** A role of this community, with its colour. */
function RolePicker({
  label,
  isLabelShown = false,
  value,
  roles,
  error,
  onChange,
}: {
  label: string;
  isLabelShown?: boolean;
  value: string;
  roles: readonly Role[] | undefined;
  error?: string | false;
  onChange(roleId: string): void;
}) {
  const known = (roles ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isGone = value !== '' && !known.some((one) => one.value === value);
  const gone = { value, label: roles === undefined ? 'Loading …' : 'A role that was deleted' };
  const colorOf = (id: string) => roles?.find((role) => role.id === id)?.color;
  return (
    <Select
      {...(isLabelShown ? { label } : { 'aria-label': label })}
      placeholder="Pick a role"
      data={isGone ? [gone, ...known] : known}
      value={value === '' ? null : value}
      error={error}
      {...(Number(colorOf(value)) > 0 && { leftSection: <RoleName name="" color={colorOf(value)} /> })}
      searchable
      allowDeselect={false}
      renderOption={({ option }) => <RoleName name={option.label} color={colorOf(option.value)} />}
      onChange={(roleId) => roleId !== null && onChange(roleId)}
    />
  );
}

const actions = [
  { value: 'addOrRemove', label: 'Give the role while this is so, and take it otherwise' },
  { value: 'add', label: 'Give the role, and never take it' },
  { value: 'removeOrAdd', label: 'Take the role while this is so, and give it otherwise' },
  { value: 'remove', label: 'Take the role, and never give it' },
];

/** Which other roles a member must have, or must not have. */
export function RoleCompositionField({ fields, onChange }: Parts) {
  const { communityId } = useBuilding();
  const roles = useOperation('GET /latchkey/communities/{communityId}/rule-roles', { communityId });
  const given = readField(fields, 'roleComposition');
  const composition = isObject(given) ? given : {};
  const rows = Object.entries(isObject(composition.condition) ? composition.condition : {});
  const put = (change: Fields) => onChange(writeField(fields, 'roleComposition', { ...composition, ...change }));
  const putRows = (next: readonly (readonly [string, unknown])[]) => put({ condition: Object.fromEntries(next) });
  const error = roles.isError && 'The roles could not be loaded.';
  return (
    <div className={styles.traits}>
      <Select
        label="What happens"
        data={actions}
        value={textOf(composition.action) || null}
        allowDeselect={false}
        onChange={(action) => action !== null && put({ action })}
      />
      {composition.roleId !== undefined && (
        <RolePicker
          label="Role that is given or taken"
          isLabelShown
          value={textOf(composition.roleId)}
          roles={roles.data}
          error={error}
          onChange={(roleId) => put({ roleId })}
        />
      )}
      <Select
        label="The member meets"
        data={[
          { value: 'and', label: 'All of these' },
          { value: 'or', label: 'Any of these' },
        ]}
        value={composition.operator === 'or' ? 'or' : 'and'}
        allowDeselect={false}
        onChange={(operator) => operator !== null && put({ operator })}
      />
      {rows.map(([roleId, isHeld], index) => (
        <div key={roleId} className={styles.pair}>
          <Select
            aria-label={`Has role ${index + 1} or not`}
            data={[
              { value: 'has', label: 'Has' },
              { value: 'not', label: 'Does not have' },
            ]}
            value={isHeld === false ? 'not' : 'has'}
            allowDeselect={false}
            onChange={(value) => putRows(rows.with(index, [roleId, value !== 'not']))}
          />
          <RolePicker
            label={`Role ${index + 1}`}
            value={roleId}
            roles={roles.data}
            error={error}
            onChange={(next) => putRows(rows.with(index, [next, isHeld]))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove role ${index + 1}`}
            onClick={() => putRows(rows.toSpliced(index, 1))}
          >
            <IconX size={16} />
          </ActionIcon>
        </div>
      ))}
      <AddRole
        roles={roles.data?.filter(({ id }) => !rows.some(([roleId]) => roleId === id))}
        onAdd={(roleId) => putRows([...rows, [roleId, true]])}
      />
    </div>
  );
}

/** A row is keyed by its role, so that it begins with picking one. */
function AddRole({ roles, onAdd }: { roles: readonly Role[] | undefined; onAdd(roleId: string): void }) {
  return (
    <div className={styles.add}>
      <IconPlus size={14} aria-hidden="true" />
      <RolePicker label="Add a role" value="" roles={roles} onChange={onAdd} />
    </div>
  );
}

const ownerChoices = [
  { value: 'any', label: 'Any owner' },
  { value: 'first', label: 'The first owner' },
  { value: 'some', label: 'Several owners, linked by one member' },
];

/** Which owners of a Safe count. */
export function OwnersField({ fields, onChange }: Parts) {
  const owners = readField(fields, '_owners');
  const count = isObject(owners) ? Number(owners.atLeast) : undefined;
  const put = (value: unknown) => onChange(writeField(fields, '_owners', value));
  return (
    <>
      <Select
        className={styles.wide}
        label="Who counts"
        data={ownerChoices}
        value={count === undefined ? textOf(owners) || 'any' : 'some'}
        allowDeselect={false}
        onChange={(value) => put(value === 'some' ? { atLeast: 2 } : value === 'first' ? 'first' : undefined)}
      />
      {count !== undefined && (
        <NumberInput
          label="At least this many owners"
          min={1}
          max={50}
          allowDecimal={false}
          value={count}
          onChange={(next) => put({ atLeast: Number(next) || 1 })}
        />
      )}
    </>
  );
}

/** Which guest passes are enough. */
export function GuestPassField({ fields, onChange }: Parts) {
  const { communityId } = useBuilding();
  const passes = useOperation('GET /discord/{guildId}/guest-passes', { guildId: communityId });
  const place = communityId.includes('#') ? communityId : `DIS#COMM#${communityId}`;
  const known = (passes.data ?? []).flatMap(({ id = '', name = 'Guest pass', roleSet = [] }) =>
    roleSet.map(({ id: roleId = '', name: roleName = 'a role' }) => ({
      value: `${place}:${id}:${roleId}`,
      label: roleSet.length > 1 ? `${name}, for ${roleName}` : name,
    })),
  );
  const chosen = passesIn(readField(fields, '_filter'));
  if (chosen === undefined)
    return (
      <Text size="sm" c="dimmed" className={styles.wide}>
        These passes are combined in a way that is changed on the JSON tab.
      </Text>
    );
  const gone = chosen
    .filter((value) => !known.some((one) => one.value === value))
    .map((value) => ({ value, label: passes.isLoading ? 'Loading …' : 'A pass that was deleted' }));
  const put = (values: readonly string[]) => {
    const traits = values.map((value) => ({ trait_type: 'guestPass', value }));
    onChange(writeField(fields, '_filter', { filters: [{ condition: 'or', traits }] }));
  };
  return (
    <>
      <MultiSelect
        className={styles.wide}
        label="Guest passes"
        description="Any of them is enough."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={chosen.length === 0 ? 'Pick a pass' : ''}
        data={[...known, ...gone]}
        value={chosen}
        error={passes.isError && 'The guest passes could not be loaded.'}
        searchable
        onChange={put}
      />
      {passes.isSuccess && known.length === 0 && (
        <Text size="sm" c="dimmed" className={styles.wide}>
          There are no guest passes yet.{' '}
          <Link to="/communities/$communityId/passes" params={{ communityId }}>
            Create one
          </Link>{' '}
          first.
        </Text>
      )}
    </>
  );
}

/** The passes of a filter of which any is enough; undefined for one that means more. */
function passesIn(filter: unknown): string[] | undefined {
  if (filter === undefined) return [];
  if (!isObject(filter) || !Array.isArray(filter.filters) || filter.filters.length > 1) return undefined;
  const [only]: unknown[] = filter.filters;
  if (only === undefined) return [];
  if (!isObject(only) || !Array.isArray(only.traits)) return undefined;
  const list: readonly unknown[] = only.traits;
  if (list.length > 1 && only.condition !== 'or') return undefined;
  return list.flatMap((trait) =>
    isObject(trait) && typeof trait.value === 'string' && trait.value !== '' ? trait.value : [],
  );
}
