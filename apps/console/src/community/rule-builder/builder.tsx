import { Alert, Button, Select, Tabs, Text, Textarea, TextInput, VisuallyHidden } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type ItemOf, useOperation, usePages } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.tsx';
import { isObject } from '../../shared/is-object.ts';
import { RoleName } from '../../shared/role-name.tsx';
import { EmptyState, Page, PagedList, State, Time, UnsavedChanges } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import { BuildTab } from './build-tab.tsx';
import styles from './builder.module.css';
import { StillCards } from './cards/still-cards.tsx';
import { DeleteRule } from './delete-rule.tsx';
import { textOf } from './fields.ts';
import { DescriptionPanel } from './panel/description-panel.tsx';
import { PreviewPanel } from './panel/preview-panel.tsx';
import { TryPanel } from './panel/try-panel.tsx';
import { SaveRule } from './save-rule.tsx';
import { toDraft } from './tree/draft.ts';
import { draw, type RuleForm, type Saved, type SavedDraft, useRuleForm, type Visibility } from './use-rule-form.ts';

interface Parts {
  communityId: string;
  saved?: Saved | undefined;
  startRoleId?: string | undefined;
  /** A draft to go on with. */
  savedDraft?: SavedDraft | undefined;
}

/** Builds a rule: what it asks for on the left, what that means on the right. */
export function Builder({ communityId, saved, startRoleId, savedDraft }: Parts) {
  const form = useRuleForm(saved, startRoleId, savedDraft);
  // Asked at the moment of leaving, which may come before the page is drawn anew.
  const isDone = useRef(false);
  const hasUnsaved = useRef(false);
  hasUnsaved.current = form.isChanged && !isDone.current;
  const navigate = useNavigate();
  const rulesPath = `/communities/${encodeURIComponent(communityId)}/rules`;
  const leaveTo = ({ ruleId, ruleChangeId }: { ruleId?: string; ruleChangeId?: string | undefined } = {}) => {
    hasUnsaved.current = false;
    isDone.current = true;
    const params = { communityId };
    if (ruleChangeId !== undefined)
      void navigate({ to: '/communities/$communityId/role-changes', params, search: { after: ruleChangeId } });
    else if (ruleId === undefined) void navigate({ to: '/communities/$communityId/rules', params });
    else void navigate({ to: '/communities/$communityId/rules/$ruleId', params: { ...params, ruleId } });
  };
  return (
    <Page
      isWide
      title={saved === undefined ? 'New rule' : shortened(saved.name ?? saved.roleName ?? 'Rule')}
      crumbs={[{ title: 'Rules', to: rulesPath }]}
      actions={
        <>
          {saved === undefined ? (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/communities/$communityId/rules" params={{ communityId }} {...props} />}
            >
              Cancel
            </Button>
          ) : (
            <DeleteRule
              communityId={communityId}
              saved={saved}
              onDeleted={(ruleChangeId) => leaveTo({ ruleChangeId })}
            />
          )}
          <SaveRule
            communityId={communityId}
            ruleId={saved?.id}
            draftId={savedDraft?.id}
            form={form}
            onCreated={(ruleId) => leaveTo({ ruleId })}
            onChangingRoles={(ruleChangeId) => leaveTo({ ruleChangeId })}
            onDrafted={() => leaveTo()}
          />
        </>
      }
    >
      {saved !== undefined && <RoleLosses saved={saved} roleId={form.draft.frame.roleId} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          <RuleSettings communityId={communityId} form={form} />
          <Tabs defaultValue="build" keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="build">Build</Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
              {saved !== undefined && <Tabs.Tab value="history">History</Tabs.Tab>}
            </Tabs.List>
            <Tabs.Panel value="build" pt="md">
              <BuildTab communityId={communityId} form={form} />
            </Tabs.Panel>
            <Tabs.Panel value="json" pt="md">
              <JsonTab form={form} />
            </Tabs.Panel>
            {saved !== undefined && (
              <Tabs.Panel value="history" pt="md">
                <HistoryTab communityId={communityId} ruleId={saved.id} form={form} />
              </Tabs.Panel>
            )}
          </Tabs>
        </div>
        <aside className={styles.side} aria-label="What this rule means">
          <DescriptionPanel communityId={communityId} ruleId={saved?.id} rule={form.rule} />
          <TryPanel communityId={communityId} rule={form.rule} />
          <PreviewPanel communityId={communityId} ruleId={saved?.id} rule={form.rule} />
        </aside>
      </div>
      <VisuallyHidden role="status">{form.said}</VisuallyHidden>
      <UnsavedChanges hasUnsaved={hasUnsaved}>
        <Text>Your changes to this rule aren’t saved.</Text>
      </UnsavedChanges>
    </Page>
  );
}

/** A name may have 200 characters; the field below shows all of it. */
function shortened(name: string): string {
  return name.length <= 60 ? name : `${[...name].slice(0, 59).join('')}…`;
}

/** How many members have the role of a saved rule just now, or what is wrong with the role. */
function RoleLosses({ saved, roleId }: { saved: Saved; roleId: unknown }) {
  if (saved.roleState === 'missing' && roleId === saved.roleId)
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title="This rule is broken: its role was deleted">
        Pick another role under “Members get” and save. Until then the rule gives nothing to anybody.
      </Alert>
    );
  if (saved.blocked !== undefined)
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title="This role cannot be given or taken">
        {saved.blocked}
      </Alert>
    );
  const { holders } = saved;
  return (
    <Text size="sm" c="dimmed">
      {counted(holders, 'member has', 'members have')} this role now.
    </Text>
  );
}

