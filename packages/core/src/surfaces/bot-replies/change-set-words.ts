import type { Names } from '../../gating/naming/index.ts';
import type {
  ChangeSetOutcome,
  ChangeSetRow,
  ChangeSetShare,
  ChangeSetStatus,
} from '../../gating/role-changes/index.ts';
import { counted, grouped } from '../../shared/numbers.ts';

const statusWords: Readonly<Record<ChangeSetStatus, string>> = {
  previewed: 'preview, not applied',
  held: 'waiting for your approval',
  approved: 'being applied',
  applying: 'being applied',
  done: 'done',
  dropped: 'dropped',
  failed: 'failed in part',
  undone: 'undone',
  rejected: 'rejected',
};

const causeWords: Readonly<Record<string, string>> = {
  asked: 'a requested check',
  schedule: 'a scheduled re-check',
  wallet: 'a linked or unlinked wallet',
  chain: 'a token transfer',
  rule: 'a changed rule',
  joined: 'a new member',
  preview: 'a preview',
  undo: 'an undone change',
};

/** For example `25 members lose Gold, 2 members get Silver`: as planned, or as written. */
export function sharesInWords(
  shares: readonly Pick<ChangeSetShare, 'roleId' | 'action' | 'members' | 'written'>[],
  names: Pick<Names, 'role'>,
  which: 'members' | 'written',
): string {
  const changed = shares.filter((share) => share[which] > 0).toSorted((a, b) => b[which] - a[which]);
  const said = changed.slice(0, mostRoles).map(({ roleId, action, [which]: members }) => {
    const verb = action === 'grant' ? ['gets', 'get'] : ['loses', 'lose'];
    return `${membersInWords(members)} ${members === 1 ? verb[0] : verb[1]} ${names.role(roleId)}`;
  });
  const left = changed.length - said.length;
  const nothing = which === 'written' ? 'no role was changed' : 'nothing to change';
  return [...said, ...(left > 0 ? [`${left} more roles change`] : [])].join(', ') || nothing;
}

const mostRoles = 5;

export function membersInWords(count: number): string {
  return counted(count, 'member');
}

/** `25 removals and 2 grants`. */
export function changesInWords(grants: number, revokes: number): string {
  const parts = [
    ...(revokes > 0 ? [counted(revokes, 'removal')] : []),
    ...(grants > 0 ? [counted(grants, 'grant')] : []),
  ];
  return parts.join(' and ') || 'no changes';
}

const isWritten: readonly ChangeSetStatus[] = ['done', 'dropped', 'failed', 'undone'];

const dropWords: Readonly<Record<ChangeSetOutcome['dropReasons'][number]['reason'], string>> = {
  superseded: 'replaced by later changes',
  'already-done': 'already so on the platform',
  'not-needed': 'no longer required',
  'rule-changed': 'the rule changed',
  'role-without-rule': 'the role has no rule any more',
  cancelled: 'cancelled',
  'removal-rejected': 'only the grants were approved',
};

/** For example `2 dropped (the rule changed), 1 failed`: what a change set planned but did not write. */
export function outcomeInWords({ waiting, dropped, dropReasons, failed, gone }: ChangeSetOutcome): string {
  const reasons = dropReasons.map(({ reason }) => dropWords[reason]).join(', ');
  return [
    ...(waiting > 0 ? [`${grouped(waiting)} still to do`] : []),
    ...(dropped > 0 ? [`${grouped(dropped)} dropped (${reasons})`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(gone > 0 ? [`${grouped(gone)} for members who left`] : []),
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
  const what = rest === '' ? written : `${written}; ${rest}`;
  const cause = causeWords[changeSet.cause] ?? changeSet.cause;
  return `${timeInWords(changeSet.created_at)}: ${what} (${statusWords[changeSet.status]}; after ${cause}).${decisionInWords(changeSet, names)}`;
}

/** Who decided it, if anyone. */
export function decisionInWords(changeSet: ChangeSetRow, names: Pick<Names, 'member'>): string {
  if (changeSet.decided_by === null) return '';
  const verb = changeSet.status === 'rejected' ? 'Rejected' : changeSet.cause === 'undo' ? 'Undone' : 'Approved';
  const restored = changeSet.restored_rule_change_ids.length > 0 ? ' The rule was restored.' : '';
  return ` ${verb} by ${names.member(changeSet.decided_by)}.${restored}`;
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
