import { Checkbox, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Query } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import styles from './change-set.module.css';
import { shortened } from './title.ts';

const path = '/latchkey/communities/{communityId}/change-sets/{changeSetId}/undo';
type Preview = Answer<`GET ${typeof path}`>;

interface Parts {
  communityId: string;
  changeSetId: string;
  /** The reads that an undo changes. */
  changes: readonly ReadRoute[];
  onClose(): void;
}

/** Shows what an undo would do now, and does it. */
export function UndoDialog({ communityId, changeSetId, changes, onClose }: Parts) {
  const navigate = useNavigate();
  /** Undefined until the admin decides; the server says what the default is. */
  const [restoreRule, setRestoreRule] = useState<boolean>();
  const chosen = restoreRule === undefined ? {} : { restoreRule };
  const preview = useOperation(
    `GET ${path}`,
    { communityId, changeSetId, limit: 100, ...chosen },
    { keepsPrevious: true },
  );
  const undo = useAction(`POST ${path}`, {
    changes: [...changes, `GET ${path}`, 'GET /latchkey/communities/{communityId}/rules'],
    onDone: ({ id }) =>
      void navigate({
        to: '/communities/$communityId/role-changes/$changeSetId',
        params: { communityId, changeSetId: id },
      }),
  });
  const reverted = (preview.data?.grants ?? 0) + (preview.data?.revokes ?? 0);
  return (
    <ConfirmDialog
      title="Undo these changes?"
      yes={reverted === 0 ? 'Undo' : `Undo ${counted(reverted, 'change')}`}
      isDangerous
      action={undo}
      // What was previewed is what is done: the default could be another by now.
      onYes={() =>
        preview.data &&
        undo.runAsync({ communityId, changeSetId, body: { restoreRule: restoreRule ?? preview.data.restoresRule } })
      }
      onClose={onClose}
    >
      <Query read={preview} what="what the undo would do">
        {(data) => (
          <>
            <Effects communityId={communityId} preview={data} />
            <RestoreRule preview={data} checked={restoreRule ?? data.restoresRule} onChange={setRestoreRule} />
          </>
        )}
      </Query>
    </ConfirmDialog>
  );
}

function Effects({ communityId, preview }: { communityId: string; preview: Preview }) {
  const { grants, revokes, members, alreadyReverted, superseded, cancelled, items, paginationToken } = preview;
  const later = [...new Set(items.flatMap(({ supersededBy }) => supersededBy?.changeSetId ?? []))];
  const reverted = items.filter(({ outcome }) => outcome === 'revert');
  const unearned = reverted.filter(({ action, qualifies }) => action === 'grant' && qualifies === false).length;
  const earned = reverted.filter(({ action, qualifies }) => action === 'revoke' && qualifies === true).length;
  const isKept = items.some(({ isSuppressed }) => isSuppressed);
  const ofFirst = paginationToken === undefined ? '' : `Of the first ${items.length} changes: `;
  return (
    <>
      <ul className={styles.list}>
        {grants > 0 && <li>{counted(grants, 'role is', 'roles are')} given back.</li>}
        {revokes > 0 && <li>{counted(revokes, 'role is', 'roles are')} removed again.</li>}
        {members > 0 && <li>{counted(members, 'member is', 'members are')} changed.</li>}
        {cancelled > 0 && <li>{counted(cancelled, 'waiting change is', 'waiting changes are')} cancelled.</li>}
        {superseded > 0 && (
          <li>
            {counted(superseded, 'change stays', 'changes stay')}, because later role changes decided about the same
            members:{' '}
            {later.slice(0, 5).map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <Link
                  to="/communities/$communityId/role-changes/$changeSetId"
                  params={{ communityId, changeSetId: id }}
                >
                  {later.length === 1 ? 'show them' : `change set ${index + 1}`}
                </Link>
              </span>
            ))}
            .
          </li>
        )}
        {alreadyReverted > 0 && (
          <li>{counted(alreadyReverted, 'change was', 'changes were')} already reverted on the platform.</li>
        )}
        {grants + revokes + cancelled === 0 && <li>No role changes.</li>}
      </ul>
      {earned > 0 && (
        <Text size="sm">
          {ofFirst}
          {counted(earned, 'member')} who {earned === 1 ? 'loses' : 'lose'} a role still{' '}
          {earned === 1 ? 'qualifies' : 'qualify'} for it.
        </Text>
      )}
      {unearned > 0 && (
        <Text size="sm">
          {ofFirst}
          {counted(unearned, 'member')} who {unearned === 1 ? 'gets' : 'get'} a role back{' '}
          {unearned === 1 ? 'does' : 'do'} not qualify for it now.
        </Text>
      )}
      {isKept && earned + unearned > 0 && (
        <Text size="sm">
          The undo still applies: checks skip these roles until you check the members or change the rule.
        </Text>
      )}
    </>
  );
}

interface Restore {
  preview: Preview;
  checked: boolean;
  onChange(checked: boolean): void;
}

function RestoreRule({ preview: { rules }, checked, onChange }: Restore) {
  const restorable = rules.filter(({ canRestore }) => canRestore);
  if (restorable.length === 0)
    return rules.length === 0 ? null : (
      <Text size="sm">The rule was new, so there is no version to restore. Delete it to stop it.</Text>
    );
  const isEdited = restorable.some(({ laterRuleChangeId }) => laterRuleChangeId !== undefined);
  const names = restorable.flatMap(({ ruleName }) => (ruleName === undefined ? [] : shortened(ruleName))).slice(0, 3);
  const [which, verb] = restorable.length === 1 ? ['rule', 'it'] : ['rules', 'them'];
  const edited = `It was edited since. Restoring ${verb} discards the later edits.`;
  return (
    <Checkbox
      classNames={{ description: styles.wraps ?? '' }}
      label={`Also restore the ${which} to the version before`}
      description={[names.join(', '), isEdited && edited].filter(Boolean).join('. ')}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
