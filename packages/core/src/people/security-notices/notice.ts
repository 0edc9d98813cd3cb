import { enqueue, type Sql } from '@latchkey/db';
import { exponentialRetry, job, shape, T, text } from '@latchkey/kernel';
import { nativeUserId } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { PlatformFailed } from '../../ports/index.ts';

/** The new ways in to an account that its owner is told of, each as the message says it. */
const waysIn = {
  'passkey-added': 'A passkey was added to your account',
  'wallet-signs-in': 'A linked wallet can now sign in to your account',
  'operator-token': 'The operator made a token that acts as you',
} as const;
export type WayIn = keyof typeof waysIn;

type NoticeContext = Pick<Context, 'discord' | 'log' | 'settings' | 'telegram'>;

/** Tells a person of a new way in to their account, by a private message of the bot, if they have a chat account. */
const tellPerson = job(
  'security-notices.tell',
  {
    payload: shape(
      T.Object({
        userId: text('The qualified id of the user.', { maxLength: 128 }),
        wayIn: T.Unsafe<WayIn>({ type: 'string', enum: Object.keys(waysIn) }),
      }),
    ),
    retry: exponentialRetry(12, 5, 3600),
  },
  async (ctx: NoticeContext, { userId, wayIn }, { signal }) => {
    try {
      await send(ctx, userId, write(ctx.settings, wayIn), signal);
    } catch (error) {
      // Whoever does not take messages of the bot sees it on the page of their account.
      if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    }
  },
);

export const securityNoticeJobs = [tellPerson] as const;

/** Part of the transaction that opens the way in. */
export async function noticeWayIn(tx: Sql, userId: string, wayIn: WayIn): Promise<void> {
  await enqueue(tx, tellPerson, { userId, wayIn }, { group: userId });
}

function write({ baseUrl, serviceName }: Context['settings'], wayIn: WayIn): string {
  return `${waysIn[wayIn]} at ${serviceName}. If this was not you, open ${baseUrl}/account, remove it and log out everywhere.`;
}

async function send(ctx: NoticeContext, userId: string, words: string, signal: AbortSignal): Promise<void> {
  const onDiscord = nativeUserId('discord', userId);
  if (onDiscord !== undefined) await ctx.discord?.sendPrivately(onDiscord, { content: words });
  const onTelegram = nativeUserId('telegram', userId);
  if (onTelegram !== undefined) await ctx.telegram?.send(onTelegram, words, undefined, signal);
}
