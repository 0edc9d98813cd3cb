import type { Answer } from '../shared/api/index.ts';
import type { Tone } from '../shared/ui/index.ts';
import { type CommunityMessageId, t } from './messages/index.ts';

type ChangeSet = Answer<'GET /latchkey/communities/{communityId}/change-sets'>['items'][number];

const tones: Readonly<Record<ChangeSet['status'], Tone>> = {
  previewed: 'plain',
  held: 'warn',
  approved: 'plain',
  applying: 'plain',
  done: 'good',
  dropped: 'plain',
  failed: 'bad',
  undone: 'plain',
  rejected: 'plain',
};

/** Returns the display state of a change set. */
export function statusOf({ status }: Pick<ChangeSet, 'status'>): [string, Tone] {
  return [t(`change.status.${status}`), tones[status]];
}

const causes: Readonly<Record<string, CommunityMessageId & `change.cause.${string}`>> = {
  requested: 'change.cause.requested',
  schedule: 'change.cause.schedule',
  wallet: 'change.cause.wallet',
  chain: 'change.cause.chain',
  rule: 'change.cause.rule',
  joined: 'change.cause.joined',
  left: 'change.cause.left',
  preview: 'change.cause.preview',
  undo: 'change.cause.undo',
  'take-over': 'change.cause.take-over',
  'guest pass': 'change.cause.guestPass',
  'join request': 'change.cause.joinRequest',
  invite: 'change.cause.invite',
  'manual-change': 'change.cause.manual',
};

/** Returns what led to a change set. Several causes may have come together. */
export function causeInWords({ cause }: Pick<ChangeSet, 'cause'>): string {
  const found = new Set(cause.split(', ').map((one) => t(causes[one] ?? 'change.cause.other')));
  return t.list([...found], 'and');
}

/** Statuses in which nothing was written, or not yet. */
const isOnlyPlanned: readonly ChangeSet['status'][] = ['previewed', 'held', 'rejected'];
const isInProgress: readonly ChangeSet['status'][] = ['approved', 'applying'];

type Counts = Pick<ChangeSet, 'status' | 'grants' | 'revokes' | 'written' | 'failed'>;

/** `25 roles removed, 2 roles given` of what was written, `3 of 25 roles removed` until then, or `25 roles to remove`. */
export function changesInWords({ status, grants, revokes, written, failed }: Counts): string {
  const counted = (what: 'removals' | 'grants', planned: number, done: number) => {
    if (isOnlyPlanned.includes(status)) return planned > 0 ? [t(`change.${what}Planned`, { count: planned })] : [];
    if (isInProgress.includes(status) && planned > done) return [t(`change.${what}Part`, { done, count: planned })];
    return done > 0 ? [t(`change.${what}`, { count: done })] : [];
  };
  const parts = [
    ...counted('removals', revokes, written.revokes),
    ...counted('grants', grants, written.grants),
    ...(failed > 0 ? [t('change.refused', { count: failed })] : []),
  ];
  if (parts.length > 0) return t.list(parts);
  return grants + revokes > 0 ? t('change.nothingWritten') : t('change.nothing');
}

/** Who decided it and how, if an admin did. */
export function decisionInWords(changeSet: ChangeSet): string | undefined {
  const { decidedBy, decidedByName, status, cause, dropReasons, restoredRuleChangeIds } = changeSet;
  if (decidedBy === undefined) return undefined;
  const who = adminName(decidedBy, decidedByName);
  if (status === 'rejected')
    return restoredRuleChangeIds.length > 0
      ? t('change.rejectedAndRestoredBy', { who })
      : t('change.rejectedBy', { who });
  if (cause === 'undo') return t('change.undoneBy', { who });
  const isPartial = dropReasons.some(({ reason }) => reason === 'removal-rejected');
  return isPartial ? t('change.grantsApprovedBy', { who }) : t('change.approvedBy', { who });
}

/** People without a name here are known by their account on the platform. */
export function adminName(id: string, name: string | undefined): string {
  return name ?? (id.startsWith('$') ? t('common.operator') : (id.split('#').at(-1) ?? id));
}
