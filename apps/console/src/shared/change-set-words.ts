import type { Answer } from './api/index.ts';
import type { Tone } from './ui/index.ts';
import { counted } from './words.ts';

type ChangeSet = Answer<'GET /latchkey/communities/{communityId}/change-sets'>['items'][number];

const statuses: Readonly<Record<ChangeSet['status'], [string, Tone]>> = {
  previewed: ['Preview', 'plain'],
  held: ['Waiting for approval', 'warn'],
  approved: ['Being applied', 'plain'],
  applying: ['Being applied', 'plain'],
  done: ['Done', 'good'],
  dropped: ['Dropped', 'plain'],
  failed: ['Failed in part', 'bad'],
  undone: ['Undone', 'plain'],
  rejected: ['Rejected', 'plain'],
};

/** Returns the display state of a change set. */
export function statusOf({ status }: Pick<ChangeSet, 'status'>): [string, Tone] {
  return statuses[status];
}

const causes: Readonly<Record<string, string>> = {
  asked: 'a check that an admin started',
  schedule: 'a scheduled check',
  wallet: 'a linked or unlinked wallet',
  chain: 'a token transfer',
  rule: 'a changed rule',
  joined: 'a new member',
  preview: 'a preview',
  undo: 'an undone change',
  'take-over': 'the take-over from another bot',
};

/** Returns what led to a change set. Several causes may have come together. */
export function causeInWords({ cause }: Pick<ChangeSet, 'cause'>): string {
  return cause
    .split(', ')
    .map((one) => causes[one] ?? one)
    .join(' and ');
}

/** Statuses in which nothing was written, or not yet. */
const isOnlyPlanned: readonly ChangeSet['status'][] = ['previewed', 'held', 'rejected'];

/** `25 roles removed, 2 roles given`, or `25 roles to remove` while none was removed. */
export function changesInWords({ status, grants, revokes }: Pick<ChangeSet, 'status' | 'grants' | 'revokes'>): string {
  const [removed, given] = isOnlyPlanned.includes(status) ? ['to remove', 'to give'] : ['removed', 'given'];
  const parts = [
    ...(revokes > 0 ? [counted(revokes, `role ${removed}`, `roles ${removed}`)] : []),
    ...(grants > 0 ? [counted(grants, `role ${given}`, `roles ${given}`)] : []),
  ];
  return parts.join(', ') || 'No changes';
}

/** Returns who decided it, if an admin did. */
export function decisionInWords(changeSet: ChangeSet): string | undefined {
  if (changeSet.decidedBy === undefined) return undefined;
  const who =
    changeSet.decidedByName ??
    (changeSet.decidedBy.startsWith('$') ? 'the operator' : changeSet.decidedBy.split('#').at(-1));
  const verb = changeSet.status === 'rejected' ? 'Rejected' : changeSet.cause === 'undo' ? 'Undone' : 'Approved';
  return `${verb} by ${who}`;
}
