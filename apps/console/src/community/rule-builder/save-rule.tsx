import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Dialog, Failure, Loading } from '../../shared/ui/index.ts';
import { PreviewResult } from './panel/preview-result.tsx';
import type { RuleForm } from './use-rule-form.ts';

const changes = [
  'GET /latchkey/communities/{communityId}/rules',
  'GET /latchkey/communities/{communityId}/rules/{ruleId}',
  'GET /latchkey/communities/{communityId}/rules/{ruleId}/history',
] as const;

interface Parts {
  communityId: string;
  ruleId: string | undefined;
  form: RuleForm;
  onCreated(id: string): void;
}

/** Shows what a rule would change before it is saved. Nothing is saved before the admin confirms it. */
export function SaveRule({ communityId, ruleId, form, onCreated }: Parts) {
  const [isOpen, setIsOpen] = useState(false);
  const preview = useAction('POST /latchkey/communities/{communityId}/rule-drafts/preview');
  const done = () => setIsOpen(false);
  const create = useAction('POST /latchkey/communities/{communityId}/rules', {
    done: 'Rule saved. Members are being checked.',
    changes,
    onDone: ({ id, updatedTime }) => {
      form.keep(updatedTime);
      done();
      onCreated(id);
    },
  });
  const change = useAction('PUT /latchkey/communities/{communityId}/rules/{ruleId}', {
    done: 'Rule saved. Members are being checked.',
    changes,
    onDone: ({ updatedTime }) => {
      form.keep(updatedTime);
      done();
    },
  });
  const { rule, visibility, updatedTime } = form;
  const review = () => {
    create.reset();
    change.reset();
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
        <Failure error={create.error ?? change.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={done}>
            Keep editing
          </Button>
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
