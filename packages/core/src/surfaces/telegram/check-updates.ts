import { enqueue, isUnavailable, type Tx } from '@latchkey/db';
import { AppError, tagPrefix } from '@latchkey/kernel';
import { findLocale } from '@latchkey/kernel/messages';
import { recheckAdmins } from '../../communities/admins/index.ts';
import { setCommunityStatus } from '../../communities/community/index.ts';
import { selectByPlatformId } from '../../communities/community-records/index.ts';
import { noteMember } from '../../communities/members/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { type InteractionKind, noteInteraction } from '../../communities/usage/index.ts';
import { resumeCommunity } from '../../gating/role-changes/index.ts';
import { isLoginAnswer, takeChatAnswer } from '../../identity/platform-logins/index.ts';
import { PlatformFailed, type TelegramEvent, type TelegramPerson } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { isAdminCommand } from '../bot-replies/index.ts';
import { putJoinQuery, recordBypass } from '../telegram-gate/index.ts';
import { isOwnCommand } from './answer-command.ts';
import { joinPageSeconds } from './decide-join.ts';
import { followUpgrade } from './follow-upgrade.ts';
import { commandJob, joinJob, welcomeJob } from './jobs.ts';
import { memberRole } from './member-role.ts';
import { countFailure, isTaken, markTaken, onceFor, type TakeOnce, type UpdateId } from './updates.ts';

interface UpdatesCheck {
  state: 'ok' | 'attention' | 'failing';
  summary: string;
  advice?: string;
}

const askWithinMs = 5_000;
/** An error older than this, with no pending updates, is considered resolved. */
const recentMs = 10 * 60_000;

/** Checks whether Telegram's updates arrive by webhook; undefined if a worker polls for them. */
export async function checkTelegramUpdates(
  ctx: Pick<Context, 'clock' | 'settings' | 'telegram'>,
): Promise<UpdatesCheck | undefined> {
  const { telegram, settings } = ctx;
  if (telegram === undefined || settings.telegramUpdates !== 'webhook') return undefined;
  const expected = `${settings.baseUrl}${telegramRoute.path}`;
  try {
    const { url, waiting, lastError } = await telegram.readWebhook(AbortSignal.timeout(askWithinMs));
    if (url === undefined)
      return {
        state: 'failing',
        summary: 'The Telegram webhook is not registered.',
        advice: 'Check that a worker is running, and its log.',
      };
    if (url !== expected)
      return {
        state: 'failing',
        summary: `Telegram posts updates to ${originOf(url)}, not to ${expected}.`,
        advice: 'Check that every process has the same LATCHKEY_BASE_URL, and that no other program uses the bot.',
      };
    const isRecent = lastError !== undefined && ctx.clock().getTime() - lastError.at.getTime() < recentMs;
    if (lastError !== undefined && (isRecent || waiting > 0))
      return {
        state: waiting > 0 ? 'failing' : 'attention',
        summary: `Telegram posts updates to ${url}; the last failure was at ${lastError.at.toISOString()}: ${lastError.message.slice(0, 300)}. Updates waiting: ${waiting}.`,
        advice: 'Check that Telegram can reach this address over HTTPS with a valid certificate.',
      };
    return { state: 'ok', summary: `Telegram posts updates to ${url}; ${waiting} are waiting.` };
  } catch (error) {
    if (!(error instanceof PlatformFailed) && !(error instanceof DOMException)) throw error;
    return {
      state: 'attention',
      summary: 'Could not get the webhook status from Telegram.',
      ...(error instanceof PlatformFailed && { advice: error.message }),
    };
  }
}

/** The path of another program's URL may contain a secret. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'another address';
}

type TakeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log' | 'random'>;

/** Processes an update, unless that was done before. */
export async function takeTelegramUpdate(ctx: TakeContext, update: UpdateId, event: TelegramEvent): Promise<void> {
  if (await isTaken(ctx.db.system, update)) return;
  await handleTelegramEvent(ctx, event, onceFor(ctx, update));
}

/** The route that Telegram posts updates to; the server mounts it if a bot is configured. */
export const telegramRoute = {
  method: 'POST',
  path: '/telegram/updates',
  secretHeader: 'x-telegram-bot-api-secret-token',
} as const;

/** After this many failures, an update no longer holds up the others of its chat. */
const mostFailures = 5;

/**
 * Processes an update that Telegram posted. On failure Telegram posts it again, which holds up later updates of the
 * same chat: an update that keeps failing is dropped.
 */
