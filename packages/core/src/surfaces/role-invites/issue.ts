import { hashSecret } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { refuseInShadow } from '../../gating/role-changes/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { checkSeconds, claimSeconds, codePlace, revokeInvite } from './check.ts';
import {
  hasRivalInvite,
  type InviteGrant,
  type InviteRow,
  insertInvite,
  lockInvites,
  moveInvite,
  selectInvite,
  selectOpenInvite,
  selectSettings,
} from './queries.ts';

/** How long an invite can be used. */
export const inviteSeconds = 30 * 60;
/** An invite with less time left is replaced. */
const leastLeftSeconds = 5 * 60;

/** Creates an invite for a person, or returns the one that they have. The caller has made sure that they qualify. */
export async function issueInvite(
  ctx: Context,
  community: CommunityRow,
  { userId, discordId, grants }: { userId: string; discordId: string; grants: readonly InviteGrant[] },
): Promise<InviteRow> {
  const present = await selectOpenInvite(ctx.db.system, community.id, userId);
  if (present?.state === 'creating') throw inProgress();
  if (present !== undefined) {
    if (isGoodFor(ctx, present, grants)) return present;
    await moveInvite(ctx.db.system, present.id, ['live'], { state: 'revoking', why: 'replaced', due_at: ctx.clock() });
    // Never two at a time.
    const revoked = await selectInvite(ctx.db.system, present.id);
    if (revoked !== undefined && !(await revokeInvite(ctx, community, revoked))) throw notNow();
  }
  const row = await writeIntent(ctx, community, userId, grants);
  const reason = `Role invite for ${userId}`;
  const asked = {
    channelId: row.channel_id,
    userId: discordId,
    roleIds: grants.map(({ roleId }) => roleId),
    maxAgeSeconds: inviteSeconds,
  };
  const code = await askDiscord(ctx, async (discord) => {
    try {
      return await discord.createPersonalInvite(asked, reason);
    } catch (error) {
      await noteFailure(ctx, row, error);
      throw error;
    }
  });
  const now = ctx.clock();
  const live = {
    state: 'live',
    code: ctx.keyring.seal(codePlace(row.id), code),
    code_hash: hashSecret(code),
    expires_at: addSeconds(now, inviteSeconds),
    due_at: addSeconds(now, checkSeconds),
  } as const;
  if (!(await moveInvite(ctx.db.system, row.id, ['creating'], live))) {
    // It took so long that it counts as failed. What Discord has is searched for as well, should this not work.
    await askDiscord(ctx, (discord) => discord.deleteInvite(code, 'Nobody waits for this role invite any more'));
    throw notNow();
  }
  return { ...row, ...live };
}

function isGoodFor(
  { clock }: Pick<Context, 'clock'>,
  { expires_at, grants: given }: InviteRow,
  grants: readonly InviteGrant[],
): boolean {
  const [before, now] = [given, grants].map((list) =>
    list
      .map(({ roleId }) => roleId)
      .toSorted()
      .join(),
  );
  return before === now && expires_at > addSeconds(clock(), leastLeftSeconds);
}

/** Written before Discord is asked, so that an invite that it creates is searched for, whatever happens to this process. */
async function writeIntent(
  ctx: Context,
  community: CommunityRow,
  userId: string,
  grants: readonly InviteGrant[],
): Promise<InviteRow> {
  const now = ctx.clock();
  return ctx.db.transaction('system', async (tx) => {
    await lockInvites(tx, community.id);
    const settings = await selectSettings(tx, community.id);
    if (settings === undefined) throw notOffered(community);
    await refuseInShadow(tx, community.id);
    if ((await selectOpenInvite(tx, community.id, userId)) !== undefined) throw inProgress();
    if (ctx.settings.allowSharedWallets !== true && (await hasRivalInvite(tx, community.id, userId)))
      throw new AppError(
        'STATE_CONFLICT',
        'Another account that linked one of your wallets has an invite into this server. A wallet counts for one member.',
      );
    const row: InviteRow = {
      id: ctx.random.id(),
      community_id: community.id,
      guild_id: community.community_id,
      channel_id: settings.channel_id,
      user_id: userId,
      grants: [...grants],
      state: 'creating',
      code: null,
      code_hash: null,
      created_at: now,
      expires_at: addSeconds(now, claimSeconds + inviteSeconds),
      ready_at: null,
      due_at: addSeconds(now, claimSeconds),
      tries: 0,
      why: null,
      problem: null,
      ended_at: null,
    };
    await insertInvite(tx, row);
    return row;
  });
}

/** A refusal created nothing. After anything else Discord may have an invite whose code nobody knows. */
async function noteFailure(ctx: Context, { id }: InviteRow, error: unknown): Promise<void> {
  const now = ctx.clock();
  const isRefused = error instanceof PlatformFailed && error.kind !== 'unavailable';
  const failed = isRefused
    ? ({ state: 'ended', why: 'refused', due_at: null, ended_at: now } as const)
    : ({ state: 'lost', due_at: now } as const);
  await moveInvite(ctx.db.system, id, ['creating'], failed);
}

export function notOffered({ name }: Pick<CommunityRow, 'name'>): AppError {
  return new AppError('STATE_CONFLICT', `${name} does not offer invites with roles.`);
}

function inProgress(): AppError {
  return new AppError('UNAVAILABLE', 'Your invite is being created. Try again in a moment.', { retryAfterSeconds: 10 });
}

function notNow(): AppError {
  return new AppError('UNAVAILABLE', 'Discord did not create your invite in time. Try again in a moment.', {
    retryAfterSeconds: 15,
  });
}
