import { type Access, app, guarded, owns, principalId, type Scope, user } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { selectCommunity } from './queries.ts';

/** Someone who looks after the community that `param` names: its owner, one of its admins, or the operator. */
export function communityAdmin(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(user(...scopes), param, 'community', administersCommunity);
}

/**
 * Whoever may read what a community shows to programs: its admins, and client applications that one of its admins made
 * or that are marked as the operator's own.
 */
export function communityReader(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(app(...scopes), param, 'community', readsCommunity);
}

/** True when the caller looks after this community. */
export async function administersCommunity(ctx: Context, id: string): Promise<boolean> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) return false;
  return owns(ctx.actor, community.owner_id) || (await isAdmin(ctx, community.id, principalId(ctx.actor)));
}

async function readsCommunity(ctx: Context, id: string): Promise<boolean> {
  const { actor } = ctx;
  if (actor.kind !== 'client') return administersCommunity(ctx, id);
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) return false;
  if (actor.client.allowedScopes?.includes('$internal')) return true;
  const made = await ctx.db.system
    .selectFrom('client_apps')
    .select('created_by_id')
    .where('id', '=', actor.client.id)
    .executeTakeFirst();
  if (made === undefined) return false;
  return made.created_by_id === community.owner_id || isAdmin(ctx, community.id, made.created_by_id);
}

async function isAdmin(ctx: Pick<Context, 'db'>, communityId: string, userId: string): Promise<boolean> {
  const row = await ctx.db.system
    .selectFrom('community_admins')
    .select('user_id')
    .where('community_id', '=', communityId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}
