import { ApiError } from '@latchkey/client';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ask, useAction } from '../../shared/api/index.ts';
import { describeRefusedFields } from '../../shared/refused-fields.ts';
import { Dialog, Failure, Loading } from '../../shared/ui/index.ts';
import { t } from './messages/index.ts';
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
  /** Roles change because of it; the change of the rule leads to them. */
  onChangingRoles(ruleChangeId: string): void;
  onDrafted(): void;
}

/** Shows what a rule would change before it is saved. Nothing is saved before the admin confirms it. */
export function SaveRule({ communityId, ruleId, draftId, form, onCreated, onChangingRoles, onDrafted }: Parts) {
  const [isOpen, setIsOpen] = useState(false);
  const preview = useAction('POST /latchkey/communities/{communityId}/rule-drafts/preview');
  const done = () => setIsOpen(false);
  const deleteDraft = useAction('DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}', {
    changes: [drafts],
  });
  const saved = async (id: string) => {
    if (draftId !== undefined) deleteDraft.run({ communityId, draftId });
    const { gains = 1, loses = 0 } = preview.answer ?? {};
    const change = gains + loses > 0 ? await findNewestChange(communityId, id) : undefined;
    done();
    if (change !== undefined) onChangingRoles(change);
    else if (ruleId === undefined) onCreated(id);
  };
  const saveDraft = useAction('POST /latchkey/communities/{communityId}/rule-drafts', {
    done: t('save.draftDone'),
    changes: [drafts],
    onDone: () => {
      done();
      onDrafted();
    },
  });
  const create = useAction('POST /latchkey/communities/{communityId}/rules', {
    done: t('save.done'),
    changes,
    onDone: ({ id, updatedTime }) => {
      form.keep(updatedTime);
      void saved(id);
    },
  });
  const change = useAction('PUT /latchkey/communities/{communityId}/rules/{ruleId}', {
    done: t('save.done'),
    changes,
    onDone: ({ id, updatedTime }) => {
      form.keep(updatedTime);
      void saved(id);
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
  const isRefused = [preview.error, refusal].some(
    (error) => error instanceof ApiError && error.code === 'VALIDATION_FAILED',
  );
  const hasWrongFields = describeRefusedFields(preview.error).length > 0;
  return (
    <>
      <Button disabled={rule === undefined || (ruleId !== undefined && !form.isChanged)} onClick={review}>
        {t('save.review')}
      </Button>
      <Dialog isOpen={isOpen} title={t('save.title')} size="large" onClose={done}>
        {preview.isRunning && <Loading text={t('preview.loading')} />}
        {preview.error !== null && (
          <>
            <Failure error={preview.error} onRetry={review} />
            {!hasWrongFields && <Text size="sm">{t('save.withoutPreview')}</Text>}
          </>
        )}
        {preview.answer !== undefined && !preview.isRunning && <PreviewResult preview={preview.answer} />}
        <Failure error={saveDraft.error ?? refusal} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={done}>
            {t('save.keepEditing')}
          </Button>
          {isRefused && (
            <Button variant="default" loading={saveDraft.isRunning} onClick={keepAsDraft}>
              {t('save.asDraft')}
            </Button>
          )}
          <Button
            color={loses > 0 ? 'red' : 'green'}
            disabled={preview.isRunning || hasWrongFields}
            loading={create.isRunning || change.isRunning}
            onClick={save}
          >
            {loses > 0 ? t('save.submitLosing', { count: loses }) : t('save.submit')}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}

/** Undefined if it cannot be read: the role changes are under Role changes in any case. */
async function findNewestChange(communityId: string, ruleId: string): Promise<string | undefined> {
  try {
    const history = 'GET /latchkey/communities/{communityId}/rules/{ruleId}/history';
    return (await ask(history, { communityId, ruleId, limit: 1 })).items[0]?.id;
  } catch {
    return undefined;
  }
}
