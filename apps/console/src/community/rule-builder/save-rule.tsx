import { ApiError } from '@latchkey/client';
import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Dialog, Failure, Loading } from '../../shared/ui/index.ts';
import { toast } from '../../shared/ui/toasts.tsx';
import { findCausedChangeSet } from './find-caused-change-set.ts';
import { PreviewResult } from './panel/preview-result.tsx';
import type { RuleForm } from './use-rule-form.ts';

const changes = [
  'GET /latchkey/communities/{communityId}/rules',
  'GET /latchkey/communities/{communityId}/rules/{ruleId}',
  'GET /latchkey/communities/{communityId}/rules/{ruleId}/history',
] as const;
const drafts = 'GET /latchkey/communities/{communityId}/rule-drafts';

interface Parts {
  communityId: string;
  ruleId: string | undefined;
  /** The draft that the form began with. */
  draftId: string | undefined;
  form: RuleForm;
  onCreated(id: string): void;
  onDrafted(): void;
}

/** Shows what a rule would change before it is saved. Nothing is saved before the admin confirms it. */
export function SaveRule({ communityId, ruleId, draftId, form, onCreated, onDrafted }: Parts) {
  const [isOpen, setIsOpen] = useState(false);
  const preview = useAction('POST /latchkey/communities/{communityId}/rule-drafts/preview');
  const done = () => setIsOpen(false);
  const linkToChanges = useLinkToChanges(communityId);
  const deleteDraft = useAction('DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}', {
    changes: [drafts],
  });
  const saved = (id: string) => {
    if (draftId !== undefined) deleteDraft.run({ communityId, draftId });
    const { gains = 1, loses = 0 } = preview.answer ?? {};
    if (gains + loses > 0) void linkToChanges(id);
  };
  const saveDraft = useAction('POST /latchkey/communities/{communityId}/rule-drafts', {
    done: 'Saved as a draft. It has no effect until you save it as a rule.',
    changes: [drafts],
    onDone: () => {
      done();
      onDrafted();
    },
  });
  const create = useAction('POST /latchkey/communities/{communityId}/rules', {
    done: 'Rule saved. Members are being checked.',
    changes,
    onDone: ({ id, updatedTime }) => {
      form.keep(updatedTime);
      done();
      saved(id);
      onCreated(id);
    },
  });
  const change = useAction('PUT /latchkey/communities/{communityId}/rules/{ruleId}', {
    done: 'Rule saved. Members are being checked.',
    changes,
    onDone: ({ id, updatedTime }) => {
      form.keep(updatedTime);
      done();
      saved(id);
    },
  });
  const { rule, visibility, updatedTime } = form;
  const review = () => {
    create.reset();
    change.reset();
    saveDraft.reset();
    setIsOpen(true);
    if (rule !== undefined) preview.run({ communityId, body: { rule, ...(ruleId !== undefined && { ruleId }) } });
  };
  const save = () => {
    if (rule === undefined) return;
    if (ruleId === undefined) create.run({ communityId, body: { rule, visibility } });
    else
      change.run({
        communityId,
        ruleId,
        body: { rule, visibility, ...(updatedTime !== undefined && { updatedTime }) },
      });
  };
  const keepAsDraft = () => {
    if (rule === undefined) return;
    const named = { ...(ruleId !== undefined && { ruleId }), ...(draftId !== undefined && { draftId }) };
    saveDraft.run({ communityId, body: { rule, visibility, ...named } });
  };
  const refusal = create.error ?? change.error;
  const loses = preview.answer?.loses ?? 0;
  return (
    <>
      <Button disabled={rule === undefined || (ruleId !== undefined && !form.isChanged)} onClick={review}>
        Review and save
      </Button>
      <Dialog isOpen={isOpen} title="What this rule would change" size="large" onClose={done}>
        {preview.isRunning && <Loading what="what would change" />}
        {preview.error !== null && (
          <>
            <Failure error={preview.error} onRetry={review} />
            <Text size="sm">You can save without seeing what would change.</Text>
          </>
        )}
        {preview.answer !== undefined && !preview.isRunning && <PreviewResult preview={preview.answer} />}
        <Failure error={saveDraft.error ?? refusal} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={done}>
            Keep editing
          </Button>
          {refusal instanceof ApiError && refusal.code === 'VALIDATION_FAILED' && (
            <Button variant="default" loading={saveDraft.isRunning} onClick={keepAsDraft}>
              Save as draft
            </Button>
          )}
          <Button
            color={loses > 0 ? 'red' : 'green'}
            disabled={preview.isRunning}
            loading={create.isRunning || change.isRunning}
            onClick={save}
          >
            {loses > 0 ? `Save: ${loses.toLocaleString()} would lose the role` : 'Save rule'}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}

/** A worker checks the members after a rule is saved. A toast links to the role changes once there are any. */
function useLinkToChanges(communityId: string) {
  const navigate = useNavigate();
  return async (ruleId: string) => {
    const changeSetId = await findCausedChangeSet(communityId, ruleId);
    if (changeSetId === undefined) return;
    toast('Your rule change led to role changes.', {
      label: 'Show them',
      open: () =>
        void navigate({
          to: '/communities/$communityId/role-changes/$changeSetId',
          params: { communityId, changeSetId },
        }),
    });
  };
}
