import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { allows, permissionsOf, spaced } from '../../communities/discord-guilds/index.ts';
import { selectHoldersOfAny } from '../../communities/memberships/index.ts';
import { selectRuledRoles } from '../../gating/role-changes/index.ts';
import { type DiscordApi, type DiscordInvite, type DiscordPermission, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { notifyAdminsSoon } from '../../shared/find-notices.ts';
import { selectCreatingSince, selectOwnCodes } from '../role-invites/index.ts';
import { type Door, type DoorKind, findDoors, letsGive } from './find-doors.ts';
import {
  beginRecord,
  type ExpectedRow,
  markGone,
  putDoors,
  selectDoors,
  selectExpected,
  type Unchecked,
} from './queries.ts';

/** How long a check stays fresh. Events of the gateway bring the next one forward. */
export const checkSeconds = 6 * 60 * 60;
const soonSeconds = 10 * 60;

/**
 * Reads everything of a Discord server that can give a role, with at most six calls, and records what is new and what is
 * gone. What could not be read keeps its state. Throws `PlatformFailed` if the server itself cannot be read.
 */
export async function checkBackDoors(
  ctx: Pick<Context, 'clock' | 'db' | 'discord' | 'random'>,
  communityId: string,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.platform !== 'discord' || community.status !== 'active' || ctx.discord === undefined) return;
  const begunAt = ctx.clock();
  const ruledRoleIds = await selectRuledRoles(ctx.db.system, communityId);
  const found =
    ruledRoleIds.length === 0
      ? { doors: [], unchecked: [] }
      : await readDoors(ctx, ctx.discord, { communityId, guildId: community.community_id, ruledRoleIds });
  await record(ctx, communityId, { ...found, begunAt });
}

interface Found {
  doors: Door[];
  unchecked: Unchecked[];
}

async function readDoors(
  { db }: Pick<Context, 'db'>,
  discord: DiscordApi,
  { communityId, guildId, ruledRoleIds }: { communityId: string; guildId: string; ruledRoleIds: readonly string[] },
): Promise<Found> {
  const bot = await discord.readBot(guildId);
  if (bot === undefined)
    throw new PlatformFailed('unknown-community', 'The bot is not in this Discord server. Invite it and try again.');
  const guild = await discord.readGuild(guildId);
  const bits = permissionsOf({ guildId, bot, roles: guild.roles });
  const unchecked: Unchecked[] = [];
  /** Asks only for what the bot may read: refusals count towards Discord's ban of this server's address. */
  async function read<Result>(
    what: Unchecked['what'],
    anyOf: readonly DiscordPermission[],
    ask: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const [first] = anyOf;
    if (first !== undefined && !anyOf.some((name) => allows(bits, name))) {
      unchecked.push({ what, permission: spaced(first) });
      return undefined;
    }
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PlatformFailed)) throw error;
      unchecked.push({ what });
      return undefined;
    }
  }
  const invites = await read('invites', ['ViewAuditLog', 'ManageGuild'], () => discord.readInvites(guildId));
  const onboarding = await read('onboarding', [], () => discord.readOnboarding(guildId));
  const integrations = await read('integrations', ['ManageGuild'], () => discord.readIntegrations(guildId));
  const giving = guild.roles.filter(letsGive).map(({ id }) => id);
  // What everyone may do counts for each bot, and no member has the role of everyone listed.
  const looked = giving.includes(guildId) ? guild.roles.map(({ id }) => id) : giving;
  const holders = await selectHoldersOfAny(db.system, communityId, looked);
  const { owner_id: ownerId, roles } = guild;
  const scene = { guildId, ownerId, botId: bot.user.id, roles, ruledRoleIds, holders };
  const others = invites && (await withoutOwn(db, { guildId, botId: bot.user.id }, invites));
  return { doors: findDoors({ ...scene, invites: others, onboarding, integrations }), unchecked };
}

/** Leaves out role invites: they give only what the rules give. One whose code is not stored yet is ours too. */
async function withoutOwn(
  db: Context['db'],
  { guildId, botId }: { guildId: string; botId: string },
  invites: readonly DiscordInvite[],
): Promise<DiscordInvite[]> {
  // In this order: an invite that was being created is known by the second read.
  const creatingSince = await selectCreatingSince(db.system, guildId);
  const own = await selectOwnCodes(db.system, guildId);
  return invites.filter(
    ({ code, creator, maxUses = 1 }) =>
      !own.has(hashSecret(code)) && !(creatingSince !== undefined && creator?.id === botId && maxUses === 1),
  );
}

/** The part of a server in which ways of a kind are found; roles show the others. */
const partOf: Partial<Record<DoorKind, Unchecked['what']>> = { invite: 'invites', onboarding: 'onboarding' };

async function record(
  ctx: Pick<Context, 'clock' | 'db' | 'random'>,
  communityId: string,
  { doors: found, unchecked, begunAt }: Found & { begunAt: Date },
): Promise<void> {
  const now = ctx.clock();
  // A list that names something twice must not fail the check.
  const doorOf = new Map(found.map((door) => [keyOf(door.id, door.roleId), door]));
  const doors = [...doorOf.values()];
  const isPartial = unchecked.some(({ permission }) => permission === undefined);
  const dueAt = addSeconds(now, isPartial ? soonSeconds : checkSeconds);
  await ctx.db.transaction('system', async (tx) => {
    if (!(await beginRecord(tx, { communityId, begunAt, checkedAt: now, dueAt, unchecked }))) return;
    const known = new Map((await selectDoors(tx, communityId)).map((row) => [keyOf(row.door_id, row.role_id), row]));
    const expected = new Map((await selectExpected(tx, communityId)).map((row) => [row.door_id, row]));
    const batch = ctx.random.id();
    const isNew = ({ id, roleId }: Door) => !known.has(keyOf(id, roleId)) && !covers(expected.get(id), roleId);
    const fresh = doors.filter(isNew);
    await putDoors(tx, communityId, fresh, { at: now, batch });
    await putDoors(
      tx,
      communityId,
      doors.filter((door) => !isNew(door)),
      { at: now, batch: null },
    );
    const isUnread = (kind: DoorKind) => unchecked.some(({ what }) => what === partOf[kind]);
    const gone = [...known].filter(([key, { kind }]) => !doorOf.has(key) && !isUnread(kind));
    await markGone(
      tx,
      communityId,
      gone.map(([, row]) => row),
      now,
    );
    if (fresh.length > 0) await notifyAdminsSoon(tx);
  });
}

const keyOf = (id: string, roleId: string) => `${id} ${roleId}`;

/** Whether admins expect that a way gives this role. */
export function covers(expected: Pick<ExpectedRow, 'role_ids'> | undefined, roleId: string): boolean {
  return expected !== undefined && (expected.role_ids === null || expected.role_ids.includes(roleId));
}
