import type { Tenant, Tx } from '@latchkey/db';
import {
  type Access,
  type Actor,
  AppError,
  alsoLimited,
  app,
  chatPlatforms,
  guarded,
  notFound,
  owns,
  principalId,
  type Scope,
  user,
} from '@latchkey/kernel';
import { ownerOfClientApp } from '../../identity/client-apps/index.ts';
import { type Context, tenantOf } from '../../shared/context.ts';
import { operatorId } from '../../shared/qualified-ids.ts';
import { type CommunityRow, getCommunity, selectCommunity } from '../community-records/index.ts';
import { type AdminRow, isAdmin, selectAdministered, selectAdmins } from './admin-queries.ts';
import { type ConfirmContext, confirmAdmins } from './confirm-admins.ts';
import { isLetIn, selectOpenTo } from './queries.ts';

/** Admits admins of the community that `param` names, including its owner and the operator. */
export function communityAdmin(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(user(...scopes), param, 'community', administersCommunity);
}

/**
 * The same, and checks with the platform that they still manage the community there. For operations that decide about
 * roles, admins or the community itself.
 */
export function confirmedCommunityAdmin(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(user(...scopes), param, 'community', async (ctx: Context, id) => {
    if (!(await administersCommunity(ctx, id))) return false;
    await requireCommunityAdmin(ctx, id);
    return true;
  });
}

/**
 * The same, and admits client applications that an admin granted one of these scopes in this community. Having been
 * created by an admin is not enough, unlike for `communityReader`: what changes rules must be granted by name.
 */
export function adminOrGrantedApp(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(app(...scopes), param, 'community', async (ctx: Context, id) => {
    if (ctx.actor.kind === 'client') return isGranted(ctx, id, scopes);
    if (!(await administersCommunity(ctx, id))) return false;
    await requireCommunityAdmin(ctx, id);
    return true;
  });
}

async function isGranted(ctx: Context, id: string, scopes: readonly Scope[]): Promise<boolean> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined || ctx.actor.kind !== 'client') return false;
  if (isInternal(ctx.actor)) return true;
  return (await selectOpenTo(ctx.db.system, ctx.actor.client.id, [community.id], scopes)).length > 0;
}

/** Admits members and admins of the community that `param` names, and apps that `communityReader` admits. */
export function communityViewer(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(app(...scopes), param, 'community', (ctx: Context, id) =>
    ctx.actor.kind === 'client' ? readsCommunity(ctx, id, scopes) : belongsToCommunity(ctx, id),
  );
}

/**
 * Admits callers who may read what a community shows to apps: its admins, and client applications that one of its
 * admins created or granted one of these scopes, or that belong to the operator.
 */
export function communityReader(param: string, ...scopes: Scope[]): Access<Context> {
  return guarded(app(...scopes), param, 'community', (ctx: Context, id) => readsCommunity(ctx, id, scopes));
}

/**
 * The same for an operation that was published without a scope; one of these scopes is required of tokens and of apps
 * that were granted access.
 */
export function scopelessReader(param: string, ...scopes: Scope[]): Access<Context> {
  const access = guarded(app(), param, 'community', (ctx: Context, id) => readsCommunity(ctx, id, scopes));
  return alsoLimited(access, { scopes });
}

/** Whether the caller is an admin of this community. */
export async function administersCommunity(ctx: Context, id: string): Promise<boolean> {
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) return false;
  return owns(ctx.actor, community.owner_id) || (await isAdmin(ctx.db.system, community.id, principalId(ctx.actor)));
}

// The row policies decide who belongs to a community: every caller who can see its row does.
async function belongsToCommunity(ctx: Context, id: string): Promise<boolean> {
  return (await ctx.tx((tx) => selectCommunity(tx, id))) !== undefined;
}

async function readsCommunity(ctx: Context, id: string, scopes: readonly Scope[]): Promise<boolean> {
  const community = await selectCommunity(ctx.db.system, id);
  return community !== undefined && (await readableAmong(ctx, [community], scopes)).has(community.id);
}

/** The ids of the communities that `communityReader` admits the caller to, in one lookup for all of them. */
export async function readableAmong(
  ctx: Context,
  communities: readonly Pick<CommunityRow, 'id' | 'owner_id'>[],
  scopes: readonly Scope[],
): Promise<ReadonlySet<string>> {
  const { actor } = ctx;
  const readerId = actor.kind === 'client' ? await ownerOfClientApp(ctx, actor.client.id) : principalId(actor);
  const isOwn = ({ owner_id }: Pick<CommunityRow, 'owner_id'>) =>
    actor.kind === 'client' ? isInternal(actor) || owner_id === readerId : owns(actor, owner_id);
  const own = new Set(communities.filter(isOwn).map(({ id }) => id));
  const otherIds = communities.map(({ id }) => id).filter((id) => !own.has(id));
  const administered = readerId === undefined ? [] : await selectAdministered(ctx.db.system, otherIds, readerId);
  const opened = actor.kind === 'client' ? await selectOpenTo(ctx.db.system, actor.client.id, otherIds, scopes) : [];
  return new Set([...own, ...administered, ...opened]);
}

