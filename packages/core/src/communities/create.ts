import type { Tx } from '@latchkey/db';
import { type Actor, AppError, principalId } from '@latchkey/kernel';
import { type Context, tenantOf } from '../context.ts';
import { notConfigured } from '../platform-setup.ts';
import { PlatformFailed, type PlatformName } from '../ports/index.ts';
import { isInternal } from './access.ts';
import { type Community, type NewCommunity, profileOf, toCommunity } from './community.ts';
import { refuse } from './invalid.ts';
import { communityKey, isUserKey, nativeUserId, parseCommunityKey } from './keys.ts';
import { insertPlan } from './plan-queries.ts';
import { type CommunityRow, insertAdmins, insertCommunity } from './queries.ts';
import { starterPlanId } from './set-plan.ts';

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts'>;
type Place = { platform: PlatformName; communityId: string };

/** Adds a community. Who adds it must administer it on its platform, unless the operator vouches for the caller. */
export async function createCommunity(ctx: CreateContext, { body }: { body: NewCommunity }): Promise<Community> {
  const place = placeOf(body);
  const trusted = isTrusted(ctx.actor);
  if (!trusted) await requirePlatformAdmin(ctx, place);
  const row = newCommunity(ctx, place, body, trusted);
  return ctx.db.transaction(trusted ? 'system' : tenantOf(ctx.actor), (tx) => store(tx, row));
}

function isTrusted(actor: Actor): boolean {
  return actor.kind === 'admin' || actor.kind === 'system' || (actor.kind === 'client' && isInternal(actor));
}

async function store(tx: Tx, row: CommunityRow): Promise<Community> {
  if (!(await insertCommunity(tx, row)))
    throw new AppError('STATE_CONFLICT', 'This community is here already; change it instead of adding it again.');
  await insertAdmins(tx, row.id, [row.owner_id], row.created_at);
  await insertPlan(tx, { community_id: row.id, plan_id: starterPlanId, since: row.created_at, until: null });
  return toCommunity(row, { adminIds: [row.owner_id], planIds: [starterPlanId] });
}

function placeOf({ pk, platform, communityId }: NewCommunity): Place {
  const named = pk === undefined ? undefined : parseCommunityKey(pk);
  if (named !== undefined) return named;
  if (platform === undefined) throw refuse('/platform', 'must be discord, telegram or reddit');
  if (communityId === undefined) throw refuse('/communityId', 'must be the id of the community on its platform');
  return { platform, communityId };
}

function newCommunity(ctx: CreateContext, place: Place, body: NewCommunity, trusted: boolean): CommunityRow {
  const now = ctx.clock();
  return {
    id: communityKey(place.platform, place.communityId),
    platform: place.platform,
    community_id: place.communityId,
    name: body.name ?? place.communityId,
    status: 'active',
    owner_id: trusted ? ownerOf(ctx.actor, body) : principalId(ctx.actor),
    admin_user_id: null,
    profile: profileOf(body, 'texts'),
    disable_background_checks: body.disableBkgBalCheck ?? false,
    check_period_seconds: null,
    next_check_at: null,
    created_at: now,
    updated_at: now,
  };
}

function ownerOf(actor: Actor, { ownerId }: NewCommunity): string {
  if (ownerId === undefined) return principalId(actor);
  if (!isUserKey(ownerId)) throw refuse('/ownerId', 'must be the id of a user, for example DIS#USER#123');
  return ownerId;
}

/** Never takes silence for a yes: a platform that cannot be asked admits nobody. */
async function requirePlatformAdmin(ctx: CreateContext, { platform, communityId }: Place): Promise<void> {
  // One answer for a community without the bot and for one of others, so that neither can be found out.
  const refused = new AppError(
    'ROLE_NOT_ALLOWED',
    `Only who administers this community on ${platform} can add it, and the bot must be in it to find out.`,
  );
  const { actor } = ctx;
  const userId = actor.kind === 'user' ? nativeUserId(platform, actor.userId) : undefined;
  if (userId === undefined) throw refused;
  const host = ctx.hosts[platform];
  if (host === undefined) throw notConfigured(platform);
  if (host.administers === undefined) throw unavailable(platform);
  try {
    if (await host.administers(communityId, userId)) return;
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind !== 'unknown-community') throw unavailable(platform, error);
  }
  throw refused;
}

function unavailable(platform: PlatformName, cause?: PlatformFailed): AppError {
  return new AppError('UNAVAILABLE', `${platform} cannot be asked who administers this community. Try again later.`, {
    retryAfterSeconds: cause?.retryAfterSeconds ?? 30,
    cause,
  });
}
