import { selectCommunity, selectRules } from '../../communities/communities/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import {
  decideMember,
  gatherFacts,
  openRules,
  type ReadContext,
  type RoleReason,
  type RoleVerdict,
  readTokenLists,
} from '../judging/index.ts';
import type { Truth } from '../rules/index.ts';
import { selectOpenItems } from './plan-queries.ts';

type StandingContext = ReadContext & Pick<Context, 'egress'>;

/** The roles that a member has, without those that are being taken; undefined for who is no member. */
export async function readRoles(
  ctx: Pick<Context, 'db'>,
  communityId: string,
  userId: string,
): Promise<readonly string[] | undefined> {
  const [member] = await selectMembers(ctx.db.system, communityId, [userId]);
  if (member === undefined || member.left_at !== null || member.is_bot) return undefined;
  const open = await selectOpenItems(ctx.db.system, communityId, [userId]);
  // What waits for an admin is not decided yet.
  const leaving = open.filter(({ action, state }) => action === 'revoke' && state !== 'planned');
  return member.role_ids.filter((roleId) => !leaving.some((item) => item.role_id === roleId));
}

/**
 * What each rule of a community says of a member now, by the id of the rule; undefined for who is no member. Stored
 * answers count as long as no change of them was heard, so that asking often costs the chains nothing.
 */
export async function readRules(
  ctx: StandingContext,
  communityId: string,
  userId: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Truth> | undefined> {
  const roleIds = await readRoles(ctx, communityId, userId);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (roleIds === undefined || community === undefined) return undefined;
  const rules = openRules(await selectRules(ctx.db.system, community.id));
  const readable = rules.rules.flatMap((open) => ('rule' in open ? [open.rule] : []));
  const tokenLists = await readTokenLists(ctx, readable);
  const facts = await gatherFacts(ctx, { community, rules, tokenLists }, [userId], { signal });
  const verdicts = await decideMember(rules, facts, { userId, roleIds });
  return new Map(verdicts.flatMap(reasonsOf).map(({ id, truth }) => [id, truth]));
}

// The reason of a verdict is what decideRoles wrote; it is unknown to those who only keep it.
function reasonsOf({ reason }: RoleVerdict): RoleReason['rules'] {
  return (reason as RoleReason).rules;
}
