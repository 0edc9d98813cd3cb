import { Button, Tabs, VisuallyHidden } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { Page } from '../../shared/ui/index.ts';
import { BuildTab } from './build-tab.tsx';
import styles from './builder.module.css';
import { DeleteRule } from './delete-rule.tsx';
import { HistoryTab } from './history-tab.tsx';
import { JsonTab } from './json-tab.tsx';
import { DescriptionPanel } from './panel/description-panel.tsx';
import { PreviewPanel } from './panel/preview-panel.tsx';
import { TryPanel } from './panel/try-panel.tsx';
import { RoleLosses } from './role-standing.tsx';
import { RuleSettings } from './rule-settings.tsx';
import { SaveRule } from './save-rule.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { type Saved, useRuleForm } from './use-rule-form.ts';

interface Parts {
  communityId: string;
  saved?: Saved | undefined;
  startRoleId?: string | undefined;
}

/** Builds a rule: what it asks for on the left, what that means on the right. */
export function Builder({ communityId, saved, startRoleId }: Parts) {
  const form = useRuleForm(saved, startRoleId);
  // Asked at the moment of leaving, which may come before the page is drawn anew.
  const isDone = useRef(false);
  const hasUnsaved = useRef(false);
  hasUnsaved.current = form.isChanged && !isDone.current;
  const navigate = useNavigate();
  const rulesPath = `/communities/${encodeURIComponent(communityId)}/rules`;
  const leaveTo = (ruleId?: string) => {
    hasUnsaved.current = false;
    isDone.current = true;
    if (ruleId === undefined) void navigate({ to: '/communities/$communityId/rules', params: { communityId } });
    else void navigate({ to: '/communities/$communityId/rules/$ruleId', params: { communityId, ruleId } });
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
            <DeleteRule communityId={communityId} saved={saved} onDeleted={() => leaveTo()} />
          )}
          <SaveRule communityId={communityId} ruleId={saved?.id} form={form} onCreated={(id) => leaveTo(id)} />
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
          <DescriptionPanel communityId={communityId} rule={form.rule} />
          <TryPanel communityId={communityId} rule={form.rule} />
          <PreviewPanel communityId={communityId} ruleId={saved?.id} rule={form.rule} />
        </aside>
      </div>
      <VisuallyHidden role="status">{form.said}</VisuallyHidden>
      <UnsavedGuard hasUnsaved={hasUnsaved} />
    </Page>
  );
}

/** A name may have 200 characters; the field below shows all of it. */
function shortened(name: string): string {
  return name.length <= 60 ? name : `${[...name].slice(0, 59).join('')}…`;
}