/** The rule as JSON. What is typed counts as soon as it can be read, and stays on the page in any case. */
function JsonTab({ form }: { form: RuleForm }) {
  const [text, setText] = useState(() => JSON.stringify(form.rule ?? {}, undefined, 2));
  const [fault, setFault] = useState<string>();
  const type = (typed: string) => {
    setText(typed);
    try {
      const value: unknown = JSON.parse(typed);
      const draft = toDraft(value);
      setFault(undefined);
      if (isObject(value)) form.edit(() => draft, { typing: 'json' });
    } catch (error) {
      const why = error instanceof SyntaxError ? 'This is not JSON yet.' : error instanceof Error ? error.message : '';
      setFault(`${why} The last rule that could be read counts.`);
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        The same rule as the API takes it. Muted conditions are not in it.
      </Text>
      <Textarea
        aria-label="The rule as JSON"
        value={text}
        error={fault}
        autosize
        minRows={12}
        maxRows={40}
        spellCheck={false}
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
    </>
  );
}

const visibilities: readonly { value: Visibility; label: string }[] = [
  { value: 'public', label: 'Everything' },
  { value: 'secret', label: 'Only that there is a rule' },
  { value: 'hidden', label: 'Nothing' },
];

/** The role that a rule gives, what it is called, and how much members see of it. */
function RuleSettings({ communityId, form }: { communityId: string; form: RuleForm }) {
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
  const colorOf = (id: string) => roles.data?.find((role) => role.id === id)?.color;
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
        renderOption={({ option }) => <RoleName name={option.label} color={colorOf(option.value)} />}
        {...(Number(colorOf(roleId)) > 0 && { leftSection: <RoleName name="" color={colorOf(roleId)} /> })}
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

type Change = ItemOf<'GET /latchkey/communities/{communityId}/rules/{ruleId}/history'>;

const words = { created: 'Created', changed: 'Changed', removed: 'Deleted' } as const;
const shown = { public: 'Members see it', secret: 'Secret', hidden: 'Hidden' } as const;

/** Who changed the rule, when, and what it was before and after. */
function HistoryTab({ communityId, ruleId, form }: { communityId: string; ruleId: string; form: RuleForm }) {
  const changes = usePages('GET /latchkey/communities/{communityId}/rules/{ruleId}/history', { communityId, ruleId });
  return (
    <PagedList
      pages={changes}
      what="changes"
      keyOf={({ id }) => id}
      empty={<EmptyState title="No changes recorded">Changes are kept from now on.</EmptyState>}
    >
      {(change) => <ChangeRow communityId={communityId} change={change} form={form} />}
    </PagedList>
  );
}

function ChangeRow({ communityId, change, form }: { communityId: string; change: Change; form: RuleForm }) {
  const { before, after, action } = change;
  const restore = () => {
    if (before === undefined) return;
    form.edit(() => draw(before.rule), { said: 'The earlier version is on the page. Save it to use it.' });
    form.setVisibility(before.visibility);
  };
  return (
    <div className={styles.change}>
      <p>
        <strong>{words[action]}</strong> by {change.changedByName ?? nameOf(change.changedBy)},{' '}
        <Time at={change.changedTime} />
      </p>
      {before !== undefined && <Version communityId={communityId} label="Before" version={before} />}
      {after !== undefined && (
        <Version communityId={communityId} label={before === undefined ? 'Rule' : 'After'} version={after} />
      )}
      {before !== undefined && (
        <div>
          <Button size="compact-sm" variant="default" onClick={restore}>
            Bring back the version before
          </Button>
        </div>
      )}
    </div>
  );
}

interface VersionParts {
  communityId: string;
  label: string;
  version: NonNullable<Change['before']>;
}

function Version({ communityId, label, version }: VersionParts) {
  return (
    <div>
      <p>
        <State>{label}</State> {version.sentence} <State>{shown[version.visibility]}</State>
      </p>
      <StillCards communityId={communityId} label={`Show the cards: ${label.toLowerCase()}`} rule={version.rule} />
    </div>
  );
}

/** People without a name here are known by their account; operators by their key. */
function nameOf(id: string): string {
  return id.startsWith('$') ? 'the operator' : id;
}
