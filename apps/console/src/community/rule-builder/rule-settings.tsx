import { Select, TextInput } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import styles from './builder.module.css';
import { textOf } from './fields.ts';
import type { RuleForm, Visibility } from './use-rule-form.ts';

const visibilities: readonly { value: Visibility; label: string }[] = [
  { value: 'public', label: 'Everything' },
  { value: 'secret', label: 'Only that there is a rule' },
  { value: 'hidden', label: 'Nothing' },
];

/** The role that a rule gives, what it is called, and how much members see of it. */
export function RuleSettings({ communityId, form }: { communityId: string; form: RuleForm }) {
  const { frame } = form.draft;
  const roles = useOperation('GET /latchkey/communities/{communityId}/rule-roles', { communityId });
  const roleId = textOf(frame.roleId);
  const known = (roles.data ?? []).map(({ id, name, fault }) => ({
    value: id,
    label: name,
    disabled: fault !== undefined,
  }));
  const isMissing = roleId !== '' && !known.some(({ value }) => value === roleId);
  const gone = { value: roleId, label: roles.isSuccess ? 'A role that was deleted' : 'Its role', disabled: true };
  const barred = (roles.data ?? []).filter(({ fault }) => fault !== undefined).length;
  return (
    <div className={styles.settings}>
      <Select
        label="Members get"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={roles.isLoading ? 'Loading roles …' : 'Pick a role'}
        description={barred > 0 ? `${barred} of ${known.length} roles cannot be given by rules.` : undefined}
        error={roles.isError && 'The roles could not be loaded. They are tried again when you come back to this page.'}
        data={isMissing ? [gone, ...known] : known}
        value={roleId === '' ? null : roleId}
        searchable
        allowDeselect={false}
        onChange={(value) => value !== null && form.setFrame('roleId', value)}
      />
      <TextInput
        label="Name"
        placeholder="What admins call it"
        value={textOf(frame.name)}
        maxLength={200}
        onChange={({ currentTarget }) => form.setFrame('name', currentTarget.value)}
      />
      <TextInput
        label="Note"
        placeholder="What the rule is for"
        value={textOf(frame.description)}
        maxLength={2000}
        onChange={({ currentTarget }) => form.setFrame('description', currentTarget.value)}
      />
      <Select
        label="Members see"
        data={visibilities}
        value={form.visibility}
        allowDeselect={false}
        onChange={(value) => form.setVisibility(value === 'secret' || value === 'hidden' ? value : 'public')}
      />
    </div>
  );
}
