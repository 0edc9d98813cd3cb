import { ActionIcon, MultiSelect, NumberInput, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Answer, useOperation } from '../../../shared/api/index.ts';
import { IconPlus, IconX } from '../../../shared/icons.ts';
import { isObject } from '../../../shared/is-object.ts';
import { RoleName } from '../../../shared/role-name.tsx';
import { useBuilding } from '../builder-context.ts';
import { readField, textOf, writeField } from '../fields.ts';
import { t } from '../messages/index.ts';
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
  const gone = { value, label: t(roles === undefined ? 'roles.loading' : 'common.deletedRole') };
  const colorOf = (id: string) => roles?.find((role) => role.id === id)?.color;
  return (
    <Select
      {...(isLabelShown ? { label } : { 'aria-label': label })}
      placeholder={t('common.pickRole')}
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

const actions = ['addOrRemove', 'add', 'removeOrAdd', 'remove'] as const;

/** Which other roles a member must have, or must not have. */
export function RoleCompositionField({ fields, onChange }: Parts) {
  const { communityId } = useBuilding();
  const roles = useOperation('GET /latchkey/communities/{communityId}/rule-roles', { communityId });
  const given = readField(fields, 'roleComposition');
  const composition = isObject(given) ? given : {};
  const rows = Object.entries(isObject(composition.condition) ? composition.condition : {});
  const put = (change: Fields) => onChange(writeField(fields, 'roleComposition', { ...composition, ...change }));
  const putRows = (next: readonly (readonly [string, unknown])[]) => put({ condition: Object.fromEntries(next) });
  const error = roles.isError && t('roles.failed');
  return (
    <div className={styles.traits}>
      <Select
        label={t('roles.action')}
        data={actions.map((value) => ({ value, label: t(`roles.${value}`) }))}
        value={textOf(composition.action) || null}
        allowDeselect={false}
        onChange={(action) => action !== null && put({ action })}
      />
      {composition.roleId !== undefined && (
        <RolePicker
          label={t('roles.role')}
          isLabelShown
          value={textOf(composition.roleId)}
          roles={roles.data}
          error={error}
          onChange={(roleId) => put({ roleId })}
        />
      )}
      <Select
        label={t('roles.needed')}
        data={[
          { value: 'and', label: t('roles.all') },
          { value: 'or', label: t('roles.any') },
        ]}
        value={composition.operator === 'or' ? 'or' : 'and'}
        allowDeselect={false}
        onChange={(operator) => operator !== null && put({ operator })}
      />
      {rows.map(([roleId, isHeld], index) => (
        <div key={roleId} className={styles.pair}>
          <Select
            aria-label={t('roles.hasOrNot', { position: index + 1 })}
            data={[
              { value: 'has', label: t('roles.has') },
              { value: 'not', label: t('roles.hasNot') },
            ]}
            value={isHeld === false ? 'not' : 'has'}
            allowDeselect={false}
            onChange={(value) => putRows(rows.with(index, [roleId, value !== 'not']))}
          />
          <RolePicker
            label={t('roles.row', { position: index + 1 })}
            value={roleId}
            roles={roles.data}
            error={error}
            onChange={(next) => putRows(rows.with(index, [next, isHeld]))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('roles.removeRow', { position: index + 1 })}
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
      <RolePicker label={t('roles.addRow')} value="" roles={roles} onChange={onAdd} />
    </div>
  );
}

const ownerChoices = ['any', 'first', 'some'] as const;

/** Which owners of a Safe count. */
export function OwnersField({ fields, onChange }: Parts) {
  const owners = readField(fields, '_owners');
  const count = isObject(owners) ? Number(owners.atLeast) : undefined;
  const put = (value: unknown) => onChange(writeField(fields, '_owners', value));
  return (
    <>
      <Select
        className={styles.wide}
        label={t('owners.label')}
        data={ownerChoices.map((value) => ({ value, label: t(`owners.${value}`) }))}
        value={count === undefined ? textOf(owners) || 'any' : 'some'}
        allowDeselect={false}
        onChange={(value) => put(value === 'some' ? { atLeast: 2 } : value === 'first' ? 'first' : undefined)}
      />
      {count !== undefined && (
        <NumberInput
          label={t('owners.count')}
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
  const known = (passes.data ?? []).flatMap(({ id = '', name = t('passes.pass'), roleSet = [] }) =>
    roleSet.map(({ id: roleId = '', name: roleName = t('passes.aRole') }) => ({
      value: `${place}:${id}:${roleId}`,
      label: roleSet.length > 1 ? t('passes.forRole', { pass: name, role: roleName }) : name,
    })),
  );
  const chosen = passesIn(readField(fields, '_filter'));
  if (chosen === undefined)
    return (
      <Text size="sm" c="dimmed" className={styles.wide}>
        {t('passes.combined')}
      </Text>
    );
  const gone = chosen
    .filter((value) => !known.some((one) => one.value === value))
    .map((value) => ({ value, label: t(passes.isLoading ? 'passes.loading' : 'passes.deleted') }));
  const put = (values: readonly string[]) => {
    const traits = values.map((value) => ({ trait_type: 'guestPass', value }));
    onChange(writeField(fields, '_filter', { filters: [{ condition: 'or', traits }] }));
  };
  return (
    <>
      <MultiSelect
        className={styles.wide}
        label={t('passes.label')}
        description={t('passes.hint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={chosen.length === 0 ? t('passes.placeholder') : ''}
        data={[...known, ...gone]}
        value={chosen}
        error={passes.isError && t('passes.failed')}
        searchable
        onChange={put}
      />
      {passes.isSuccess && known.length === 0 && (
        <Text size="sm" c="dimmed" className={styles.wide}>
          {t.rich('passes.none', {
            create: (
              <Link key="create" to="/communities/$communityId/passes" params={{ communityId }}>
                {t('passes.create')}
              </Link>
            ),
          })}
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
