import { AppError, exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { findLocale } from '@latchkey/kernel/messages';
import { askAdminStatus } from '../../communities/access/index.ts';
import { createCommunity } from '../../communities/community/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages } from '../../shared/messages/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';
import { deleteOldBypasses, deleteOldQueries } from '../telegram-gate/index.ts';
import { answerCommand } from './answer-command.ts';
import { decideJoin } from './decide-join.ts';
import { sendMessage } from './send-message.ts';
import { deleteOldUpdates } from './updates.ts';

const chatId = text('The chat, as Telegram knows it.', { maxLength: 64 });
const userId = text('The user, as Telegram knows it.', { maxLength: 64 });
const locale = T.Optional(text('The language of the user.', { maxLength: 35 }));

/** A join request is retried for about a day. */
export const joinJob = job(
  'telegram.decide-join',
  {
    payload: shape(
      T.Object({
        communityId: communityIdField(),
        userId,
        replyTo: text('The chat in which the user can be answered.', { maxLength: 64 }),
        slug: T.Optional(text('The query by which Telegram asks about the request.', { maxLength: 64 })),
        isPageOver: T.Optional(T.Boolean({ description: 'The time on the page is up.' })),
        locale,
      }),
    ),
    retry: exponentialRetry(20, 5, 7200),
  },
  (ctx: Context, request, run) => decideJoin(speaking(ctx, request), request, run),
);

/** Users do not wait much longer than a minute for a reply. */
export const commandJob = job(
  'telegram.answer-command',
  {
    payload: shape(
      T.Object({
        chatId,
        isPrivate: T.Boolean(),
        userId,
        command: text('Without the slash.', { maxLength: 32 }),
        argument: text('The command’s arguments.', { maxLength: 256 }),
        aboutId: T.Optional(text('The author of the message that the command replies to.', { maxLength: 64 })),
        pressId: T.Optional(text('The button press that sent the command.', { maxLength: 64 })),
        locale,
      }),
    ),
    retry: exponentialRetry(5, 5, 60),
  },
  (ctx: Context, payload, { signal }) => answerCommand(speaking(ctx, payload), payload, signal),
);

export const welcomeJob = job(
  'telegram.welcome-chat',
  { payload: shape(T.Object({ chatId, title: text('What the chat is called.', { maxLength: 256 }), userId })) },
  (ctx: Context, chat, { signal }) => welcomeChat(ctx, chat, signal),
);

const batchSize = 5_000;

const forgetUpdates = job(
  'telegram.forget-updates',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    for (const deleteOld of [deleteOldUpdates, deleteOldQueries, deleteOldBypasses])
      while (!signal.aborted && (await deleteOld(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const telegramJobs = [joinJob, commandJob, welcomeJob, forgetUpdates] as const;

export const telegramSchedules: readonly Schedule[] = [
  { name: 'telegram.forget-updates', cron: '47 * * * *', job: forgetUpdates },
];

/** The context of an answer, in the language of the user who gets it. */
function speaking(ctx: Context, { locale = '' }: { locale?: string }): Context {
  return { ...ctx, locale: findLocale(locale) };
}

interface NewChat {
  chatId: string;
  title: string;
  /** Who added the bot, or made it an administrator. */
  userId: string;
}

/**
 * Creates a community if the user who added the bot manages the chat; that user becomes its owner. Otherwise nothing
 * happens.
 */
async function welcomeChat(ctx: Context, { chatId, title, userId }: NewChat, signal: AbortSignal): Promise<void> {
  const { telegram } = ctx;
  const ownerId = userKey('telegram', userId);
  if (telegram === undefined || !(await managesChat(ctx, chatId, ownerId, signal))) return;
  try {
    await createCommunity(ctx, { body: { platform: 'telegram', communityId: chatId, name: title, ownerId } });
  } catch (error) {
    // Telegram reports the bot more than once: when it joins, and for every permission it is given.
    if (error instanceof AppError && error.code === 'STATE_CONFLICT') return;
    throw error;
  }
  await announce(ctx.db.system, { changed: 'setup', accounts: [ownerId] });
  const link = `https://t.me/${await telegram.botName(signal)}?start=${chatId}`;
  // Tags are for rules that give them; the setup check asks for that right then.
  const missing = (await telegram.missingRights(chatId, signal)).filter((right) => right !== 'manage tags');
  const words =
    missing.length === 0
      ? adminMessages('telegram.added', { link })
      : adminMessages('telegram.addedRights', { link, rights: missing.join(', ') });
  await sendMessage(ctx, chatId, words, undefined, signal);
}

async function managesChat(ctx: Context, communityId: string, userId: string, signal: AbortSignal): Promise<boolean> {
  const standing = await askAdminStatus(ctx, { platform: 'telegram', communityId }, userId, signal);
  // Any other failure means that the bot was removed again, or lacks the permission.
  if (standing.kind === 'unknown' && standing.cause?.kind === 'unavailable') throw standing.cause;
  return standing.kind === 'yes';
}
