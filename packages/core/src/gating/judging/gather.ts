import type { TokenIdSet } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/communities/index.ts';
import { type GuestOf, guestsAmong } from '../../communities/guest-passes/index.ts';
import { type LinkedWallet, walletsInCommunity } from '../../people/wallets/index.ts';
import type { Answer, Question } from '../../ports/index.ts';
import { assetLeavesOf, questionsOf } from '../rules/index.ts';
import { decideRoles } from './decide.ts';
import type { OpenRules } from './open-rules.ts';
import { type ReadContext, type ReadWish, readAnswers } from './read.ts';
import type { RoleVerdict } from './verdict.ts';

/** What is known of some members: enough to decide their roles as often as their actual roles change. */
export interface Facts {
  communityId: string;
  now: Date;
  wallets: ReadonlyMap<string, readonly LinkedWallet[]>;
  guests: ReadonlyMap<string, GuestOf>;
  answers: ReadonlyMap<string, Answer>;
  tokenLists: ReadonlyMap<string, TokenIdSet>;
}

/** Asks everything that the rules want to know of these members: deduplicated, in one read for all of them. */
export async function gatherFacts(
  ctx: ReadContext,
  {
    community,
    rules: { rules },
    tokenLists,
  }: { community: CommunityRow; rules: OpenRules; tokenLists: ReadonlyMap<string, TokenIdSet> },
  userIds: readonly string[],
  wish: ReadWish,
): Promise<Facts> {
  const now = ctx.clock();
  const wallets = await walletsInCommunity(ctx.db.system, community.id, userIds, ctx.settings);
  const guests = await guestsAmong(ctx.db.system, community.id, userIds, now);
  const readable = rules.flatMap((open) => ('rule' in open ? [open.rule] : []));
  const ask = (rules: typeof readable, answers?: ReadonlyMap<string, Answer>): Question[] =>
    [...wallets.values()].flatMap((owned) =>
      rules.flatMap((rule) => questionsOf(rule, owned, { now, tokenLists, ...(answers && { answers }) })),
    );
  const first = await readAnswers(ctx, ask(readable), wish);
  // Wallets that delegated to a member's wallet are known only now.
  const delegating = readable.filter((rule) => assetLeavesOf(rule).some(({ reading }) => reading.delegation));
  const second = ask(delegating, first);
  const answers = second.length === 0 ? first : new Map([...first, ...(await readAnswers(ctx, second, wish))]);
  return { communityId: community.id, now, wallets, guests, answers, tokenLists };
}

/** Decides the roles of one member by what was gathered. */
export function decideMember(
  rules: OpenRules,
  { communityId, now, wallets, guests, answers, tokenLists }: Facts,
  member: { userId: string; roleIds: readonly string[] },
): Promise<RoleVerdict[]> {
  const guest = guests.get(member.userId);
  return decideRoles(rules, {
    communityId,
    now,
    answers,
    tokenLists,
    wallets: wallets.get(member.userId) ?? [],
    memberRoles: member.roleIds,
    guestPasses: guest?.passes ?? [],
    guestRoles: guest?.roleIds ?? [],
  });
}
