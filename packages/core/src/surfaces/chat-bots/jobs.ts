import { AppError, choice, exponentialRetry, type JobRun, job, platformNames, shape, T, text } from '@latchkey/kernel';
import { askAdminStatus } from '../../communities/access/index.ts';
import { createCommunity, setCommunityStatus } from '../../communities/community/index.ts';
import { selectByPlatformId, selectCommunity } from '../../communities/community-records/index.ts';
import { evaluateMember } from '../../gating/evaluation/index.ts';
import { changeRoles, resumeCommunity } from '../../gating/role-changes/index.ts';
import {
  type ChatBot,
  type EnteredPlace,
  type EnterOptions,
  PlatformFailed,
  type PlatformName,
} from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages, messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { answerCommand, greeting, sendQuietly } from './answer-command.ts';
import { followUpgrade } from './follow-upgrade.ts';

const platform = choice('The chat platform.', platformNames);
const placeId = text('Where, as the platform knows it.', { maxLength: 128 });
const userId = text('The user, as the platform knows them.', { maxLength: 128 });

/** A join request is retried for about a day. */
export const joinJob = job(
  'chat-bots.decide-join',
  {
    payload: shape(
      T.Object({
        communityId: communityIdField(),
        userId,
        roleId: text('The role of being in it.', { maxLength: 128 }),
      }),
    ),
    retry: exponentialRetry(20, 5, 7200),
  },
  (ctx: Context, request, run) => decideJoin(ctx, request, run),
);

/** Users do not wait much longer than a minute for a reply. */
export const commandJob = job(
  'chat-bots.answer-command',
  {
    payload: shape(
      T.Object({
        platform,
        placeId,
        userId,
        command: text('Without the prefix.', { maxLength: 32 }),
        argument: text('The command’s arguments.', { maxLength: 256 }),
      }),
    ),
    retry: exponentialRetry(5, 5, 60),
  },
  (ctx: Context, command, { signal }) => answerCommand(ctx, command, signal),
);

export const enterJob = job(
  'chat-bots.enter-place',
  {
    payload: shape(T.Object({ platform, placeId, userId, isPrivate: T.Boolean() })),
    retry: exponentialRetry(8, 5, 600),
  },
  (ctx: Context, invitation, { signal }) => enterPlace(ctx, invitation, signal),
);

/** The new place may not be open to the bot before people are in it. After a day, the setup check asks admins to invite the bot. */
export const followJob = job(
  'chat-bots.follow-upgrade',
  {
    payload: shape(
      T.Object({
        platform,
        placeId,
        newPlaceId: text('The place that replaces it.', { maxLength: 128 }),
        via: T.Array(text('A server.', { maxLength: 255 }), { maxItems: 5 }),
      }),
    ),
    retry: exponentialRetry(12, 5, 7200),
  },
  (ctx: Context, upgrade, { signal }) => enterReplacement(ctx, upgrade, signal),
);

export const chatBotJobs = [joinJob, commandJob, enterJob, followJob] as const;

/**
 * Decides a join request. Users who qualify are admitted; others are told what to do. If that cannot be determined, it
 * throws and the request stays open.
 */
async function decideJoin(
  ctx: Context,
  { communityId, userId: native, roleId }: { communityId: string; userId: string; roleId: string },
  { signal, attempt }: Pick<JobRun, 'signal' | 'attempt'>,
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  const bot = community && ctx.bots[community.platform];
  if (community?.status !== 'active' || bot === undefined) return;
  const user = userKey(community.platform, native);
  const t = messagesIn(undefined);
  const verdicts = await evaluateMember(ctx, community, user, { from: 'chain', signal });
  const truth = verdicts.find((verdict) => verdict.roleId === roleId)?.truth;
  // Without a rule for it, the admins decide, as before the bot was there.
  if (truth === undefined) return;
  if (truth === 'unknown') {
    if (attempt === 1) await sendQuietly(bot, native, t('telegram.requestOpen'), signal);
    throw new Error('The wallets of a user who requested to join cannot be read yet.');
  }
  if (truth === 'false') {
    const words = t('telegram.notEnoughToJoin', { chat: community.name });
    await sendQuietly(bot, native, [words, '', await greeting(ctx, bot, native, community.id)].join('\n'), signal);
  }
  const { problem } = await changeRoles(ctx, community, {
    cause: 'join',
    changes: [
      {
        userId: user,
        roleId,
        action: truth === 'true' ? 'grant' : 'revoke',
        reason: { joinRequest: truth === 'true' ? 'approved' : 'declined' },
        blocks: {},
      },
    ],
    mayWait: false,
  });
  if (problem !== undefined) throw new Error(problem);
}

