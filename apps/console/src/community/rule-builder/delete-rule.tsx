import { Button, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Query } from '../../shared/ui/index.ts';
import { t } from './messages/index.ts';
import type { Saved } from './use-rule-form.ts';

const path = '/latchkey/communities/{communityId}/rules/{ruleId}';
type Preview = Answer<`GET ${typeof path}/deletion`>;
type Roles = Preview['roles'];

interface Parts {
  communityId: string;
  saved: Saved;
  /** With the change of the rule that leads to role changes, if members lose the role. */
  onDeleted(ruleChangeId: string | undefined): void;
}

/** Deletes a rule, after a choice about its role and showing what that would change. */
export function DeleteRule({ communityId, saved, onDeleted }: Parts) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setIsOpen(true)}>
        {t('delete.open')}
      </Button>
      {isOpen && (
        <DeleteDialog communityId={communityId} saved={saved} onDeleted={onDeleted} onClose={() => setIsOpen(false)} />
      )}
    </>
  );
}

function DeleteDialog({ communityId, saved, onDeleted, onClose }: Parts & { onClose(): void }) {
  const [roles, setRoles] = useState<Roles>('keep');
  const named = { communityId, ruleId: saved.id, roles };
  const preview = useOperation(`GET ${path}/deletion`, { ...named, limit: 1 });
  const loses = preview.data?.totals?.loses ?? 0;
  const remove = useAction(`DELETE ${path}`, {
    done: t('delete.done'),
    changes: ['GET /latchkey/communities/{communityId}/rules'],
    onDone: ({ ruleChangeId }) => onDeleted(loses > 0 ? ruleChangeId : undefined),
  });
  const role = short(saved.roleName ?? t('common.theRole'));
  return (
    <ConfirmDialog
      title={t('delete.title')}
      yes={loses > 0 ? t('delete.submitLosing', { count: loses, role }) : t('delete.submit')}
      isDangerous
      action={remove}
      onYes={() => remove.runAsync(named)}
      onClose={onClose}
    >
      <Radio.Group
        label={t('delete.holders', { role })}
        value={roles}
        onChange={(value) => setRoles(value === 'take' ? 'take' : 'keep')}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="keep" label={t('delete.keep')} description={t('delete.keepHint')} />
          <Radio value="take" label={t('delete.take')} description={t('delete.takeHint')} />
        </Stack>
      </Radio.Group>
      <Query read={preview} loading={t('delete.loading')}>
        {(data) => <Totals preview={data} role={role} />}
      </Query>
      <Text size="sm">{t(roles === 'take' ? 'delete.undoTake' : 'delete.undoKeep')}</Text>
    </ConfirmDialog>
  );
}

function Totals({ preview: { totals }, role }: { preview: Preview; role: string }) {
  if (totals === undefined) return null;
  const { loses, keeps, unknown, notGranted, holders, isWhole, isHeld } = totals;
  return (
    <div role="status">
      <Text size="sm">
        {t.rich('delete.totals', {
          role,
          keeps,
          keepsCount: <strong key="keeps">{t.number(keeps)}</strong>,
          loses,
          losesCount: <strong key="loses">{t.number(loses)}</strong>,
        })}
        {notGranted > 0 && ` ${t('delete.notGranted', { count: notGranted })}`}
        {unknown > 0 && ` ${t('delete.unknown', { count: unknown })}`}
        {!isWhole && ` ${t('delete.ofFirst', { count: holders })}`}
      </Text>
      {isHeld && <Text size="sm">{t('common.heldRemovals')}</Text>}
    </div>
  );
}

/** Names of roles can have 100 characters. */
function short(name: string): string {
  const letters = [...name];
  return letters.length <= 30 ? name : `${letters.slice(0, 29).join('')}…`;
}
