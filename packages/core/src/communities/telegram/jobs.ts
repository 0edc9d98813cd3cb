import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { answerCommand } from './answer-command.ts';
import { decideJoin } from './decide-join.ts';
import { deleteOldUpdates } from './updates.ts';
import { welcomeChat } from './welcome-chat.ts';

const chatId = text('The chat, as Telegram knows it.', { maxLength: 64 });
const userId = text('The user, as Telegram knows it.', { maxLength: 64 });

/** Somebody at the door is looked at for about a day. */
export const joinJob = job(
  'telegram.decide-join',
  {
    payload: shape(
      T.Object({
        communityId: text('The qualified id of the community.', { maxLength: 128 }),
        userId,
        replyTo: text('The chat in which the user can be answered.', { maxLength: 64 }),
      }),
    ),
    retry: exponentialRetry(20, 5, 7200),
  },
  (ctx: Context, request, run) => decideJoin(ctx, request, run),
);

/** Nobody waits for an answer much longer than a minute. */
export const commandJob = job(
  'telegram.answer-command',
  {
    payload: shape(
      T.Object({
        chatId,
        isPrivate: T.Boolean(),
        userId,
        command: text('Without the slash.', { maxLength: 32 }),
        argument: text('What stands behind the command.', { maxLength: 256 }),
        aboutId: T.Optional(text('Whose message the command answers.', { maxLength: 64 })),
        pressId: T.Optional(text('The press of a button that it was given by.', { maxLength: 64 })),
      }),
    ),
    retry: exponentialRetry(5, 5, 60),
  },
  (ctx: Context, given, { signal }) => answerCommand(ctx, given, signal),
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
    while (!signal.aborted && (await deleteOldUpdates(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const telegramJobs = [joinJob, commandJob, welcomeJob, forgetUpdates] as const;

export const telegramSchedules: readonly Schedule[] = [
  { name: 'telegram.forget-updates', cron: '47 * * * *', job: forgetUpdates },
];
