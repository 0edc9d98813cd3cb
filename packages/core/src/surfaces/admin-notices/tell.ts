import { selectCommunity } from '../../communities/community/index.ts';
import { selectMailboxesOf } from '../../identity/organizations/index.ts';
import { MailFailed, type PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { composeNotice } from './compose.ts';
import { closeMessage, insertMessage, type NoticeMessageRow, selectMessages, selectNotice } from './queries.ts';
import { byDiscord } from './tell-by-discord.ts';
import { byReddit } from './tell-by-reddit.ts';
import { byTelegram } from './tell-by-telegram.ts';
import type { NoticeChannel } from './way.ts';

/** A platform without a row has no bot messages: its admins are told by mail. */
const platformChannels: Readonly<Partial<Record<PlatformName, NoticeChannel>>> = {
  discord: byDiscord,
  telegram: byTelegram,
  reddit: byReddit,
};

/**
 * Tells of a notice wherever it was not told yet; once it is over, says so in every message that was sent. What one
 * recipient does not take keeps it from nobody else.
 */
export async function tell(
  ctx: Context,
  noticeId: string,
  { attempt, signal }: { attempt: number; signal: AbortSignal },
): Promise<void> {
  const notice = await selectNotice(ctx.db.system, noticeId);
  const community = notice && (await selectCommunity(ctx.db.system, notice.community_id));
  if (notice === undefined || community === undefined) return;
  const messages = await selectMessages(ctx.db.system, noticeId);
  // What was over before anybody heard of it needs no words.
  if (notice.closed_at !== null && messages.length === 0) return;
  const text = await composeNotice(ctx, community, notice);
  if (text === undefined) return;
  const platformChannel = platformChannels[community.platform] ?? byMail;
  if (notice.closed_at === null) {
    const told = new Map(messages.map(({ recipient, message_id }) => [recipient, message_id]));
    const telling = {
      community,
      noticeId,
      text,
      attempt,
      signal,
      told,
      keep: async (recipient: string, messageId: string | null) => {
        told.set(recipient, messageId);
        const row = { notice_id: noticeId, recipient, message_id: messageId, sent_at: ctx.clock() };
        await insertMessage(ctx.db.system, row);
      },
    };
    const { finalAt } = notice.details;
    const early = messages.filter(({ sent_at }) => finalAt !== undefined && sent_at < new Date(finalAt));
    const updates = early.flatMap(({ recipient, message_id: messageId }) => {
      const { update } = channelOf({ recipient }, platformChannel);
      if (messageId === null || update === undefined) return [];
      return [
        async () => {
          await update(ctx, community, { recipient, messageId }, text, signal);
          await telling.keep(recipient, messageId);
        },
      ];
    });
    const tells = [...new Set([platformChannel, byMail])].map((channel) => () => channel.tell(ctx, telling));
    return everyOne([...tells, ...updates]);
  }
  const open = messages.flatMap(({ recipient, message_id, closed_at }) =>
    message_id === null || closed_at !== null ? [] : [{ recipient, messageId: message_id }],
  );
  await everyOne(
    open.map((message) => async () => {
      await channelOf(message, platformChannel).close?.(ctx, community, message, text, signal);
      await closeMessage(ctx.db.system, noticeId, message.recipient, ctx.clock());
    }),
  );
}

function channelOf({ recipient }: Pick<NoticeMessageRow, 'recipient'>, platformChannel: NoticeChannel): NoticeChannel {
  return isMailbox(recipient) ? byMail : platformChannel;
}

/** Does all of it, and fails afterwards if a part failed. */
async function everyOne(parts: readonly (() => Promise<void>)[]): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
}

const prefix = 'mail:';
/** A server without mail, or one whose mail is out for hours, keeps nobody from being told otherwise. */
const lastTry = 4;
const mostMailboxes = 5;

function isMailbox(recipient: string): boolean {
  return recipient.startsWith(prefix);
}

/**
 * To the mailboxes that organizations of the community's owner have confirmed. Others than the admins may read them, so
 * members are not named.
 */
const byMail: NoticeChannel = {
  tell: async (ctx, { community, noticeId, text, told, keep, attempt }) => {
    const mailboxes = await selectMailboxesOf(ctx.db.system, community.owner_id);
    for (const { id, email } of mailboxes.slice(0, mostMailboxes)) {
      const recipient = `${prefix}${id}`;
      if (told.has(recipient)) continue;
      const { baseUrl, serviceName } = ctx.settings;
      try {
        await ctx.mailer.send({
          to: email,
          subject: `${serviceName}: ${text.title}`.slice(0, 200),
          text: [
            text.short.text,
            '',
            'Approve or reject them in the console, or with the bot’s commands in the community.',
            text.short.link?.url ?? baseUrl,
            '',
          ].join('\n'),
          messageId: `<${noticeId}.${id}@${new URL(baseUrl).hostname}>`,
        });
      } catch (error) {
        if (!(error instanceof MailFailed) || (error.retryable && attempt < lastTry)) throw error;
        ctx.log.warn('An email to community admins was rejected.', { communityId: community.id, noticeId });
      }
      await keep(recipient, null);
    }
  },
};
