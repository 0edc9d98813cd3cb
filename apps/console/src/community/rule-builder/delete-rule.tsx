import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog, Failure, Loading } from '../../shared/ui/index.ts';
import { PreviewResult } from './panel/preview-result.tsx';
import type { Saved } from './use-rule-form.ts';

/** Deletes a rule, after showing what that would change. */
export function DeleteRule({
  communityId,
  saved,
  onDeleted,
}: {
  communityId: string;
  saved: Saved;
  onDeleted(): void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const preview = useAction('POST /latchkey/communities/{communityId}/rule-drafts/preview');
  const remove = useAction('DELETE /communities/{id}/tpcs/{tpcId}', {
    changes: ['GET /latchkey/communities/{communityId}/rules'],
    onDone: () => {
      setIsOpen(false);
      onDeleted();
    },
  });
  const ask = () => {
    setIsOpen(true);
    preview.run({ communityId, body: { ruleId: saved.id } });
  };
  return (
    <>
      <Button variant="subtle" color="red" onClick={ask}>
        Delete rule
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Delete this rule?"
        yes="Delete rule"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => remove.run({ id: communityId, tpcId: saved.id })}
        onNo={() => setIsOpen(false)}
      >
        {preview.isRunning && <Loading what="what would change" />}
        <Failure error={preview.error} onRetry={ask} />
        {preview.answer !== undefined && <PreviewResult preview={preview.answer} />}
        <p>If no other rule gives this role, members who have it keep it. The history of the rule stays.</p>
      </ConfirmDialog>
    </>
  );
}