interface Invitation {
  platform: PlatformName;
  placeId: string;
  userId: string;
  isPrivate: boolean;
}

/**
 * Accepts an invitation. A place becomes a community if the user who invited the bot manages it; otherwise the bot says why not, and
 * leaves.
 */
async function enterPlace(ctx: Context, invitation: Invitation, signal: AbortSignal): Promise<void> {
  const { userId: native, isPrivate } = invitation;
  const bot = ctx.bots[invitation.platform];
  if (bot === undefined) return;
  const entered = await enter(bot, invitation, signal);
  if (entered === undefined) return;
  if (isPrivate) return sendQuietly(bot, native, await greeting(ctx, bot, native), signal);
  const { platform, placeId: newPlaceId } = invitation;
  if (await followUpgrade(ctx, { platform, newPlaceId, entered })) return;
  const known = await selectByPlatformId(ctx.db.system, invitation.platform, invitation.placeId);
  if (known !== undefined) return resume(ctx, known.id);
  // A room of a community is one of its roles, and no community of its own.
  const around = await Promise.all(
    entered.inside.map((id) => selectByPlatformId(ctx.db.system, invitation.platform, id)),
  );
  const parents = around.filter((one) => one !== undefined);
  if (parents.length > 0) return void (await Promise.all(parents.map(({ id }) => resume(ctx, id))));
  const ownerId = userKey(invitation.platform, native);
  const place = { platform: invitation.platform, communityId: invitation.placeId };
  const standing = await askAdminStatus(ctx, place, ownerId, signal);
  if (standing.kind === 'unknown')
    throw new Error('Whether the user who invited the bot manages the place is unknown.');
  if (standing.kind !== 'yes') {
    const words = adminMessages('matrix.notAllowed');
    await sendQuietly(bot, native, words, signal);
    return bot.leave(invitation.placeId, signal);
  }
  try {
    await createCommunity(ctx, { body: { ...place, name: entered.name, ownerId } });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STATE_CONFLICT') throw error;
  }
  await announce(ctx.db.system, { changed: 'setup', accounts: [ownerId] });
  const connected = {
    place: entered.name,
    url: `${ctx.settings.baseUrl}/console`,
    command: `${bot.commandPrefix}connect`,
  };
  await sendQuietly(bot, native, adminMessages('matrix.connected', connected), signal);
}

/** Follows a place to the one that replaces it, if that is open to the bot. If it is not, an invitation leads there. */
async function enterReplacement(
  ctx: Context,
  {
    platform,
    placeId,
    newPlaceId,
    via,
  }: { platform: PlatformName; placeId: string; newPlaceId: string; via: string[] },
  signal: AbortSignal,
): Promise<void> {
  const bot = ctx.bots[platform];
  if (bot === undefined) return;
  const entered = await enter(bot, { placeId: newPlaceId, isPrivate: false, via }, signal);
  if (entered === undefined)
    throw new Error('The bot cannot enter the place that replaces another one yet. An admin can invite it.');
  if (entered.replaces?.placeId === placeId) await followUpgrade(ctx, { platform, newPlaceId, entered });
  // Anyone could have named any place.
  else await bot.leave(newPlaceId, signal);
}

/** What failed before may work now: the bot is where it was missing. */
async function resume(ctx: Context, communityId: string): Promise<void> {
  await setCommunityStatus(ctx, communityId, 'active');
  await announce(ctx.db.system, { changed: 'setup', community: communityId });
  await resumeCommunity(ctx, communityId);
}

/** Undefined if the invitation was withdrawn. */
async function enter(
  bot: ChatBot,
  { placeId, ...options }: EnterOptions & { placeId: string },
  signal: AbortSignal,
): Promise<EnteredPlace | undefined> {
  try {
    return await bot.enter(placeId, options, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    return undefined;
  }
}
