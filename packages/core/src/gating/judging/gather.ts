import type { TokenIdSet } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/communities/index.ts';
import { type GuestOf, guestsAmong } from '../../communities/guest-passes/index.ts';
import { type LinkedWallet, walletsInCommunity } from '../../people/wallets/index.ts';
import type { Question } from '../../ports/index.ts';
import { assetLeavesOf, type Known, questionsOf, type Rule, type RuleWallet } from '../rules/index.ts';
import { decideRoles } from './decide.ts';
import { type OpenRules, readableRules } from './open-rules.ts';
import { type Answers, type ReadContext, type ReadWish, readAnswers } from './read.ts';
import type { RoleVerdict } from './verdict.ts';

type TokenLists = ReadonlyMap<string, TokenIdSet>;

/** What is known of some members: enough to decide their roles as often as their actual roles change. */
export interface Facts {
  communityId: string;
  now: Date;
  wallets: ReadonlyMap<string, readonly LinkedWallet[]>;
  guests: ReadonlyMap<string, GuestOf>;
  answers: Answers;
  tokenLists: TokenLists;
}

/** Asks everything that the rules of a community want to know of these members, and which guest passes they hold. */
export async function gatherFacts(
  ctx: ReadContext,
  { community, rules, tokenLists }: { community: Pick<CommunityRow, 'id'>; rules: OpenRules; tokenLists: TokenLists },
  userIds: readonly string[],
  wish: ReadWish,
): Promise<Facts> {
  const now = ctx.clock();
  const wallets = await walletsInCommunity(ctx.db.system, community.id, userIds, ctx.settings);
  const guests = await guestsAmong(ctx.db.system, community.id, userIds, now);
  const answers = await readForRules(ctx, readableRules(rules), [...wallets.values()], { now, tokenLists }, wish);
  return { communityId: community.id, now, wallets, guests, answers, tokenLists };
}

/** What the rules want to know of each of these people’s wallets: deduplicated, in one read for all of them. */
export async function readForRules(
  ctx: ReadContext,
  rules: readonly Rule[],
  wallets: readonly (readonly RuleWallet[])[],
  known: Known,
  wish: ReadWish,
): Promise<Answers> {
  const ask = (asking: readonly Rule[], answers?: Answers): Question[] =>
    wallets.flatMap((owned) =>
      asking.flatMap((rule) => questionsOf(rule, owned, { ...known, ...(answers && { answers }) })),
    );
  const first = await readAnswers(ctx, ask(rules), wish);
  // Wallets that delegated to a member's wallet are known only now.
  const delegating = rules.filter((rule) => assetLeavesOf(rule).some(({ reading }) => reading.delegation));
  const second = ask(delegating, first);
  return second.length === 0 ? first : new Map([...first, ...(await readAnswers(ctx, second, wish))]);
}

/** Decides the roles of one member by what was gathered. */
export function decideMember(
  rules: OpenRules,
  { communityId, now, wallets, guests, answers, tokenLists }: Facts,
  member: { userId: string; roleIds: readonly string[] },
): Promise<RoleVerdict[]> {
  const guest = guests.get(member.userId);
  return decideRoles(rules, {
    askedBy: communityId,
    now,
    answers,
    tokenLists,
    wallets: wallets.get(member.userId) ?? [],
    memberRoles: member.roleIds,
    guestPasses: guest?.passes ?? [],
    guestRoles: guest?.roleIds ?? [],
  });
}
