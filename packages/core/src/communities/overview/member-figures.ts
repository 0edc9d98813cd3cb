import type { Context } from '../../context.ts';
import { countMembersWithWallets } from '../../people/wallets/index.ts';
import { countHoldersOfAny, countPresent } from '../members/index.ts';

export interface MemberFigures {
  members: number;
  membersWithWallets: number;
  holders: number;
}

/** From so many members on, counting them takes long enough to be noticed. */
export const largeMembers = 5_000;
/** How long the figures of a large community are shown again before they are counted anew. */
export const keptSeconds = 30;
const mostKept = 1_000;

interface Kept {
  untilMs: number;
  figures: MemberFigures;
}
const keptBy = new WeakMap<object, Map<string, Kept>>();

/** How many members a community has, with wallets and with roles. Those of a large community are kept for a while. */
export async function readMemberFigures(
  { clock, db }: Pick<Context, 'clock' | 'db'>,
  communityId: string,
  roleIds: readonly string[],
): Promise<MemberFigures> {
  const kept = keptBy.get(db) ?? new Map<string, Kept>();
  keptBy.set(db, kept);
  const key = JSON.stringify([communityId, roleIds]);
  const nowMs = clock().getTime();
  const known = kept.get(key);
  if (known !== undefined && known.untilMs > nowMs) return known.figures;
  const [members, membersWithWallets, holders] = await Promise.all([
    countPresent(db.system, [communityId]),
    countMembersWithWallets(db.system, communityId),
    countHoldersOfAny(db.system, communityId, roleIds),
  ]);
  const figures = { members: members.get(communityId) ?? 0, membersWithWallets, holders };
  kept.delete(key);
  if (figures.members >= largeMembers) kept.set(key, { untilMs: nowMs + keptSeconds * 1000, figures });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return figures;
}
