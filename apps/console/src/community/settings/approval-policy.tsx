import { Button, Checkbox, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Form, Query, Section, useForm } from '../../shared/ui/index.ts';
import { limitOf, type ManualChanges, type PolicyForm, type RoleForm, toBody, toForm } from './policy-form.ts';
import styles from './settings.module.css';

const route = 'GET /latchkey/communities/{communityId}/approval-policy';
type Policy = Answer<typeof route>;

/** Which role changes an admin must approve. */
export function ApprovalPolicy({ communityId }: { communityId: string }) {
  const policy = useOperation(route, { communityId });
  return (
    <Section
      title="Approvals"
      lead="Large removals wait until an admin approves them. Leave a limit empty to use the default of this server."
    >
      <Query read={policy} what="the approval policy">
        {(data) => <PolicyFields communityId={communityId} policy={data} />}
      </Query>
    </Section>
  );
}

function PolicyFields({ communityId, policy }: { communityId: string; policy: Policy }) {
  const save = useAction('PUT /latchkey/communities/{communityId}/approval-policy', {
    done: 'Approval policy saved.',
    changes: [route],
  });
  const form = useForm<PolicyForm>(toForm(policy), save.error);
  const { values, set } = form;
  const { defaults } = policy;
  const body = toBody(values);
  return (
    <Form
      isQuiet
      submit="Save approvals"
      canSubmit={body !== undefined && JSON.stringify(values) !== JSON.stringify(toForm(policy))}
      action={save}
      onSubmit={() => body !== undefined && save.run({ communityId, body })}
    >
      <div className={styles.limits}>
        <NumberInput
          label="Percentage of holders"
          description="Removing a role from more of its holders within 24 hours needs approval."
          placeholder={`Default: ${defaults.removalPercent}`}
          suffix=" %"
          min={0}
          max={100}
          allowDecimal={false}
          {...form.choice('removalPercent')}
        />
        <NumberInput
          label="Smallest number of members"
          description="The percentage counts from this many removals on."
          placeholder={`Default: ${defaults.removalCount.toLocaleString()}`}
          min={1}
          max={1_000_000}
          thousandSeparator=","
          allowDecimal={false}
          {...form.choice('removalCount')}
        />
        <NumberInput
          label="Removals per day"
          description="More removals of one role within 24 hours need approval, whatever their percentage."
          placeholder={`Default: ${defaults.removalsPerDay.toLocaleString()}`}
          min={0}
          max={1_000_000}
          thousandSeparator=","
          allowDecimal={false}
          {...form.choice('removalsPerDay')}
        />
      </div>
      <Switch
        label="Two admins must approve"
        description="One admin is enough to reject role changes."
        checked={values.needsTwo}
        onChange={({ currentTarget }) => set({ needsTwo: currentTarget.checked })}
      />
      <QuietHours form={form} />
      <Select
        className={styles.field}
        label="Changes by hand"
        description="What Latchkey does when an admin or another bot gives or takes a role that a rule names."
        allowDeselect={false}
        data={manualChoices}
        {...form.choice('manualChanges')}
      />
      <Roles communityId={communityId} roles={values.roles} onChange={(roles) => set({ roles })} />
    </Form>
  );
}

const manualChoices: readonly { value: ManualChanges; label: string }[] = [
  { value: 'correct', label: 'Correct at once' },
  { value: 'report', label: 'Report to admins' },
  { value: 'leave', label: 'Leave until the next check' },
];

const timeZones = Intl.supportedValuesOf('timeZone');

/** Hours in which roles are removed only with approval. */
function QuietHours({ form: { values, set, text, choice } }: { form: ReturnType<typeof useForm<PolicyForm>> }) {
  const zones = timeZones.includes(values.timeZone) ? timeZones : [values.timeZone, ...timeZones];
  return (
    <>
      <Switch
        label="Quiet hours"
        description="Removals wait until quiet hours end, unless an admin approves them. Roles are still given."
        checked={values.isQuiet}
        onChange={({ currentTarget }) => set({ isQuiet: currentTarget.checked })}
      />
      {values.isQuiet && (
        <div className={styles.limits}>
          <TextInput type="time" label="From" {...text('from')} />
          <TextInput
            type="time"
            label="To"
            {...text('to')}
            {...(values.from === values.to && { error: 'Choose another time than the start.' })}
          />
          <Select label="Time zone" searchable allowDeselect={false} data={zones} {...choice('timeZone')} />
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
    items.find(({ id }) => id === roleId)?.name ?? (known.isSuccess ? 'A deleted role' : 'Role');
  const others = items.filter(({ id }) => !roles.some(({ roleId }) => roleId === id));
  const change = (roleId: string, changed: Partial<RoleForm>) =>
    onChange(roles.map((role) => (role.roleId === roleId ? { ...role, ...changed } : role)));
  return (
    <fieldset className={styles.roles}>
      <legend>Limits for single roles</legend>
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
          label="Role"
          placeholder={known.isPending ? 'Loading roles …' : 'Pick a role'}
          searchable
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          value={null}
          nothingFoundMessage="No other role"
          error={
            known.isError && 'The roles could not be loaded. They are tried again when you come back to this page.'
          }
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
          Add a role
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
    { field: 'removalPercent', label: 'Percentage', min: 0, max: 100 },
    { field: 'removalCount', label: 'Smallest number', min: 1, max: 1_000_000 },
    { field: 'removalsPerDay', label: 'Per day', min: 0, max: 1_000_000 },
  ] as const;
  return (
    <div className={styles.role}>
      <div className={styles.roleHead}>
        <strong title={name}>{name}</strong>
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={`Remove limits for ${name}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
      <div className={styles.limits}>
        {limits.map(({ field, label, min, max }) => (
          <NumberInput
            key={field}
            label={label}
            aria-label={`${label} for ${name}`}
            placeholder="As above"
            min={min}
            max={max}
            allowDecimal={false}
            value={role[field]}
            onChange={(value) => onChange({ [field]: limitOf(value) ?? '' })}
          />
        ))}
      </div>
      <Checkbox
        label="Granting needs approval"
        aria-label={`Granting ${name} needs approval`}
        checked={role.approvesGrants}
        onChange={({ currentTarget }) => onChange({ approvesGrants: currentTarget.checked })}
      />
      <Select
        className={styles.field}
        label="Changed by hand"
        aria-label={`${name} changed by hand`}
        placeholder="As above"
        clearable
        data={manualChoices}
        value={role.manualChanges === '' ? null : role.manualChanges}
        onChange={(value) => onChange({ manualChanges: manualChoices.find((one) => one.value === value)?.value ?? '' })}
      />
    </div>
  );
}
