import { Button, Checkbox, type InputWrapperProps, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Form, Query, Section, useForm } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { limitOf, type ManualChanges, type PolicyForm, type RoleForm, toBody, toForm } from './policy-form.ts';
import styles from './settings.module.css';

const route = 'GET /latchkey/communities/{communityId}/approval-policy';
type Policy = Answer<typeof route>;

/** Hints of different lengths would move the fields of a row apart. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

/** Which role changes an admin must approve. */
export function ApprovalPolicy({ communityId }: { communityId: string }) {
  const policy = useOperation(route, { communityId });
  return (
    <Section title={t('approvals.title')} lead={t('approvals.lead')}>
      <Query read={policy} loading={t('approvals.loading')}>
        {(data) => <PolicyFields communityId={communityId} policy={data} />}
      </Query>
    </Section>
  );
}

function PolicyFields({ communityId, policy }: { communityId: string; policy: Policy }) {
  const save = useAction('PUT /latchkey/communities/{communityId}/approval-policy', {
    done: t('approvals.saved'),
    changes: [route],
  });
  const form = useForm<PolicyForm>(toForm(policy), save.error);
  const { values, set } = form;
  const { defaults } = policy;
  const body = toBody(values);
  return (
    <Form
      isQuiet
      submit={t('approvals.save')}
      canSubmit={body !== undefined && JSON.stringify(values) !== JSON.stringify(toForm(policy))}
      action={save}
      onSubmit={() => body !== undefined && save.run({ communityId, body })}
    >
      <div className={styles.limits}>
        <NumberInput
          label={t('approvals.removalPercent')}
          description={t('approvals.removalPercentHint')}
          inputWrapperOrder={hintBelow}
          placeholder={t('approvals.default', { value: defaults.removalPercent })}
          suffix=" %"
          min={0}
          max={100}
          allowDecimal={false}
          {...form.choice('removalPercent')}
        />
        <NumberInput
          label={t('approvals.removalCount')}
          description={t('approvals.removalCountHint')}
          inputWrapperOrder={hintBelow}
          placeholder={t('approvals.default', { value: defaults.removalCount })}
          min={1}
          max={1_000_000}
          thousandSeparator=","
          allowDecimal={false}
          {...form.choice('removalCount')}
        />
        <NumberInput
          label={t('approvals.removalsPerDay')}
          description={t('approvals.removalsPerDayHint')}
          inputWrapperOrder={hintBelow}
          placeholder={t('approvals.default', { value: defaults.removalsPerDay })}
          min={0}
          max={1_000_000}
          thousandSeparator=","
          allowDecimal={false}
          {...form.choice('removalsPerDay')}
        />
      </div>
      <Switch
        label={t('approvals.two')}
        description={t('approvals.twoHint')}
        checked={values.needsTwo}
        onChange={({ currentTarget }) => set({ needsTwo: currentTarget.checked })}
      />
      <QuietHours form={form} />
      <Select
        className={styles.narrow}
        label={t('approvals.byHand')}
        description={t('approvals.byHandHint')}
        allowDeselect={false}
        data={manualOptions()}
        {...form.choice('manualChanges')}
      />
      <Roles communityId={communityId} roles={values.roles} onChange={(roles) => set({ roles })} />
    </Form>
  );
}

const manualChoices: readonly ManualChanges[] = ['correct', 'report', 'leave'];

function manualOptions() {
  return manualChoices.map((value) => ({ value, label: t(`approvals.manual.${value}`) }));
}

const timeZones = Intl.supportedValuesOf('timeZone');

/** Hours in which roles are removed only with approval. */
function QuietHours({ form: { values, set, text, choice } }: { form: ReturnType<typeof useForm<PolicyForm>> }) {
  const zones = timeZones.includes(values.timeZone) ? timeZones : [values.timeZone, ...timeZones];
  return (
    <>
      <Switch
        label={t('approvals.quietHours')}
        description={t('approvals.quietHoursHint')}
        checked={values.isQuiet}
        onChange={({ currentTarget }) => set({ isQuiet: currentTarget.checked })}
      />
      {values.isQuiet && (
        <div className={styles.limits}>
          <TextInput type="time" label={t('approvals.from')} {...text('from')} />
          <TextInput
            type="time"
            label={t('approvals.to')}
            {...text('to')}
            {...(values.from === values.to && { error: t('approvals.sameTime') })}
          />
          <Select
            label={t('approvals.timeZone')}
            searchable
            allowDeselect={false}
            data={zones}
            {...choice('timeZone')}
          />
        </div>
      )}
    </>
  );
}

