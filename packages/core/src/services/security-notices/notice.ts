import { enqueue, type Sql } from '@latchkey/db';
import { exponentialRetry, job, shape, T, text } from '@latchkey/kernel';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';

/** The new login methods that an account's owner is notified of, with the wording of the message. */
const loginMethods = {
  'passkey-added': 'A passkey was added to your account',
  'authenticator-added': 'An authenticator app was added to your account',
  'wallet-signs-in': 'A linked wallet can now sign in to your account',
  'operator-token': 'The operator created a token that acts as you',
} as const;
export type LoginMethod = keyof typeof loginMethods;

/** What ended without its owner's action, with the wording of the message. */
const endings = {
  'authenticator-removed':
    'An authenticator app was removed from your account. If this was not you, log out everywhere under your account',
  'signer-removed':
    'A contract wallet was unlinked from your account: the wallet that signed for it no longer controls it. Roles that depend on it are removed. If another of your wallets controls it, link it again',
} as const;
export type Ending = keyof typeof endings;

type NoticeContext = Pick<Context, 'discord' | 'log' | 'settings' | 'telegram'>;

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
      }),
    ),
    retry: exponentialRetry(12, 5, 3600),
  },
  async (ctx: NoticeContext, { userId, loginMethod }, { signal }) => {
    try {
      await send(ctx, userId, write(ctx.settings, loginMethod), signal);
    } catch (error) {
      // Users who do not accept messages from the bot see it on their account page.
      if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    }
  },
);

export const securityNoticeJobs = [notifyPerson] as const;

/** Runs in the transaction that adds the login method. */
export async function notifyLoginMethodAdded(tx: Sql, userId: string, loginMethod: LoginMethod): Promise<void> {
  await enqueue(tx, notifyPerson, { userId, loginMethod }, { group: userId });
}

/** Runs in the transaction that ends it. */
export async function noticeEnding(tx: Sql, userId: string, ending: Ending): Promise<void> {
  await enqueue(tx, notifyPerson, { userId, loginMethod: ending }, { group: userId });
}

function write({ baseUrl, serviceName }: Context['settings'], loginMethod: LoginMethod | Ending): string {
  if (isEnding(loginMethod)) return `${endings[loginMethod]} at ${baseUrl}/connect.`;
  return `${loginMethods[loginMethod]} at ${serviceName}. If this was not you, open ${baseUrl}/account, remove it and log out everywhere.`;
}

function isEnding(news: LoginMethod | Ending): news is Ending {
  return Object.hasOwn(endings, news);
}

async function send(ctx: NoticeContext, userId: string, words: string, signal: AbortSignal): Promise<void> {
  const onDiscord = nativeUserId('discord', userId);
  if (onDiscord !== undefined) await ctx.discord?.sendPrivately(onDiscord, { content: words });
  const onTelegram = nativeUserId('telegram', userId);
  if (onTelegram !== undefined) await ctx.telegram?.send(onTelegram, words, undefined, signal);
}
