import type { Tx } from '@latchkey/db';
import { type Actor, AppError, chatPlatforms, platformNames, principalId } from '@latchkey/kernel';
import type { PlatformFailed, PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { communityKey, isUserKey, operatorId, parseCommunityKey } from '../../shared/qualified-ids.ts';
import { refuse } from '../../shared/refuse.ts';
import { askAdminStatus, type Ground, insertAdmins, isInternal, type Place } from '../access/index.ts';
import { insertPlan, starterPlanId } from '../community-plans/index.ts';
import { type CommunityRow, insertCommunity } from '../community-records/index.ts';
import { type Community, contactOf, lists, type NewCommunity, profileOf, toCommunity } from './community.ts';

type CreateContext = Pick<Context, 'actor' | 'clock' | 'db' | 'hosts'>;

/** Adds a community. The caller must manage it on its platform, unless it is the operator. */
export async function createCommunity(ctx: CreateContext, { body }: { body: NewCommunity }): Promise<Community> {
  const place = placeOf(body);
  const trusted = isTrusted(ctx.actor);
  if (!trusted) await requirePlatformAdmin(ctx, place);
  const row = newCommunity(ctx, place, body, trusted);
  // Row policies do not let users make themselves admins: the system does it, now that the platform has confirmed them.
  return ctx.db.transaction('system', (tx) => store(tx, row, groundOf(ctx)));
}

/**
 * Our own jobs check with the platform before they add a community, as for a user; the operator needs no confirmation.
 */
function groundOf({ actor, clock }: CreateContext): Ground {
  return actor.kind === 'user' || actor.kind === 'system' ? { confirmedAt: clock() } : { namedBy: operatorId };
}

function isTrusted(actor: Actor): boolean {
  return actor.kind === 'admin' || actor.kind === 'system' || (actor.kind === 'client' && isInternal(actor));
}

async function store(tx: Tx, row: CommunityRow, ground: Ground): Promise<Community> {
  if (!(await insertCommunity(tx, row)))
    throw new AppError('STATE_CONFLICT', 'This community was already added. Update it instead.');
  await insertAdmins(tx, row.id, [row.owner_id], ground, row.created_at);
  await insertPlan(tx, { community_id: row.id, plan_id: starterPlanId, since: row.created_at, until: null });
  return toCommunity(row, {
    adminIds: [row.owner_id],
    planIds: [starterPlanId],
    lists: lists.filter((name) => name in row.profile),
  });
}

function placeOf({ pk, platform, communityId }: NewCommunity): Place {
  const named = pk === undefined ? undefined : parseCommunityKey(pk);
  if (named !== undefined) return named;
  if (platform === undefined) throw refuse('/platform', `must be one of ${platformNames.join(', ')}`);
  if (communityId === undefined || parseCommunityKey(communityKey(platform, communityId)) === undefined)
    throw refuse('/communityId', 'must be the id of the community on its platform');
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
    admin_user_id: contactOf(body) ?? null,
    profile: profileOf(body),
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

/** An unavailable platform never counts as a yes: then no caller can add the community. */
async function requirePlatformAdmin(ctx: CreateContext, place: Place): Promise<void> {
  const { actor } = ctx;
  const { title, rightsToManage } = chatPlatforms[place.platform];
  // The same error if the bot is missing and if the caller is not an admin, so that neither can be inferred.
  const refused = new AppError(
    'ROLE_NOT_ALLOWED',
    `Only people who manage this community on ${title} can add it. You need ${rightsToManage}, and the bot must be a member to check that.`,
  );
  if (actor.kind !== 'user') throw refused;
  if (ctx.hosts[place.platform] === undefined) throw notConfigured(place.platform);
  const standing = await askAdminStatus(ctx, place, actor.userId);
  if (standing.kind === 'yes') return;
  if (standing.kind === 'no' || standing.cause?.kind === 'unknown-community') throw refused;
  throw unavailable(place.platform, standing.cause);
}

function unavailable(platform: PlatformName, cause: PlatformFailed | undefined): AppError {
  const message = `${chatPlatforms[platform].title} cannot confirm who manages this community. Try again later.`;
  return new AppError('UNAVAILABLE', message, { retryAfterSeconds: cause?.retryAfterSeconds ?? 30, cause });
}