interface RolesParts {
  communityId: string;
  roles: readonly RoleForm[];
  onChange(roles: RoleForm[]): void;
}

/** Roles with limits of their own. Any role can be named, also one that the bot cannot give now. */
function Roles({ communityId, roles, onChange }: RolesParts) {
  const [isAdding, setIsAdding] = useState(false);
  const known = useOperation('GET /latchkey/communities/{communityId}/chat-roles', { communityId });
  const items = known.data?.items ?? [];
  const nameOf = (roleId: string) =>
    items.find(({ id }) => id === roleId)?.name ?? (known.isSuccess ? t('approvals.deletedRole') : t('common.role'));
  const others = items.filter(({ id }) => !roles.some(({ roleId }) => roleId === id));
  const change = (roleId: string, changed: Partial<RoleForm>) =>
    onChange(roles.map((role) => (role.roleId === roleId ? { ...role, ...changed } : role)));
  return (
    <fieldset className={styles.roles}>
      <legend>{t('approvals.roles')}</legend>
      {roles.map((role) => (
        <RoleFields
          key={role.roleId}
          name={nameOf(role.roleId)}
          role={role}
          onChange={(changed) => change(role.roleId, changed)}
          onRemove={() => onChange(roles.filter(({ roleId }) => roleId !== role.roleId))}
        />
      ))}
      {isAdding || known.isError ? (
        <Select
          label={t('common.role')}
          placeholder={known.isPending ? t('approvals.loadingRoles') : t('approvals.pickRole')}
          searchable
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          nothingFoundMessage={t('approvals.noOtherRole')}
          error={known.isError && t('approvals.rolesNotLoaded')}
          className={styles.field}
          onChange={(roleId) => {
            if (roleId === null) return;
            onChange([
              ...roles,
              {
                roleId,
                removalPercent: '',
                removalCount: '',
                removalsPerDay: '',
                approvesGrants: false,
                manualChanges: '',
              },
            ]);
            setIsAdding(false);
          }}
        />
      ) : (
        <Button size="xs" variant="default" className={styles.start} onClick={() => setIsAdding(true)}>
          {t('approvals.addRole')}
        </Button>
      )}
    </fieldset>
  );
}

interface RoleFieldsParts {
  name: string;
  role: RoleForm;
  onChange(changed: Partial<RoleForm>): void;
  onRemove(): void;
}

function RoleFields({ name, role, onChange, onRemove }: RoleFieldsParts) {
  const limits = [
    { field: 'removalPercent', label: 'approvals.rolePercent', min: 0, max: 100 },
    { field: 'removalCount', label: 'approvals.roleCount', min: 1, max: 1_000_000 },
    { field: 'removalsPerDay', label: 'approvals.rolePerDay', min: 0, max: 1_000_000 },
  ] as const;
  return (
    <div className={styles.role}>
      <div className={styles.roleHead}>
        <strong title={name}>{name}</strong>
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={t('approvals.removeRole', { role: name })}
          onClick={onRemove}
        >
          {t('common.remove')}
        </Button>
      </div>
      <div className={styles.limits}>
        {limits.map(({ field, label, min, max }) => (
          <NumberInput
            key={field}
            label={t(label)}
            aria-label={t(`${label}Of`, { role: name })}
            placeholder={t('approvals.asAbove')}
            min={min}
            max={max}
            allowDecimal={false}
            value={role[field]}
            onChange={(value) => onChange({ [field]: limitOf(value) ?? '' })}
          />
        ))}
      </div>
      <Checkbox
        label={t('approvals.grants')}
        aria-label={t('approvals.grantsOf', { role: name })}
        checked={role.approvesGrants}
        onChange={({ currentTarget }) => onChange({ approvesGrants: currentTarget.checked })}
      />
      <Select
        className={styles.field}
        label={t('approvals.roleByHand')}
        aria-label={t('approvals.roleByHandOf', { role: name })}
        placeholder={t('approvals.asAbove')}
        clearable
        data={manualOptions()}
        value={role.manualChanges === '' ? null : role.manualChanges}
        onChange={(value) => onChange({ manualChanges: manualChoices.find((one) => one === value) ?? '' })}
      />
    </div>
  );
}
