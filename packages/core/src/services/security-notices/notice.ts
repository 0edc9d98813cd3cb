import { enqueue, type Sql } from '@latchkey/db';
import { exponentialRetry, job, shape, T, text } from '@latchkey/kernel';
import { findLocale, type Locale } from '@latchkey/kernel/messages';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn, type ServerMessages } from '../../shared/messages/index.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';

/** The new login methods that an account's owner is notified of, each by its message. */
const loginMethods = {
  'passkey-added': 'notice.passkeyAdded',
  'authenticator-added': 'notice.authenticatorAdded',
  'wallet-signs-in': 'notice.walletSignsIn',
  'operator-token': 'notice.operatorToken',
} as const;
export type LoginMethod = keyof typeof loginMethods;

/** What ended without its owner, each by its message. */
const endings = {
  'authenticator-removed': 'notice.authenticatorRemoved',
  'signer-removed': 'notice.signerRemoved',
} as const;
export type Ending = keyof typeof endings;

type NoticeContext = Pick<Context, 'bots' | 'discord' | 'log' | 'settings' | 'telegram'>;

/**
 * Notifies a user of a new login method, or of one that ended, with a private message of the bot, if they have a chat
 * account.
 */
const notifyPerson = job(
  'security-notices.tell',
  {
    payload: shape(
      T.Object({
        userId: text('The qualified id of the user.', { maxLength: 128 }),
        loginMethod: T.Unsafe<LoginMethod | Ending>({
          type: 'string',
          enum: [...Object.keys(loginMethods), ...Object.keys(endings)],
        }),
        locale: T.Optional(text('The language of the user.', { maxLength: 35 })),
      }),
    ),
    retry: exponentialRetry(12, 5, 3600),
  },
  async (ctx: NoticeContext, { userId, loginMethod, locale = '' }, { signal }) => {
    try {
      await send(ctx, userId, write(ctx.settings, loginMethod, messagesIn(findLocale(locale))), signal);
    } catch (error) {
      // Users who do not accept messages from the bot see it on their account page.
      if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    }
  },
);

export const securityNoticeJobs = [notifyPerson] as const;

/** Runs in the transaction that adds the login method. */
export async function notifyLoginMethodAdded(
  tx: Sql,
  userId: string,
  loginMethod: LoginMethod,
  locale?: Locale,
): Promise<void> {
  await enqueue(tx, notifyPerson, { userId, loginMethod, ...(locale && { locale }) }, { group: userId });
}

/** Runs in the transaction that ends it. */
export async function noticeEnding(tx: Sql, userId: string, ending: Ending): Promise<void> {
  await enqueue(tx, notifyPerson, { userId, loginMethod: ending }, { group: userId });
}

function write(
  { baseUrl, serviceName }: Context['settings'],
  loginMethod: LoginMethod | Ending,
  t: ServerMessages,
): string {
  if (isEnding(loginMethod)) return t(endings[loginMethod], { url: `${baseUrl}/connect` });
  return t(loginMethods[loginMethod], { service: serviceName, url: `${baseUrl}/account` });
}

function isEnding(news: LoginMethod | Ending): news is Ending {
  return Object.hasOwn(endings, news);
}

async function send(ctx: NoticeContext, userId: string, words: string, signal: AbortSignal): Promise<void> {
  const onDiscord = nativeUserId('discord', userId);
  if (onDiscord !== undefined) await ctx.discord?.sendPrivately(onDiscord, { content: words });
  const onTelegram = nativeUserId('telegram', userId);
  if (onTelegram !== undefined) await ctx.telegram?.send(onTelegram, words, undefined, signal);
  for (const bot of Object.values(ctx.bots)) {
    const native = nativeUserId(bot.platform, userId);
    if (native !== undefined) await bot.sendTo(native, words, signal);
  }
}
