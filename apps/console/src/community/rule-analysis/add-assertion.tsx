import { SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { type Answer, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { Failure, Form, useForm } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './rule-analysis.module.css';

const analysis = 'GET /latchkey/communities/{communityId}/rule-analysis';
type Assertion = Answer<typeof analysis>['assertions'][number]['assertion'];

const mostAssertions = 20;

interface Parts {
  communityId: string;
  assertions: readonly Assertion[];
  onAdded(): void;
}

/** Adds an assertion: a role that nobody gets without another role, or without meeting the condition of a rule. */
export function AddAssertion({ communityId, assertions, onAdded }: Parts) {
  const roles = useOperation('GET /latchkey/communities/{communityId}/chat-roles', { communityId });
  const rules = usePages('GET /latchkey/communities/{communityId}/rules', { communityId });
  const save = useAction('PUT /latchkey/communities/{communityId}/rule-assertions', {
    done: t('assertions.added'),
    changes: [analysis],
    onDone: onAdded,
  });
  const form = useForm({ name: '', role: '', way: 'role' as 'role' | 'rule', other: '', rule: '' }, save.error);
  const { name, role, way, other, rule } = form.values;
  const roleOptions = (roles.data?.items ?? []).map(({ id, name: label }) => ({ value: id, label }));
  const ruleOptions = rules.items.map(({ id, name: title, roleName, roleId }) => ({
    value: id,
    label: title ?? roleName ?? roleId,
  }));
  const copied = useOperation(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}',
    { communityId, ruleId: rule },
    { enabled: rule !== '' },
  );
  const submit = () => {
    const unless = way === 'role' ? { role: other } : { holds: conditionOf({ ...copied.data?.rule }) };
    const assertion: Assertion = { ...(name.trim() !== '' && { name: name.trim() }), never: { role, unless } };
    save.run({ communityId, body: { assertions: [...assertions, assertion] } });
  };
  if (assertions.length >= mostAssertions)
    return <Text size="sm">{t('assertions.most', { count: mostAssertions })}</Text>;
  return (
    <Form
      submit={t('assertions.submit')}
      canSubmit={role !== '' && (way === 'role' ? other !== '' && other !== role : copied.data !== undefined)}
      action={save}
      onSubmit={submit}
    >
      <TextInput
        label={t('assertions.name')}
        placeholder={t('assertions.namePlaceholder')}
        maxLength={200}
        className={styles.field}
        {...form.text('name')}
      />
      <Select
        label={t('assertions.role')}
        placeholder={t('assertions.pick')}
        searchable
        data={roleOptions}
        className={styles.field}
        {...form.choice('role')}
      />
      <div className={styles.way}>
        <Text size="sm" fw={550} aria-hidden="true">
          {t('assertions.unless')}
        </Text>
        <SegmentedControl
          aria-label={t('assertions.unless')}
          data={[
            { value: 'role', label: t('assertions.anotherRole') },
            { value: 'rule', label: t('assertions.aRule') },
          ]}
          value={way}
          onChange={(value) => form.set({ way: value === 'rule' ? 'rule' : 'role' })}
          className={styles.ways}
        />
      </div>
      {way === 'role' ? (
        <Select
          label={t('assertions.otherRole')}
          placeholder={t('assertions.pick')}
          searchable
          data={roleOptions.filter(({ value }) => value !== role)}
          className={styles.field}
          {...form.choice('other')}
        />
      ) : (
        <Select
          label={t('assertions.rule')}
          description={t('assertions.ruleHint')}
          placeholder={t('assertions.pick')}
          searchable
          nothingFoundMessage={t('assertions.noRules')}
          data={ruleOptions}
          className={styles.field}
          {...form.choice('rule')}
        />
      )}
      <Failure error={copied.error} />
    </Form>
  );
}

/** What a rule requires, without its role and names. */
function conditionOf(rule: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { roleId: _roleId, name: _name, description: _description, ...condition } = rule;
  return condition;
}
