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
const isInProgress: readonly ChangeSet['status'][] = ['approved', 'applying'];

type Counts = Pick<ChangeSet, 'status' | 'grants' | 'revokes' | 'written' | 'failed'>;

/** `25 roles removed, 2 roles given` of what was written, `3 of 25 roles removed` until then, or `25 roles to remove`. */
export function changesInWords({ status, grants, revokes, written, failed }: Counts): string {
  const count = (planned: number, done: number, [toDo, did]: readonly [string, string]) => {
    if (isOnlyPlanned.includes(status)) return planned > 0 ? [counted(planned, `role ${toDo}`, `roles ${toDo}`)] : [];
    if (isInProgress.includes(status) && planned > done)
      return [`${done.toLocaleString()} of ${counted(planned, `role ${did}`, `roles ${did}`)}`];
    return done > 0 ? [counted(done, `role ${did}`, `roles ${did}`)] : [];
  };
  const parts = [
    ...count(revokes, written.revokes, ['to remove', 'removed']),
    ...count(grants, written.grants, ['to give', 'given']),
    ...(failed > 0 ? [`${failed.toLocaleString()} refused by the platform`] : []),
  ];
  return parts.join(', ') || (grants + revokes > 0 ? 'No roles changed' : 'No changes');
}

/** Who decided it and how, if an admin did. */
export function decisionInWords(changeSet: ChangeSet): string | undefined {
  const { decidedBy, decidedByName, status, cause, dropReasons, restoredRuleChangeIds } = changeSet;
  if (decidedBy === undefined) return undefined;
  const who = adminName(decidedBy, decidedByName);
  if (status === 'rejected')
    return restoredRuleChangeIds.length > 0 ? `Rejected by ${who}, and the rule restored` : `Rejected by ${who}`;
  if (cause === 'undo') return `Undone by ${who}`;
  const isPartial = dropReasons.some(({ reason }) => reason === 'removal-rejected');
  return isPartial ? `Only the grants approved by ${who}` : `Approved by ${who}`;
}

/** People without a name here are known by their account on the platform. */
export function adminName(id: string, name: string | undefined): string {
  return name ?? (id.startsWith('$') ? 'the operator' : (id.split('#').at(-1) ?? id));
}