export async function takePostedUpdate(ctx: TakeContext, update: UpdateId, event: TelegramEvent): Promise<void> {
  try {
    await takeTelegramUpdate(ctx, update, event);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const failures = await countFailure(ctx.db.system, update, ctx.clock());
    const fields = { updateId: update.updateId, kind: event.kind, error };
    const log = ctx.log.for('telegram');
    if (failures < mostFailures) {
      log.warn('Failed to process a Telegram update; Telegram will resend it.', fields);
      throw new AppError('UNAVAILABLE', 'Failed to process the update. Send it again.', {
        retryAfterSeconds: 5,
        cause: error,
      });
    }
    await markTaken(ctx.db.system, update, ctx.clock());
    log.error('Failed to process a Telegram update; dropping it.', fields);
  }
}

type Of<Kind extends TelegramEvent['kind']> = Extract<TelegramEvent, { kind: Kind }>;
type EventContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log' | 'random'>;

/** Telegram accepts a page only within ten seconds after it asked. */
const secondsToShow = 15;

/**
 * Processes an event from Telegram. It only writes to the database: everything that calls Telegram or a chain, and so
 * may take time or fail, is a job, so that nothing is lost with the process and no event holds up others. Work that
 * must not be repeated runs in `once`; everything before it may run again.
 */
export async function handleTelegramEvent(
  ctx: EventContext,
  event: TelegramEvent,
  once: TakeOnce = async (work) => work && ctx.db.transaction('system', work),
): Promise<void> {
  await applyState(ctx, event);
  await once((tx) => countAndEnqueue(ctx, tx, event));
}

/** Applies an event to the stored state. Idempotent. */
async function applyState(ctx: EventContext, event: TelegramEvent): Promise<void> {
  switch (event.kind) {
    case 'bot-added':
      return meetChat(ctx, event);
    case 'bot-removed':
      return loseChat(ctx, event);
    case 'upgraded':
      return followUpgrade(ctx, event);
    case 'joined':
      return see(ctx, event.chatId, event.user, 'joined');
    case 'left':
      await noteMember(ctx, 'telegram', event.chatId, event.user.id, { kind: 'left' });
      return recheckAdmin(ctx, event);
    case 'rights-changed':
      return recheckAdmin(ctx, event);
    case 'spoke':
      return noteSpeaker(ctx, event.chatId, event.user);
    case 'command':
      return event.isPrivate ? undefined : noteSpeaker(ctx, event.chatId, event.user);
  }
}

/** Counts the use of a community, and enqueues the replies. */
async function countAndEnqueue(ctx: EventContext, tx: Tx, event: TelegramEvent): Promise<void> {
  const count = async (kind: InteractionKind) => {
    const community = await selectByPlatformId(tx, 'telegram', event.chatId);
    if (community !== undefined) await noteInteraction(tx, community.id, kind, ctx.clock());
  };
  switch (event.kind) {
    case 'bot-added':
      return welcomeNewChat(tx, event);
    case 'join-requested':
      return askToJoin(ctx, tx, event);
    case 'joined':
      await noteBypass(ctx, tx, event);
      return count('join');
    case 'left':
      return count('leave');
    case 'spoke':
      return event.user.isBot ? undefined : count('message');
    case 'command':
      if (!event.isPrivate && !event.user.isBot) await count('command');
      return takeCommand(ctx, tx, event);
    case 'pressed':
      return takePress(tx, event);
  }
}

async function recheckAdmin(ctx: EventContext, { chatId, user }: Of<'left'> | Of<'rights-changed'>): Promise<void> {
  const community = await selectByPlatformId(ctx.db.system, 'telegram', chatId);
  if (community !== undefined) await recheckAdmins(ctx.db.system, community.id, userKey('telegram', user.id));
}

async function loseChat(ctx: EventContext, { chatId }: Of<'bot-removed'>): Promise<void> {
  const community = await selectByPlatformId(ctx.db.system, 'telegram', chatId);
  if (community !== undefined) await setCommunityStatus(ctx, community.id, 'kicked');
}

async function meetChat(ctx: EventContext, { chatId }: Of<'bot-added'>): Promise<void> {
  const { id } = (await selectByPlatformId(ctx.db.system, 'telegram', chatId)) ?? {};
  if (id === undefined) return;
  await setCommunityStatus(ctx, id, 'active');
  await announce(ctx.db.system, { changed: 'setup', community: id });
  // Telegram reports new permissions of the bot the same way: what failed before may work now.
  await resumeCommunity(ctx, id);
}

