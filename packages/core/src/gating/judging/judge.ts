import { type CommunityRow, selectRules } from '../../communities/communities/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import type { RuleWallet } from '../rules/index.ts';
import { decideRoles } from './decide.ts';
import { decideMember, gatherFacts, readForRules } from './gather.ts';
import { type OpenRules, openRules, readableRules } from './open-rules.ts';
import type { ReadContext, ReadWish } from './read.ts';
import { rememberedForMs } from './read-remembered.ts';
import { readTokenLists } from './read-token-lists.ts';
import type { RoleVerdict } from './verdict.ts';

export type JudgeContext = ReadContext & Pick<Context, 'egress'>;

/**
 * Decides the roles of one person in a community: of a member, or of somebody who wants to become one and holds no role
 * yet. Nothing is changed.
 */
export async function judgeMember(
  ctx: JudgeContext,
  community: Pick<CommunityRow, 'id'>,
  userId: string,
  wish: ReadWish,
): Promise<RoleVerdict[]> {
  const rules = openRules(await selectRules(ctx.db.system, community.id));
  const [member] = await selectMembers(ctx.db.system, community.id, [userId]);
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  const facts = await gatherFacts(ctx, { community, rules, tokenLists }, [userId], wish);
  return decideMember(rules, facts, { userId, roleIds: member?.left_at === null ? member.role_ids : [] });
}

export interface Judgement {
  verdicts: RoleVerdict[];
  /** For so long memory keeps everything that was read for it. */
  freshForMs: number;
}

/** Decides roles by what some wallets hold, where no community is meant: nobody there has roles or guest passes. */
export async function judgeWallets(
  ctx: JudgeContext,
  rules: OpenRules,
  { askedBy, wallets }: { askedBy: string; wallets: readonly RuleWallet[] },
  wish: ReadWish,
): Promise<Judgement> {
  const now = ctx.clock();
  const readable = readableRules(rules);
  const tokenLists = await readTokenLists(ctx, readable);
  const answers = await readForRules(ctx, readable, [wallets], { now, tokenLists }, wish);
  const subject = { askedBy, now, wallets, answers, tokenLists, memberRoles: [], guestRoles: [] };
  return {
    verdicts: await decideRoles(rules, subject),
    freshForMs: wish.from === 'memory' ? rememberedForMs(ctx, answers.keys()) : 0,
  };
}
