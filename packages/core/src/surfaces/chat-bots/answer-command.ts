import { AppError } from '@latchkey/kernel';
import { communitiesOfAdmin } from '../../communities/community/index.ts';
import { type CommunityRow, selectActiveAmong, selectByPlatformId } from '../../communities/community-records/index.ts';
import { selectCommunitiesOf } from '../../communities/memberships/index.ts';
import { applyNow } from '../../gating/role-changes/index.ts';
import { createConnectLink } from '../../linking/connect-links/index.ts';
import { type ChatBot, PlatformFailed, type PlatformName } from '../../ports/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { adminMessages, messagesIn } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import {
  answer,
  type BotAnswer,
  communityOfChangeSet,
  findMember,
  isAdminCommand,
  plainName,
  refusalInWords,
  requireAdmin,
  runAdminCommand,
  whyNot,
  whyRoles,
} from '../bot-replies/index.ts';
import { chatText } from './chat-text.ts';

export interface ReceivedCommand {
  platform: PlatformName;
  placeId: string;
  userId: string;
  command: string;
  argument: string;
}

const memberCommands = ['connect', 'roles', 'check', 'help'];

/** Whether the bot replies to this command; others are ignored. */
export function isCommand(command: string): boolean {
  return memberCommands.includes(command) || isAdminCommand(command);
}

/**
 * Replies to a command. Every reply names a person, their roles or a link of their own, so it is sent privately, wherever the
 * command was written.
 */
export async function answerCommand(ctx: Context, received: ReceivedCommand, signal: AbortSignal): Promise<void> {
  const bot = ctx.bots[received.platform];
  if (bot === undefined) return;
  const userCtx = contextFor(ctx, {
    kind: 'user',
    userId: userKey(received.platform, received.userId),
    platform: received.platform,
    scopes: ['$all'],
    credential: 'chat-command',
  });
  const answers = await answersTo(userCtx, bot, received).catch(refusal);
  for (const one of answers) await sendQuietly(bot, received.userId, chatText(one, bot), signal);
}

/** Writes to a user unless they accept no message: nobody is messaged again and again. */
export async function sendQuietly(bot: ChatBot, userId: string, text: string, signal: AbortSignal): Promise<void> {
  try {
    await bot.sendTo(userId, text, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
  }
}

/** A link with which its reader links wallets to this account for 15 minutes, and what else they can ask. */
export async function greeting(
  ctx: Context,
  { platform, commandPrefix }: ChatBot,
  userId: string,
  communityId?: string,
) {
  const person = { userId: userKey(platform, userId), platform };
  const { url } = await createConnectLink(ctx, person, { communityId, withPasskeys: true });
  const t = messagesIn(ctx.locale);
  return `${t('telegram.start')}\n${t('telegram.link')}: ${url}\n\n${helpFor(commandPrefix)}`;
}

function helpFor(prefix: string): string {
  return `${prefix}connect: link a wallet\n${prefix}roles: which roles you have, and why\n${prefix}check: check your wallets now`;
}

function refusal(error: unknown): BotAnswer[] {
  if (error instanceof AppError && error.code !== 'UNAVAILABLE')
    return [answer(refusalInWords(error, messagesIn(undefined)))];
  throw error;
}

async function answersTo(ctx: Context, bot: ChatBot, received: ReceivedCommand): Promise<BotAnswer[]> {
  const { platform, placeId, userId, command } = received;
  const here = await selectByPlatformId(ctx.db.system, platform, placeId);
  const community = here?.status === 'active' ? here : undefined;
  if (command === 'connect' || command === 'help') return [answer(await greeting(ctx, bot, userId, community?.id))];
  const words = received.argument.split(/\s+/).filter((word) => word !== '');
  if (isAdminCommand(command)) return answerAdmin(ctx, received, community, words);
  const [named = ''] = words;
  if (named !== '' && command === 'roles') return answerAbout(ctx, received, community, named);
  const own = community === undefined ? await communitiesOf(ctx, received) : [community];
  if (own.length === 0) return [answer(messagesIn(ctx.locale)('telegram.noChats'))];
  const self = userKey(platform, userId);
  const hint = `${bot.commandPrefix}connect`;
  return Promise.all(
    own.map(async (one) => {
      if (command === 'check') await applyNow(ctx, one, self, { liftSuppressions: false });
      return titled(one, own, await whyRoles(ctx, one, self, 'self', hint).catch(whyNot));
    }),
  );
}

/** A command about all role changes, or about one of them, by its id. */
async function answerAdmin(
  ctx: Context,
  { command, platform, userId }: ReceivedCommand,
  community: CommunityRow | undefined,
  words: readonly string[],
): Promise<BotAnswer[]> {
  if (!isAdminCommand(command)) return [];
  const [changeSetId] = words;
  if (changeSetId !== undefined)
    return [await runAdminCommand(ctx, await communityOfChangeSet(ctx, changeSetId), command, words)];
  const own = community === undefined ? await administered(ctx, platform, userId) : [community];
  if (own.length === 0) return [answer(messagesIn(undefined)('chat.adminsOnly'))];
  return Promise.all(own.map(async (one) => titled(one, own, await runAdminCommand(ctx, one, command))));
}

/** `roles @someone`: for admins, why a member has which roles. */
async function answerAbout(
  ctx: Context,
  { platform, userId }: ReceivedCommand,
  community: CommunityRow | undefined,
  named: string,
): Promise<BotAnswer[]> {
  if (community !== undefined) await requireAdmin(ctx, community.id);
  const own = community === undefined ? await administered(ctx, platform, userId) : [community];
  const found = await Promise.all(own.map(async (one) => ({ one, about: await findMember(ctx, one, named) })));
  const known = found.flatMap(({ one, about }) => (about === undefined ? [] : [{ one, about }]));
  if (known.length === 0) return [answer(adminMessages('member.notFoundInCommunities'))];
  return Promise.all(
    known.map(async ({ one, about }) => {
      await requireAdmin(ctx, one.id);
      return titled(one, own, await whyRoles(ctx, one, about, 'other').catch(whyNot));
    }),
  );
}

/** If there are several communities, each reply says which one it is about. */
function titled({ name }: CommunityRow, all: readonly CommunityRow[], reply: BotAnswer): BotAnswer {
  return all.length === 1 ? reply : { ...reply, text: `${plainName(name)}\n${reply.text}` };
}

/** At most this many communities are included in one reply. */
const mostCommunities = 5;

async function communitiesOf(ctx: Context, { platform, userId }: ReceivedCommand): Promise<CommunityRow[]> {
  const rows = await selectCommunitiesOf(ctx.db.system, [userKey(platform, userId)]);
  return active(
    ctx,
    platform,
    rows.map(({ community_id }) => community_id),
  );
}

async function administered(ctx: Context, platform: PlatformName, userId: string): Promise<CommunityRow[]> {
  const all = await communitiesOfAdmin(ctx, userKey(platform, userId));
  return active(
    ctx,
    platform,
    all.flatMap(({ id }) => id ?? []),
  );
}

async function active(ctx: Context, platform: PlatformName, ids: readonly string[]): Promise<CommunityRow[]> {
  const rows = await selectActiveAmong(ctx.db.system, ids);
  return rows.filter((row) => row.platform === platform).slice(0, mostCommunities);
}
