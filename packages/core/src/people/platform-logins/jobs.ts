import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { answerInChat } from './answer-in-chat.ts';
import { deleteExpired } from './queries.ts';

/** Nobody waits for an answer much longer than a minute. */
export const answerJob = job(
  'platform-logins.answer-in-chat',
  {
    payload: shape(
      T.Object({
        chatId: text('The chat, as Telegram knows it.', { maxLength: 64 }),
        stateHash: T.Optional(text('The login that was answered; absent when there is none.', { maxLength: 64 })),
      }),
    ),
    retry: exponentialRetry(5, 5, 60),
  },
  (ctx: Context, answer, { signal }) => answerInChat(ctx, answer, signal),
);

const removeExpiredLogins = job(
  'platform-logins.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpired(ctx.db.system, ctx.clock()),
);

export const platformLoginJobs = [answerJob, removeExpiredLogins] as const;

export const platformLoginSchedules: readonly Schedule[] = [
  { name: 'platform-logins.remove-expired', cron: '3,18,33,48 * * * *', job: removeExpiredLogins },
];
