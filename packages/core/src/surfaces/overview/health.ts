import { addSeconds, choice, notFound, platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { checkPeriodSeconds } from '../../communities/community-plans/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import {
  countHoldersOfAny,
  countMembersWithWallets,
  countPresent,
  selectMemberList,
} from '../../communities/memberships/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { selectChainsInRules } from '../../gating/followers/index.ts';
import { selectFollowed } from '../../gating/holdings/index.ts';
import { chainInWords } from '../../gating/naming/index.ts';
import { countWaiting } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectSetupCheckTime, selectSetupProblems } from '../admin-notices/index.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });
const time = (description: string) => T.Optional(text(`${description}, in ISO 8601.`));

const ChainHealth = record('ChainHealth', 'How closely a chain that the rules read is followed.', {
  chain: text('The chain, for example evm:1.'),
  name: text('The name of the chain.'),
  state: choice(
    'live: followed to its end. behind: not for some minutes. polled: read when members are re-checked. unread: no node or service is configured for it, so rules about it cannot be decided.',
    ['live', 'behind', 'polled', 'unread'],
  ),
  followedTime: time('When its end was last reached'),
});

export const CommunityHealth = record('CommunityHealth', 'How a community is doing, from what is recorded here.', {
  communityId: text('The qualified id of the community.'),
  name: text('The name of the community.'),
  platform: choice('The chat platform it is on.', platformNames),
  status: choice('active; paused by its admins; kicked: the bot was removed.', ['active', 'paused', 'kicked']),
  setupProblems: T.Array(text('What to do about it.'), {
    description: 'Problems found by the last scheduled setup check.',
    maxItems: 1000,
  }),
  setupCheckTime: time('When that was'),
  lastCheckTime: time('When every member was last re-checked'),
  nextCheckTime: time('When every member is re-checked next'),
  membersListedTime: time('When the members were last read from the platform'),
  isMemberListComplete: T.Optional(T.Boolean({ description: 'Whether that showed every member.' })),
  heldChangeSets: count('Role changes that wait for approval.'),
  blockedRoles: count('Roles that the platform does not let the bot give.'),
  chains: T.Array(ChainHealth, { description: 'The chains that its rules read.', maxItems: 1000 }),
  members: count('How many people are in it, as far as the platform shows them.'),
  membersWithWallets: count('How many of them have linked a wallet that counts here.'),
  holders: count('How many of them have a role that a rule gives.'),
  rules: count('How many rules it has.'),
});
export type CommunityHealth = ValueOf<typeof CommunityHealth>;

/** A chain whose head was not reached for this long is behind. */
const behindSeconds = 5 * 60;

/** Returns the health of a community. Makes no external calls: the state on the platform comes from the setup check. */
export async function getCommunityHealth(
  ctx: Pick<Context, 'clock' | 'db' | 'holdings'>,
  { communityId }: { communityId: string },
): Promise<CommunityHealth> {
  const db = ctx.db.system;
  const community = await selectCommunity(db, communityId);
  if (community === undefined) throw notFound('community');
  const { id, name, platform, status, next_check_at, check_period_seconds } = community;
  const now = ctx.clock();
  const rules = await selectRules(db, id);
  const roleIds = [...new Set(rules.map(({ role_id }) => role_id))].sort();
  const [metrics, waiting, problems, setupCheckedAt, list, periodSeconds, chains] = await Promise.all([
    readMemberMetrics(ctx, id, roleIds),
    countWaiting(db, [id]),
    selectSetupProblems(db, [id]),
    selectSetupCheckTime(db, id),
    selectMemberList(db, id),
    check_period_seconds ?? checkPeriodSeconds(db, id, now),
    chainsOf(ctx, id),
  ]);
  const isChecked = status === 'active' && !community.disable_background_checks;
  return {
    communityId: id,
    name,
    platform,
    status,
    setupProblems: problems.get(id) ?? [],
    ...timed('setupCheckTime', setupCheckedAt),
    ...timed('lastCheckTime', next_check_at && addSeconds(next_check_at, -periodSeconds)),
    ...timed('nextCheckTime', isChecked ? next_check_at : undefined),
    ...timed('membersListedTime', list?.listed_at),
    ...(list !== undefined && { isMemberListComplete: list.is_complete }),
    heldChangeSets: waiting.get(id)?.heldChangeSets ?? 0,
    blockedRoles: waiting.get(id)?.blockedRoles ?? 0,
    chains,
    ...metrics,
    rules: rules.length,
  };
}

async function chainsOf(
  { clock, db, holdings }: Pick<Context, 'clock' | 'db' | 'holdings'>,
  id: string,
): Promise<CommunityHealth['chains']> {
  const standardsOf = await selectChainsInRules(db.system, id);
  const chains = [...standardsOf.keys()];
  const followed = new Map((await selectFollowed(db.system, chains)).map((row) => [row.chain, row.followed_at]));
  const behindSince = clock().getTime() - behindSeconds * 1000;
  return chains.map((chain) => {
    const name = chainInWords(chain);
    const isRead = standardsOf.get(chain)?.some((standard) => holdings.reads({ chain, standard }));
    if (!isRead) return { chain, name, state: 'unread' as const };
    const followedAt = followed.get(chain);
    if (followedAt === undefined) return { chain, name, state: 'polled' as const };
    const state = followedAt.getTime() < behindSince ? ('behind' as const) : ('live' as const);
    return { chain, name, state, followedTime: followedAt.toISOString() };
  });
}

function timed<Name extends string>(name: Name, at: Date | null | undefined): Partial<Record<Name, string>> {
  const part: Partial<Record<string, string>> = at == null ? {} : { [name]: at.toISOString() };
  return part;
}

interface MemberMetrics {
  members: number;
  membersWithWallets: number;
  holders: number;
}

/** From this many members on, counting them takes noticeably long. */
export const largeMembers = 5_000;
/** How long the metrics of a large community are cached. */
export const keptSeconds = 30;
const mostKept = 1_000;

interface Kept {
  untilMs: number;
  metrics: MemberMetrics;
}
const keptBy = new WeakMap<object, LRUCache<string, Kept>>();

/** Counts a community's members, those with wallets and those with roles. Results for a large community are cached. */
async function readMemberMetrics(
  { clock, db }: Pick<Context, 'clock' | 'db'>,
  communityId: string,
  roleIds: readonly string[],
): Promise<MemberMetrics> {
  const kept = keptBy.get(db) ?? new LRUCache<string, Kept>({ max: mostKept });
  keptBy.set(db, kept);
  const key = JSON.stringify([communityId, roleIds]);
  const nowMs = clock().getTime();
  const known = kept.get(key);
  if (known !== undefined && known.untilMs > nowMs) return known.metrics;
  const [members, membersWithWallets, holders] = await Promise.all([
    countPresent(db.system, [communityId]),
    countMembersWithWallets(db.system, communityId),
    countHoldersOfAny(db.system, communityId, roleIds),
  ]);
  const metrics = { members: members.get(communityId) ?? 0, membersWithWallets, holders };
  kept.delete(key);
  if (metrics.members >= largeMembers) kept.set(key, { untilMs: nowMs + keptSeconds * 1000, metrics });
  return metrics;
}
