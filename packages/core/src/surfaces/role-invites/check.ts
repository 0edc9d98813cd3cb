import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { selectShadowOn } from '../../gating/role-changes/index.ts';
import { type DiscordApi, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { settleArrival } from './arrivals.ts';
import { hasLostARole } from './find-grants.ts';
import {
  type InviteRow,
  moveInvite,
  selectCreatingSince,
  selectInvite,
  selectOwnCodes,
  selectSettings,
} from './queries.ts';

/** How often a live invite is checked. */
export const checkSeconds = 120;
/** How long Discord may take to create an invite. Afterwards nobody waits for it, and what was created is deleted. */
export const claimSeconds = 60;
const lostSeconds = 300;
/** Discord’s clock and ours differ. */
const marginSeconds = 60;

export function codePlace(id: string): string {
  return `role_invites.code:${id}`;
}

/**
 * Checks one invite: whether its holder still qualifies, was erased or came in, whether it has expired, and whether the
 * server still offers invites. Throws when it should be tried again soon.
 */
export async function checkInvite(ctx: Context, id: string): Promise<void> {
  const row = await selectInvite(ctx.db.system, id);
  const now = ctx.clock();
  if (row === undefined || row.due_at === null) return;
  const { system } = ctx.db;
  const community = await selectCommunity(system, row.community_id);
  switch (row.state) {
    case 'creating':
      // The process that created it is gone, or has given up.
      if (now < addSeconds(row.created_at, claimSeconds)) return;
      await moveInvite(system, id, ['creating'], { state: 'lost', due_at: now });
      return searchLost(ctx, { ...row, state: 'lost' });
    case 'lost':
      return searchLost(ctx, row);
    case 'live': {
      const why = await findReason(ctx, community, row);
      if (why === undefined) {
        await moveInvite(system, id, ['live'], { due_at: addSeconds(now, checkSeconds) });
        return;
      }
      if (!(await moveInvite(system, id, ['live'], { state: 'revoking', why, due_at: now, tries: 0 }))) return;
      await revokeInvite(ctx, community, { ...row, state: 'revoking', why });
      return;
    }
    case 'revoking':
      await revokeInvite(ctx, community, row);
  }
}

/** Why an invite must not be used any more; undefined while nothing speaks against it. */
async function findReason(
  ctx: Context,
  community: CommunityRow | undefined,
  row: InviteRow,
): Promise<string | undefined> {
  const { system } = ctx.db;
  const { user_id: userId } = row;
  if (userId === null) return 'erased';
  if (ctx.clock() >= row.expires_at) return 'expired';
  if (community?.status !== 'active') return 'community';
  if ((await selectSettings(system, community.id))?.channel_id !== row.channel_id) return 'setting';
  if ((await selectShadowOn(system, community.id)) !== undefined) return 'shadow';
  const [member] = await selectMembers(system, community.id, [userId]);
  if (member?.left_at === null) return 'joined';
  return (await hasLostARole(ctx, community, { ...row, user_id: userId })) ? 'unqualified' : undefined;
}

/** The roles of the invite’s holder on Discord; undefined if they are not a member. */
async function readRoles({ hosts }: Pick<Context, 'hosts'>, row: InviteRow): Promise<readonly string[] | undefined> {
  const native = row.user_id === null ? undefined : nativeUserId('discord', row.user_id);
  if (native === undefined) return undefined;
  if (hosts.discord === undefined) throw new PlatformFailed('not-configured', 'No Discord bot is configured.');
  return (await hosts.discord.readMember(row.guild_id, native))?.roleIds;
}

/**
 * Takes an invite back. True once it cannot be used any more: it was deleted, or Discord has it no longer because it has
 * expired or was used. In the last case the roles are recorded.
 */
export async function revokeInvite(
  ctx: Context,
  community: CommunityRow | undefined,
  row: InviteRow,
): Promise<boolean> {
  const { system } = ctx.db;
  if (row.state !== 'revoking' || row.code === null) return true;
  const now = ctx.clock();
  try {
    const discord = discordOf(ctx);
    const code = ctx.keyring.openText(codePlace(row.id), row.code);
    const wasThere = await discord.deleteInvite(code, `Role invite: ${row.why ?? 'revoked'}`);
    if (!wasThere && row.user_id !== null && community !== undefined) {
      const roleIds = await readRoles(ctx, row);
      // Used up. The roles that the member still has came with it.
      if (roleIds !== undefined) await settleArrival(ctx, community, row.user_id, roleIds);
    }
    await moveInvite(system, row.id, ['revoking'], endedAt(now));
    return true;
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    // It is worth nothing by then, whatever Discord refuses.
    const isOver = now > addSeconds(row.expires_at, marginSeconds) && error.kind !== 'unavailable';
    const later = { tries: row.tries + 1, problem: error.message, due_at: addSeconds(now, pauseSeconds(row.tries)) };
    await moveInvite(system, row.id, ['revoking'], isOver ? { ...endedAt(now), problem: error.message } : later);
    return isOver;
  }
}

function endedAt(now: Date) {
  return { state: 'ended', ended_at: now, due_at: null, code: null, code_hash: null } as const;
}

function pauseSeconds(tries: number): number {
  return Math.min(10 * 2 ** tries, 300);
}

function discordOf({ discord }: Pick<Context, 'discord'>): DiscordApi {
  if (discord === undefined) throw new PlatformFailed('not-configured', 'No Discord bot is configured.');
  return discord;
}

/**
 * Searches the channel for an invite that Discord created and whose code never reached us, and deletes it. This goes on
 * until such an invite would have expired.
 */
async function searchLost(ctx: Context, row: InviteRow): Promise<void> {
  const { system } = ctx.db;
  const now = ctx.clock();
  try {
    await deleteUnknown(ctx, row);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const isOver = now > addSeconds(row.expires_at, marginSeconds);
    const later = { tries: row.tries + 1, due_at: addSeconds(now, pauseSeconds(row.tries)), problem: error.message };
    await moveInvite(system, row.id, ['lost'], isOver ? { ...endedAt(now), why: 'lost' } : later);
    return;
  }
  const isOver = now > addSeconds(row.expires_at, marginSeconds);
  const again = { tries: 0, problem: null, due_at: addSeconds(now, lostSeconds) };
  await moveInvite(system, row.id, ['lost'], isOver ? { ...endedAt(now), why: 'lost' } : again);
}

async function deleteUnknown(ctx: Context, { guild_id, channel_id }: InviteRow): Promise<void> {
  const discord = discordOf(ctx);
  const bot = await discord.readBot(guild_id);
  const found = await discord.readChannelInvites(channel_id);
  // In this order: what another process is creating is either still in this state, or known by then.
  const creatingSince = await selectCreatingSince(ctx.db.system, guild_id);
  const known = await selectOwnCodes(ctx.db.system, guild_id);
  const isInFlight = (createdAt: Date | undefined) =>
    creatingSince !== undefined && (createdAt === undefined || createdAt >= addSeconds(creatingSince, -marginSeconds));
  for (const { code, creator, roleIds, maxUses, createdAt } of found) {
    if (creator?.id !== bot?.user.id || roleIds.length === 0 || maxUses !== 1) continue;
    if (known.has(hashSecret(code)) || isInFlight(createdAt)) continue;
    await discord.deleteInvite(code, 'Role invite whose creation was interrupted');
  }
}
