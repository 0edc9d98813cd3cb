import { Button, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Query } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
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
        Delete rule
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
    done: 'Rule deleted.',
    changes: ['GET /latchkey/communities/{communityId}/rules'],
    onDone: ({ ruleChangeId }) => onDeleted(loses > 0 ? ruleChangeId : undefined),
  });
  const role = saved.roleName ?? 'the role';
  return (
    <ConfirmDialog
      title="Delete this rule?"
      yes={loses > 0 ? `Delete rule: ${counted(loses, 'member loses', 'members lose')} ${short(role)}` : 'Delete rule'}
      isDangerous
      action={remove}
      onYes={() => remove.runAsync(named)}
      onClose={onClose}
    >
      <Radio.Group
        label={`Members who have ${short(role)} now`}
        value={roles}
        onChange={(value) => setRoles(value === 'take' ? 'take' : 'keep')}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="keep"
            label="Keep the roles"
            description="Members keep the role. Latchkey no longer checks it."
          />
          <Radio
            value="take"
            label="Take the roles"
            description="Members who got the role from Latchkey lose it, unless another rule or a guest pass gives it."
          />
        </Stack>
      </Radio.Group>
      <Query read={preview} what="who keeps and who loses the role">
        {(data) => <Totals preview={data} role={short(role)} />}
      </Query>
      <Text size="sm">
        {roles === 'take'
          ? 'To take it back, undo the role changes afterwards: that also restores the rule.'
          : 'To take it back, create the rule again. Its history stays.'}
      </Text>
    </ConfirmDialog>
  );
}

function Totals({ preview: { totals }, role }: { preview: Preview; role: string }) {
  if (totals === undefined) return null;
  const { loses, keeps, unknown, notGranted, holders, isWhole, isHeld } = totals;
  return (
    <div role="status">
      <Text size="sm">
        <strong>{keeps === 0 ? 'No member keeps' : counted(keeps, 'member keeps', 'members keep')}</strong> {role},{' '}
        <strong>{loses === 0 ? 'none' : loses.toLocaleString()}</strong> {loses === 1 ? 'loses' : 'lose'} it.
        {notGranted > 0 &&
          ` ${counted(notGranted, 'of those who keep it', 'of those who keep it')} got it from an admin or another bot.`}
        {unknown > 0 &&
          ` ${counted(unknown, 'member')} could not be checked and ${unknown === 1 ? 'keeps' : 'keep'} it for now.`}
        {!isWhole && ` Counted among the first ${holders.toLocaleString()} members who have it.`}
      </Text>
      {isHeld && <Text size="sm">Removals this large need an admin’s approval under Role changes.</Text>}
    </div>
  );
}

/** Names of roles can have 100 characters. */
function short(name: string): string {
  const letters = [...name];
  return letters.length <= 30 ? name : `${letters.slice(0, 29).join('')}…`;
}