/** Whether the request comes through an application that belongs to the operator. */
export function isInternal(actor: Actor): boolean {
  return actor.client?.allowedScopes?.includes('$internal') ?? false;
}

/** Returns the community that `id` names, if the caller may read it. */
export function getReadableCommunity(ctx: Pick<Context, 'actor' | 'db'>, id: string): Promise<CommunityRow> {
  return readOfCommunity(ctx, id, async (_tx, community) => community);
}

/** Reads the community that `id` names and related rows, with the caller's permissions. */
export async function readOfCommunity<Found>(
  ctx: Pick<Context, 'actor' | 'db'>,
  id: string,
  read: (tx: Tx, community: CommunityRow) => Promise<Found>,
): Promise<Found> {
  return ctx.db.transaction(await tenantReading(ctx, id), async (tx) => read(tx, await getCommunity(tx, id)));
}

/**
 * The tenant whose rows a caller of `communityReader` reads: an app that was granted access reads as the community's
 * owner.
 */
export async function tenantReading(ctx: Pick<Context, 'actor' | 'db'>, communityId: string): Promise<Tenant> {
  if (ctx.actor.kind !== 'client' || isInternal(ctx.actor)) return readingTenant(ctx);
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await isLetIn(ctx.db.system, ctx.actor.client.id, community.id)))
    return readingTenant(ctx);
  return { owner: community.owner_id };
}

/** The tenant whose rows a caller reads: an app sees what its creator sees, and the operator's apps see everything. */
export async function readingTenant(ctx: Pick<Context, 'actor' | 'db'>): Promise<Tenant> {
  const { actor } = ctx;
  if (actor.kind !== 'client') return tenantOf(actor);
  if (isInternal(actor)) return 'system';
  return { owner: (await ownerOfClientApp(ctx, actor.client.id)) ?? principalId(actor) };
}

/** How long a confirmation stays valid while the platform does not respond. */
const confirmationSeconds = 24 * 60 * 60;

/**
 * Checks with the platform that an admin may still act for the community: because they manage it there, or because the
 * admin who added them does. Removes admins who no longer do.
 */
export async function requireCommunityAdmin(ctx: ConfirmContext & Pick<Context, 'actor'>, id: string): Promise<void> {
  const { actor } = ctx;
  if (actor.kind !== 'user') return;
  const community = await selectCommunity(ctx.db.system, id);
  if (community === undefined) throw notFound('community');
  const before = sponsorsOf(await selectAdmins(ctx.db.system, community.id), actor.userId);
  if (before.length === 0) throw notFound('community');
  await confirmAdmins(ctx, community.id, { only: before.map(({ user_id }) => user_id) });
  const root = sponsorsOf(await selectAdmins(ctx.db.system, community.id), actor.userId).at(-1);
  if (root === undefined) throw dismissed(community);
  if (root.confirmed_at === null && root.named_by === operatorId) return;
  const validUntilMs = (root.confirmed_at?.getTime() ?? 0) + confirmationSeconds * 1000;
  if (validUntilMs < ctx.clock().getTime()) throw notConfirmed(community);
}

/** An admin, the admin who added them, and so on, up to one whom the platform confirmed or the operator added. */
function sponsorsOf(admins: readonly AdminRow[], userId: string): AdminRow[] {
  const line: AdminRow[] = [];
  for (let next: string | null = userId; next !== null; ) {
    const admin = admins.find(({ user_id }) => user_id === next);
    if (admin === undefined || line.includes(admin)) break;
    line.push(admin);
    next = admin.confirmed_at === null ? admin.named_by : null;
  }
  return line;
}

function dismissed({ platform }: CommunityRow): AppError {
  return new AppError(
    'ROLE_NOT_ALLOWED',
    `You no longer manage this community on ${chatPlatforms[platform].title}, so you are no longer its admin here. You need ${chatPlatforms[platform].rightsToManage} there.`,
  );
}

function notConfirmed({ platform }: CommunityRow): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${chatPlatforms[platform].title} cannot confirm that you still manage this community, and has not done so in the last 24 hours. Make sure the bot is still connected to the community, and try again later.`,
    { retryAfterSeconds: 60 },
  );
}

/** Returns a community that the caller administers, by either of its ids. For any other caller it is not found. */
export async function ownCommunity(ctx: Context, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await administersCommunity(ctx, community.id))) throw notFound('community');
  return community;
}