async function welcomeNewChat(tx: Tx, { chatId, title, user }: Of<'bot-added'>): Promise<void> {
  if ((await selectByPlatformId(tx, 'telegram', chatId)) !== undefined) return;
  const chat = { chatId, title: title.slice(0, 256), userId: user.id };
  await enqueue(tx, welcomeJob, chat, { uniqueKey: `${chatId}/${user.id}` });
}

async function askToJoin(
  ctx: EventContext,
  tx: Tx,
  { chatId, user, replyTo, queryId }: Of<'join-requested'>,
): Promise<void> {
  const community = await selectByPlatformId(tx, 'telegram', chatId);
  if (community?.status !== 'active') return;
  const request = { communityId: community.id, userId: user.id, replyTo, ...languageOf(user) };
  if (queryId === undefined) return void (await enqueue(tx, joinJob, request));
  const slug = await putJoinQuery(tx, ctx, {
    community_id: community.id,
    user_id: userKey('telegram', user.id),
    query_id: queryId,
    reply_to: replyTo,
    locale: request.locale ?? null,
    asked_at: ctx.clock(),
  });
  await enqueue(tx, joinJob, { ...request, slug });
  // Once the time on the page is up. It finds nothing to do if the request was decided by then.
  const isPageOver = true;
  await enqueue(tx, joinJob, { ...request, slug, isPageOver }, { delaySeconds: joinPageSeconds + secondsToShow });
}

/** A join that nobody approved goes around the gate, if the chat has one. */
async function noteBypass(ctx: EventContext, tx: Tx, { chatId, user, way }: Of<'joined'>): Promise<void> {
  if (way === undefined || user.isBot) return;
  const community = await selectByPlatformId(tx, 'telegram', chatId);
  if (community?.status !== 'active') return;
  const rules = await selectRules(tx, community.id);
  if (rules.some(({ role_id }) => role_id === memberRole))
    await recordBypass(tx, { communityId: community.id, user, way, at: ctx.clock() });
}

async function takeCommand(ctx: EventContext, tx: Tx, event: Of<'command'>): Promise<void> {
  const { chatId, isPrivate, user, command, argument, replyTo } = event;
  if (user.isBot || !isOwnCommand(event)) return;
  if (isPrivate && isLoginAnswer(command, argument)) return takeChatAnswer(ctx, tx, { chatId, user, argument });
  const aboutId = replyTo === undefined || replyTo.isBot ? undefined : replyTo.id;
  const about = aboutId === undefined ? {} : { aboutId };
  const payload = { chatId, isPrivate, userId: user.id, command, argument, ...about, ...languageOf(user) };
  const uniqueKey = [chatId, user.id, command, argument, ...(aboutId === undefined ? [] : [aboutId])].join('/');
  await enqueue(tx, commandJob, payload, { uniqueKey });
}

/** A button press is handled like a typed command. */
async function takePress(tx: Tx, { chatId, user, data, pressId }: Of<'pressed'>): Promise<void> {
  const [command = '', ...rest] = data.split(':');
  if (user.isBot || chatId !== user.id || !isAdminCommand(command)) return;
  const payload = {
    chatId,
    isPrivate: true,
    userId: user.id,
    command,
    argument: rest.join(' '),
    pressId,
    ...languageOf(user),
  };
  await enqueue(tx, commandJob, payload, { uniqueKey: `press/${pressId}` });
}

/** For the answer to a user. */
function languageOf({ language = '' }: TelegramPerson): { locale?: string } {
  const locale = findLocale(language);
  return locale === undefined ? {} : { locale };
}

function see(ctx: EventContext, chatId: string, user: TelegramPerson, kind: 'joined' | 'updated'): Promise<void> {
  // An update says that the user is there, but shows no tag.
  const unseen = kind === 'updated' ? { unseenPrefix: tagPrefix } : {};
  const news = { kind, userName: user.name, roleIds: [memberRole], isBot: user.isBot, ...unseen };
  return noteMember(ctx, 'telegram', chatId, user.id, news);
}

/** Telegram has no member list: members who joined before the bot are discovered when they write. */
async function noteSpeaker(ctx: EventContext, chatId: string, user: TelegramPerson): Promise<void> {
  if (user.isBot) return;
  await see(ctx, chatId, user, 'updated');
  await noteMember(ctx, 'telegram', chatId, user.id, { kind: 'active' });
}
