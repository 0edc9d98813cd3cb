import { type Hashed, hashSecret } from '@latchkey/db';
import { exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { findLocale } from '@latchkey/kernel/messages';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn, type ServerMessages } from '../../shared/messages/index.ts';
import { answerTtlSeconds, type LoginContent, readContent, returnAddress } from './login.ts';
import { deleteExpired, setAnswerHash } from './queries.ts';

const codeLength = 43;

/**
 * Shows the user who opened the chat what they are about to log in to. The button returns to the browser that started:
 * a victim to whom an attacker sent the link would complete nothing with it.
 */
export async function answerInChat(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'telegram'>,
  { chatId, stateHash, locale = '' }: { chatId: string; stateHash?: string; locale?: string },
  signal: AbortSignal,
): Promise<void> {
  const t = messagesIn(findLocale(locale));
  const code = ctx.random.id(codeLength);
  const row =
    stateHash === undefined
      ? undefined
      : await setAnswerHash(ctx.db.system, asHash(stateHash), hashSecret(code), ctx.clock());
  try {
    if (row === undefined) return await ctx.telegram?.send(chatId, t('telegramLogin.over'), undefined, signal);
    const content = readContent(ctx, row);
    const url = `${returnAddress(ctx, 'telegram')}?${new URLSearchParams({ state: content.state, code })}`;
    const button = { text: t('telegramLogin.button', { site: content.asker.name }).slice(0, 64), url };
    await ctx.telegram?.send(chatId, askText(content, row.created_at, t), button, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
  }
}

function askText({ asker, answeredBy }: LoginContent, begunAt: Date, t: ServerMessages): string {
  const time = begunAt.toISOString().slice(11, 16);
  return [
    t('telegramLogin.question', {
      site: asker.name,
      host: asker.host,
      name: answeredBy?.name ?? t('telegramLogin.yourself'),
    }),
    t('telegramLogin.how', { time, minutes: answerTtlSeconds / 60 }),
    t('telegramLogin.warning'),
  ].join('\n\n');
}

// The payload of a job is what takeChatAnswer wrote.
function asHash(stateHash: string): Hashed {
  return stateHash as Hashed;
}

/** A user will not wait for a reply much longer than a minute. */
export const answerJob = job(
  'platform-logins.answer-in-chat',
  {
    payload: shape(
      T.Object({
        chatId: text('The chat, as Telegram knows it.', { maxLength: 64 }),
        stateHash: T.Optional(text('The login that was answered; absent when there is none.', { maxLength: 64 })),
        locale: T.Optional(text('The language of the user.', { maxLength: 35 })),
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
