import { notFound, owns } from '@latchkey/kernel';
import {
  getCommunity,
  nativeUserId,
  readingTenant,
  selectRules,
  userKey,
} from '../../communities/communities/index.ts';
import { guestsAmong } from '../../communities/guest-passes/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { walletsInCommunity } from '../../people/wallets/index.ts';
import { type DecideContext, decideRoles, type OpenedRule } from './decide-roles.ts';
import { openSavedRule } from './open-rules.ts';
import { selectCheck } from './queries.ts';
import type { TokenGatingResponse } from './token-gating.ts';

/** True when the caller asked for this check. */
export async function ownsCheck(ctx: Pick<Context, 'actor' | 'clock' | 'db'>, requestId: string): Promise<boolean> {
  return owns(ctx.actor, (await selectCheck(ctx.db.system, requestId, ctx.clock()))?.owner_id);
}

/** The answer of a check, or only its id as long as it is not decided. */
export async function getCheckRolesResponse(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
  { requestId }: { requestId: string },
): Promise<TokenGatingResponse> {
  const check = await ctx.tx((tx) => selectCheck(tx, requestId, ctx.clock()));
  if (check === undefined) throw notFound('request');
  return { requestId, ...check.answer };
}

/** Holds the rules of a community against one member, with the wallets the member linked. */
export async function getCommunityUserRoles(
  ctx: DecideContext & Pick<Context, 'actor' | 'db' | 'settings'>,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<TokenGatingResponse> {
  const tenant = await readingTenant(ctx);
  const { rows, community } = await ctx.db.transaction(tenant, async (tx) => {
    const found = await getCommunity(tx, communityId);
    return { community: found, rows: await selectRules(tx, found.id) };
  });
  const { platform } = community;
  const user = nativeUserId(platform, userId) === undefined ? userKey(platform, userId) : userId;
  const { system } = ctx.db;
  const [wallets, [member], guests] = await Promise.all([
    walletsInCommunity(system, community.id, [user], ctx.settings),
    selectMembers(system, community.id, [user]),
    guestsAmong(system, community.id, [user], ctx.clock()),
  ]);
  return decideRoles(ctx, rows.map(openStored), {
    caller: community.id,
    wallets: wallets.get(user) ?? [],
    roleIds: member?.role_ids ?? [],
    guest: guests.get(user) ?? { passes: [], roleIds: [] },
  });
}

// A stored rule that cannot be read any more leaves its role open and says why.
function openStored(row: { id: string; role_id: string; definition: unknown }): OpenedRule {
  try {
    return { rule: { ...openSavedRule(row.definition), id: row.id, roleId: row.role_id } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'The rule cannot be read.';
    return { id: row.id, roleId: row.role_id, problem };
  }
}
