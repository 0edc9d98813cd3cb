import { enqueueMany } from '@latchkey/db';
import { AppError, addSeconds, exponentialRetry, job, type Schedule, shape, T } from '@latchkey/kernel';
import { locales } from '@latchkey/kernel/messages';
import { type CommunityRow, selectActiveAmong } from '../../communities/community-records/index.ts';
import { PlatformFailed, type RedditMessage } from '../../ports/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
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
  requireAdmin,
  runAdminCommand,
  whyNot,
  whyRoles,
} from '../bot-replies/index.ts';
import { claimDueInboxes, countAccounts, putOffInbox, selectLinkedBy } from './queries.ts';
import { findLinkedAccount } from './reads.ts';
import { commandSubject, redditText } from './show-answer.ts';

/** An account that may not read messages is retried a day later. */
const refusedSeconds = 24 * 60 * 60;
const mostSubreddits = 5;

/**
 * Replies to commands in private messages to a linked account. It may be a personal account: messages with another
 * subject are left unread and untouched.
 */
export async function readInbox(ctx: Context, communityId: string, signal: AbortSignal): Promise<void> {
  const { reddit } = ctx;
  const account = await findLinkedAccount(ctx, communityId);
  if (reddit === undefined || account === undefined) return;
  const { token, userName } = account;
  try {
    const unread = await reddit.readUnread(token, signal);
    const subreddits = await selectActiveAmong(ctx.db.system, await selectLinkedBy(ctx.db.system, userName));
    for (const message of unread.filter((one) => isCommand(one, userName))) {
      const text = redditText(await answerMessage(ctx, subreddits, message), userName);
      await reddit.reply(token, { messageId: message.id, text }, signal);
      await reddit.markRead(token, [message.id], signal);
    }
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    await putOffInbox(ctx.db.system, userName, addSeconds(ctx.clock(), refusedSeconds));
  }
}

/**
 * Any user who replies to the bot's reply may continue the exchange. The bot's own account may only start one: its
 * replies arrive in its own inbox when it writes to itself, and would be answered forever.
 */
function isCommand({ author, subject }: RedditMessage, userName: string): boolean {
  if (author === undefined) return false;
  const isOwn = author.toLowerCase() === userName.toLowerCase();
  const begun = isOwn ? subject.trim() : subject.trim().replace(/^re:\s*/i, '');
  return begun.toLowerCase() === commandSubject;
}

async function answerMessage(
  ctx: Context,
  subreddits: readonly CommunityRow[],
  { author = '', text }: RedditMessage,
): Promise<BotAnswer> {
  const [written = '', ...rest] = wordsOf(text);
  // Messages on Reddit do not say which language their authors read, so the command decides.
  const locale = locales.find((one) => messagesIn(one)('reddit.why') === written);
  const command = locale === undefined ? written : 'why';
  const userCtx = contextFor(
    { ...ctx, locale },
    {
      kind: 'user',
      userId: userKey('reddit', author),
      platform: 'reddit',
      scopes: ['$all'],
      credential: 'chat-command',
    },
  );
  try {
    if (command === 'why') return joined(await answerWhy(userCtx, subreddits, author, rest));
    if (!isAdminCommand(command)) return answer(adminMessages('reddit.help'));
    const [changeSetId] = rest;
    if (changeSetId !== undefined)
      return await runAdminCommand(userCtx, await communityOfChangeSet(userCtx, changeSetId), command, rest);
    const shown = subreddits.slice(0, mostSubreddits);
    return joined(
      await Promise.all(shown.map(async (one) => titled(one, await runAdminCommand(userCtx, one, command)))),
    );
  } catch (error) {
    if (error instanceof AppError && error.code !== 'UNAVAILABLE') return answer(error.message);
    throw error;
  }
}

function wordsOf(text: string): string[] {
  const [first = '', ...rest] = text.trim().slice(0, 300).split(/\s+/);
  return [first.replace(/^[/!]/, '').toLowerCase(), ...rest];
}

async function answerWhy(
  ctx: Context,
  subreddits: readonly CommunityRow[],
  author: string,
  [named = '']: readonly string[],
): Promise<BotAnswer[]> {
  const shown = subreddits.slice(0, mostSubreddits);
  const hint = messagesIn(ctx.locale)('why.howOnReddit');
  return Promise.all(
    shown.map(async (one) => {
      if (named === '')
        return titled(one, await whyRoles(ctx, one, userKey('reddit', author), 'self', hint).catch(whyNot));
      await requireAdmin(ctx, one.id);
      const userId = await findMember(ctx, one, named);
      const about =
        userId === undefined
          ? answer(adminMessages('member.notFound'))
          : whyRoles(ctx, one, userId, 'other').catch(whyNot);
      return titled(one, await about);
    }),
  );
}

function titled({ name }: CommunityRow, { text, buttons }: BotAnswer): BotAnswer {
  return answer(`${plainName(name)}: ${text}`, buttons);
}

function joined(answers: readonly BotAnswer[]): BotAnswer {
  if (answers.length === 0) return answer(adminMessages('reddit.noSubreddit'));
  return answer(
    answers.map(({ text }) => text).join('\n'),
    answers.flatMap(({ buttons }) => buttons),
  );
}

const readOne = job(
  'reddit.read-inbox',
  {
    payload: shape(T.Object({ communityId: communityIdField('A community of the linked account.') })),
    // The schedule reads the inbox again anyway.
    retry: exponentialRetry(2, 10, 60),
    timeoutSeconds: 120,
  },
  (ctx: Context, { communityId }, { signal }) => readInbox(ctx, communityId, signal),
);

const atOnce = 100;
const periodSeconds = 60;
/** Reddit allows about a hundred requests per minute and application; most of them are needed for roles. */
const secondsPerAccount = 3;

const readDue = job(
  'reddit.read-inboxes',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db' | 'reddit'>) => {
    if (ctx.reddit === undefined) return;
    const now = ctx.clock();
    const waitSeconds = Math.max(periodSeconds, secondsPerAccount * (await countAccounts(ctx.db.system)));
    // Slightly less than the schedule's minute, so that the next run finds them due.
    const until = addSeconds(now, waitSeconds - 5);
    const due = await claimDueInboxes(ctx.db.system, now, until, atOnce);
    await enqueueMany(
      ctx.db.system,
      readOne,
      due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId })),
    );
  },
);

export const redditJobs = [readOne, readDue] as const;

export const redditSchedules: readonly Schedule[] = [{ name: readDue.name, cron: '* * * * *', job: readDue }];
