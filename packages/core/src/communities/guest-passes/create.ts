import { isAble, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { refuseBadRoles } from '../community/index.ts';
import { getCommunity } from '../community-records/index.ts';
import { type GuestPass, type GuestPassRequest, toGuestPass } from './guest-pass.ts';
import { type GuestPassRow, insertPass, type PassRole } from './queries.ts';

export const defaultPeriodSeconds = 30 * 24 * 60 * 60;
const longestPeriodSeconds = 10 * 365 * 24 * 60 * 60;
const shortestPeriodSeconds = 60;

/** Refuses a pass with a role that the bot cannot grant, or that has moderation permissions. */
export async function refuseBadPass(
  ctx: Context,
  { guildId, body }: { guildId: string; body: GuestPassRequest },
): Promise<void> {
  const roles = rolesOf(body).map(({ id }, index) => ({ roleId: id, path: `/roleSet/${index}/id` }));
  await refuseBadRoles(ctx, guildId, roles);
}

/** Creates a pass. It has no holders yet. */
export async function createGuestPass(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { guildId, body }: { guildId: string; body: GuestPassRequest },
): Promise<GuestPass> {
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, guildId);
    if (!isAble(community.platform, 'guestPasses')) throw refuse('/', 'is only available for Discord servers');
    const row: GuestPassRow = {
      id: ctx.random.id(),
      community_id: community.id,
      name: nameOf(body),
      description: body.description ?? null,
      role_set: rolesOf(body),
      status: body.status ?? 'active',
      period_seconds: periodOf(body),
      created_by_id: principalId(ctx.actor),
      created_at: ctx.clock(),
      deleted_at: null,
    };
    await insertPass(tx, row);
    return toGuestPass(row);
  });
}

function nameOf({ name }: GuestPassRequest): string {
  if (name === undefined) throw refuse('/name', 'must be the name of the pass');
  return name;
}

function rolesOf({ roleSet = [] }: GuestPassRequest): PassRole[] {
  const roles = roleSet.map(({ id, name, color }) => {
    if (id === undefined || !/^\d{15,20}$/.test(id)) throw refuse('/roleSet', 'must identify each role by its id');
    return { id, ...(name !== undefined && { name }), ...(color !== undefined && { color }) };
  });
  if (roles.length === 0) throw refuse('/roleSet', 'must contain at least one role');
  return roles;
}

function periodOf({ period = defaultPeriodSeconds }: GuestPassRequest): number {
  const isFit = Number.isInteger(period) && period >= shortestPeriodSeconds && period <= longestPeriodSeconds;
  if (!isFit) throw refuse('/period', 'must be a whole number of seconds, from one minute to ten years');
  return period;
}
