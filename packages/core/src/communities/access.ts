import type { Tenant } from '@latchkey/db';
import { type Access, type Actor, app, guarded, owns, principalId, type Scope, user } from '@latchkey/kernel';
import { ownerOfClientApp } from '../client-apps/index.ts';
import { type Context, tenantOf } from '../context.ts';
import { isAdmin, selectCommunity } from './queries.ts';

/** Someone who looks after the community that `param` names: its owner, one of its admins, or the operator. */
export function communityAdmin(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(user(...scopes), param, 'community', administersCommunity);
}

/** Someone who is in the community that `param` names, or looks after it. */
export function communityMember(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(user(...scopes), param, 'community', belongsToCommunity);
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
  return owns(ctx.actor, community.owner_id) || (await isAdmin(ctx.db.system, community.id, principalId(ctx.actor)));
}

// The row policies know who is in a community: whoever sees its row is.
async function belongsToCommunity(ctx: Context, id: string): Promise<boolean> {
  return (await ctx.tx((tx) => selectCommunity(tx, id))) !== undefined;
}

async function readsCommunity(ctx: Context, id: string): Promise<boolean> {
  const { actor } = ctx;
  if (actor.kind !== 'client') return administersCommunity(ctx, id);
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) return false;
  if (isInternal(actor)) return true;
  const makerId = await ownerOfClientApp(ctx, actor.client.id);
  if (makerId === undefined) return false;
  return makerId === community.owner_id || isAdmin(ctx.db.system, community.id, makerId);
}

/** True for requests through an application that is marked as the operator's own. */
export function isInternal(actor: Actor): boolean {
  return actor.client?.allowedScopes?.includes('$internal') ?? false;
}

/** Whose rows a caller reads: a program sees what its maker sees, and the operator's own programs see everything. */
export async function readingTenant(ctx: Pick<Context, 'actor' | 'db'>): Promise<Tenant> {
  const { actor } = ctx;
  if (actor.kind !== 'client') return tenantOf(actor);
  if (isInternal(actor)) return 'system';
  return { owner: (await ownerOfClientApp(ctx, actor.client.id)) ?? principalId(actor) };
}
