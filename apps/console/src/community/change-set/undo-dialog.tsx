import { Checkbox, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Query } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
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
      title={t('undo.title')}
      yes={preview.data?.heldBecause === undefined ? t('undo.undo', { count: reverted }) : t('undo.request')}
      isDangerous
      action={undo}
      // What was previewed is what is done: the default could be another by now.
      onYes={() =>
        preview.data &&
        undo.runAsync({ communityId, changeSetId, body: { restoreRule: restoreRule ?? preview.data.restoresRule } })
      }
      onClose={onClose}
    >
      <Query read={preview} loading={t('undo.loading')}>
        {(data) => (
          <>
            <Effects communityId={communityId} preview={data} />
            {data.heldBecause !== undefined && (
              <Text size="sm">
                {t('undo.waits')} {data.heldBecause}
              </Text>
            )}
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
  const isWhole = paginationToken === undefined;
  const all = items.length;
  return (
    <>
      <ul className={styles.list}>
        {grants > 0 && <li>{t('undo.grants', { count: grants })}</li>}
        {revokes > 0 && <li>{t('undo.removals', { count: revokes })}</li>}
        {members > 0 && <li>{t('undo.members', { count: members })}</li>}
        {cancelled > 0 && <li>{t('undo.cancelled', { count: cancelled })}</li>}
        {superseded > 0 && (
          <li>
            {t.rich('undo.superseded', {
              count: superseded,
              links: later.slice(0, 5).map((id, index) => (
                <span key={id}>
                  {index > 0 && ', '}
                  <Link
                    to="/communities/$communityId/role-changes/$changeSetId"
                    params={{ communityId, changeSetId: id }}
                  >
                    {later.length === 1 ? t('undo.showThem') : t('undo.changeSet', { number: index + 1 })}
                  </Link>
                </span>
              )),
            })}
          </li>
        )}
        {alreadyReverted > 0 && <li>{t('undo.alreadyReverted', { count: alreadyReverted })}</li>}
        {grants + revokes + cancelled === 0 && <li>{t('undo.nothing')}</li>}
      </ul>
      {earned > 0 && (
        <Text size="sm">
          {isWhole ? t('undo.earned', { count: earned }) : t('undo.earnedOfFirst', { all, count: earned })}
        </Text>
      )}
      {unearned > 0 && (
        <Text size="sm">
          {isWhole ? t('undo.unearned', { count: unearned }) : t('undo.unearnedOfFirst', { all, count: unearned })}
        </Text>
      )}
      {isKept && earned + unearned > 0 && <Text size="sm">{t('undo.kept')}</Text>}
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
  if (restorable.length === 0) return rules.length === 0 ? null : <Text size="sm">{t('undo.newRule')}</Text>;
  const isEdited = restorable.some(({ laterRuleChangeId }) => laterRuleChangeId !== undefined);
  const names = restorable.flatMap(({ ruleName }) => (ruleName === undefined ? [] : shortened(ruleName))).slice(0, 3);
  const count = restorable.length;
  return (
    <Checkbox
      classNames={{ description: styles.wraps ?? '' }}
      label={t('undo.restore', { count })}
      description={[t.list(names), isEdited && t('decide.laterEdits', { count })].filter(Boolean).join('. ')}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
