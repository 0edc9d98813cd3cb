import type { Names } from '../../gating/naming/index.ts';
import type {
  ChangeSetOutcome,
  ChangeSetRow,
  ChangeSetShare,
  ChangeSetStatus,
} from '../../gating/role-changes/index.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';

/** For example `25 members lose Gold, 2 members get Silver`: as planned, or as written. */
export function sharesInWords(
  shares: readonly Pick<ChangeSetShare, 'roleId' | 'action' | 'members' | 'written'>[],
  names: Pick<Names, 'role'>,
  which: 'members' | 'written',
): string {
  const changed = shares.filter((share) => share[which] > 0).toSorted((a, b) => b[which] - a[which]);
  const shown = changed
    .slice(0, mostRoles)
    .map(({ roleId, action, [which]: count }) => t(`share.${action}`, { count, role: names.role(roleId) }));
  const left = changed.length - shown.length;
  const nothing = t(which === 'written' ? 'share.nothingWritten' : 'share.nothing');
  return [...shown, ...(left > 0 ? [t('share.more', { count: left })] : [])].join(', ') || nothing;
}

const mostRoles = 5;

/** `25 removals and 2 grants`. */
export function changesInWords(grants: number, revokes: number): string {
  if (grants === 0 && revokes === 0) return t('count.none');
  const [removed, granted] = [t('count.removals', { count: revokes }), t('count.grants', { count: grants })];
  if (grants === 0) return removed;
  return revokes === 0 ? granted : t('count.both', { removals: removed, grants: granted });
}

const isWritten: readonly ChangeSetStatus[] = ['done', 'dropped', 'failed', 'undone'];

/** For example `2 dropped (the rule changed), 1 failed`: what a change set planned but did not write. */
export function outcomeInWords({ waiting, dropped, dropReasons, failed, gone }: ChangeSetOutcome): string {
  const reasons = dropReasons.map(({ reason }) => t(`dropped.${reason}`)).join(', ');
  return [
    ...(waiting > 0 ? [t('outcome.waiting', { count: waiting })] : []),
    ...(dropped > 0 ? [t('outcome.dropped', { count: dropped, reasons })] : []),
    ...(failed > 0 ? [t('outcome.failed', { count: failed })] : []),
    ...(gone > 0 ? [t('outcome.gone', { count: gone })] : []),
  ].join(', ');
}

/** Describes one change set in one line. A finished one is described by what it wrote, not by what was planned. */
export function changeSetInWords(
  changeSet: ChangeSetRow,
  shares: readonly ChangeSetShare[],
  outcome: ChangeSetOutcome,
  names: Names,
): string {
  const isOver = isWritten.includes(changeSet.status);
  const written = sharesInWords(shares, names, isOver ? 'written' : 'members');
  const rest = isOver ? outcomeInWords(outcome) : '';
  const summary = t('changes.summary', {
    at: timeInWords(changeSet.created_at),
    change: rest === '' ? written : `${written}; ${rest}`,
    status: t(`status.${changeSet.status}`),
    cause: causeInWords(changeSet.cause),
  });
  return [summary, decisionInWords(changeSet, names)].filter((part) => part !== '').join(' ');
}

const causes = ['requested', 'schedule', 'wallet', 'chain', 'rule', 'joined', 'left', 'preview', 'undo'] as const;

function causeInWords(cause: string): string {
  const known = causes.find((one) => one === cause);
  return known === undefined ? cause : t(`cause.${known}`);
}

/** Who decided it, if anyone. */
export function decisionInWords(changeSet: ChangeSetRow, names: Pick<Names, 'member'>): string {
  if (changeSet.decided_by === null) return '';
  const what = changeSet.status === 'rejected' ? 'rejected' : changeSet.cause === 'undo' ? 'undone' : 'approved';
  const decided = t(`decision.${what}`, { admin: names.member(changeSet.decided_by) });
  return changeSet.restored_rule_change_ids.length > 0 ? `${decided} ${t('decision.restored')}` : decided;
}

/** The stored note on why it is held, with role names. */
export function noteInWords(
  { note }: Pick<ChangeSetRow, 'note'>,
  roleIds: readonly string[],
  names: Pick<Names, 'role'>,
) {
  const named = (text: string, id: string) =>
    text.replaceAll(
      `the role ${id} `,
      `${names.role(id).startsWith('role ') ? 'the ' : 'the role '}${names.role(id)} `,
    );
  return [...new Set(roleIds)].reduce(named, note ?? '');
}

export function timeInWords(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `${day} ${time.slice(0, 5)} UTC`;
}
