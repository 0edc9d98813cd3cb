import { chatPlatforms, isAble, platformNames } from '@latchkey/kernel/chat-platforms';
import { tagOfRole } from '@latchkey/kernel/member-tags';
import { Alert, Button, Select, Tabs, Text, Textarea, TextInput, VisuallyHidden } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type ItemOf, useOperation, usePages } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.ts';
import { isObject } from '../../shared/is-object.ts';
import { LockNotice } from '../../shared/parts/lock-notice.tsx';
import { RoleName } from '../../shared/role-name.tsx';
import { EmptyState, Page, PagedList, State, Time, UnsavedChanges } from '../../shared/ui/index.ts';
import { BuildTab } from './build-tab.tsx';
import styles from './builder.module.css';
import { StillCards } from './cards/still-cards.tsx';
import { DeleteRule } from './delete-rule.tsx';
import { textOf } from './fields.ts';
import { t } from './messages/index.ts';
import { DescriptionPanel } from './panel/description-panel.tsx';
import { PreviewPanel } from './panel/preview-panel.tsx';
import { TryPanel } from './panel/try-panel.tsx';
import { SaveRule } from './save-rule.tsx';
import { TagField } from './tag-field.tsx';
import { NotDrawable, toDraft } from './tree/draft.ts';
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
      title={saved === undefined ? t('builder.newRule') : shortened(saved.name ?? saved.roleName ?? t('builder.rule'))}
      crumbs={[{ title: t('builder.rules'), to: rulesPath }]}
      actions={
        <>
          {saved === undefined ? (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/communities/$communityId/rules" params={{ communityId }} {...props} />}
            >
              {t('builder.cancel')}
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
      <LockNotice communityId={communityId} />
      {saved !== undefined && <RoleLosses saved={saved} roleId={form.draft.frame.roleId} />}
      <div className={styles.columns}>
        <div className={styles.main}>
          <RuleSettings communityId={communityId} form={form} />
          <Tabs defaultValue="build" keepMounted={false}>
            <Tabs.List>
              <Tabs.Tab value="build">{t('builder.build')}</Tabs.Tab>
              <Tabs.Tab value="json">{t('builder.json')}</Tabs.Tab>
              {saved !== undefined && <Tabs.Tab value="history">{t('builder.history')}</Tabs.Tab>}
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
        <aside className={styles.side} aria-label={t('builder.meaning')}>
          <DescriptionPanel communityId={communityId} ruleId={saved?.id} rule={form.rule} isChanged={form.isChanged} />
          <TryPanel communityId={communityId} rule={form.rule} />
          <PreviewPanel communityId={communityId} ruleId={saved?.id} rule={form.rule} />
        </aside>
      </div>
      <VisuallyHidden role="status">{form.announcement}</VisuallyHidden>
      <UnsavedChanges hasUnsaved={hasUnsaved}>
        <Text>{t('builder.unsaved')}</Text>
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
      <Alert color="red" icon={<IconAlertTriangle />} title={t('builder.brokenTitle')}>
        {t('builder.broken')}
      </Alert>
    );
  if (saved.blocked !== undefined)
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title={t('builder.blockedTitle')}>
        {saved.blocked}
      </Alert>
    );
  return (
    <Text size="sm" c="dimmed">
      {t('builder.holders', { count: saved.holders })}
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
      const problem = error instanceof NotDrawable ? error.message : t('json.notJson');
      setFault(t('json.lastCounts', { problem }));
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('json.lead')}
      </Text>
      <Textarea
        aria-label={t('json.label')}
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

const visibilities: readonly Visibility[] = ['public', 'secret', 'hidden'];

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
  const tag = tagOfRole(roleId);
  const isMissing = roleId !== '' && tag === undefined && !known.some(({ value }) => value === roleId);
  const gone = { value: roleId, label: t(roles.isSuccess ? 'common.deletedRole' : 'settings.itsRole'), disabled: true };
  // A tag that no saved rule gives yet.
  const newTag =
    tag === undefined || known.some(({ value }) => value === roleId)
      ? []
      : [{ value: roleId, label: t('settings.tagNamed', { tag }), disabled: false }];
  const colorOf = (id: string) => roles.data?.find((role) => role.id === id)?.color;
  const barred = (roles.data ?? []).filter(({ fault }) => fault !== undefined).length;
  return (
    <div className={styles.settings}>
      <Select
        label={t('settings.role')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder={t(roles.isLoading ? 'settings.loadingRoles' : 'common.pickRole')}
        description={barred > 0 ? t('settings.barredRoles', { count: barred, all: known.length }) : undefined}
        error={roles.isError && t('settings.rolesFailed')}
        data={[...(isMissing ? [gone] : []), ...known, ...newTag]}
        value={roleId === '' ? null : roleId}
        renderOption={({ option }) => <RoleName name={option.label} color={colorOf(option.value)} />}
        {...(Number(colorOf(roleId)) > 0 && { leftSection: <RoleName name="" color={colorOf(roleId)} /> })}
        searchable
        allowDeselect={false}
        onChange={(value) => value !== null && form.setFrame('roleId', value)}
      />
      {hasTags(communityId) && <TagField roleId={roleId} onChange={(value) => form.setFrame('roleId', value)} />}
      <TextInput
        label={t('settings.name')}
        placeholder={t('settings.namePlaceholder')}
        value={textOf(frame.name)}
        maxLength={200}
        onChange={({ currentTarget }) => form.setFrame('name', currentTarget.value)}
      />
      <TextInput
        label={t('settings.note')}
        placeholder={t('settings.notePlaceholder')}
        value={textOf(frame.description)}
        maxLength={2000}
        onChange={({ currentTarget }) => form.setFrame('description', currentTarget.value)}
      />
      <Select
        label={t('settings.visibility')}
        data={visibilities.map((value) => ({ value, label: t(`settings.${value}`) }))}
        value={form.visibility}
        allowDeselect={false}
        onChange={(value) => form.setVisibility(value === 'secret' || value === 'hidden' ? value : 'public')}
      />
    </div>
  );
}

function hasTags(communityId: string): boolean {
  const platform = platformNames.find((name) => communityId.startsWith(`${chatPlatforms[name].prefix}#`));
  return platform !== undefined && isAble(platform, 'memberTags');
}

type Change = ItemOf<'GET /latchkey/communities/{communityId}/rules/{ruleId}/history'>;

/** Who changed the rule, when, and what it was before and after. */
function HistoryTab({ communityId, ruleId, form }: { communityId: string; ruleId: string; form: RuleForm }) {
  const changes = usePages('GET /latchkey/communities/{communityId}/rules/{ruleId}/history', { communityId, ruleId });
  return (
    <PagedList
      pages={changes}
      loading={t('history.loading')}
      more={t('history.more')}
      keyOf={({ id }) => id}
      empty={<EmptyState title={t('history.emptyTitle')}>{t('history.empty')}</EmptyState>}
    >
      {(change) => <ChangeRow communityId={communityId} change={change} form={form} />}
    </PagedList>
  );
}

function ChangeRow({ communityId, change, form }: { communityId: string; change: Change; form: RuleForm }) {
  const { before, after, action } = change;
  const restore = () => {
    if (before === undefined) return;
    form.edit(() => draw(before.rule), { announcement: t('history.restored') });
    form.setVisibility(before.visibility);
  };
  return (
    <div className={styles.change}>
      <p>
        {t.rich('history.byAt', {
          action: <strong key="action">{t(`history.${action}`)}</strong>,
          name: change.changedByName ?? nameOf(change.changedBy),
          time: <Time key="time" at={change.changedTime} />,
        })}
      </p>
      {before !== undefined && <Version communityId={communityId} which="before" version={before} />}
      {after !== undefined && (
        <Version communityId={communityId} which={before === undefined ? 'only' : 'after'} version={after} />
      )}
      {before !== undefined && (
        <div>
          <Button size="compact-sm" variant="default" onClick={restore}>
            {t('history.restore')}
          </Button>
        </div>
      )}
    </div>
  );
}

interface VersionParts {
  communityId: string;
  which: 'before' | 'after' | 'only';
  version: NonNullable<Change['before']>;
}

function Version({ communityId, which, version }: VersionParts) {
  return (
    <div>
      <p>
        <State>{t(`history.${which}`)}</State> {version.sentence} <State>{t(`history.${version.visibility}`)}</State>
      </p>
      <StillCards communityId={communityId} label={t('history.showCards', { version: which })} rule={version.rule} />
    </div>
  );
}

/** People without a name here are known by their account; operators by their key. */
function nameOf(id: string): string {
  return id.startsWith('$') ? t('history.operator') : id;
}
