import { selectCommunity } from '../../communities/community-records/index.ts';
import { selectMailboxesOf } from '../../identity/organizations/index.ts';
import { MailFailed, type PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { adminMessages as t } from '../../shared/messages/index.ts';
import { composeNotice } from './compose.ts';
import type { NoticeChannel } from './notice-channel.ts';
import { byBot } from './notify-by-bot.ts';
import { byDiscord } from './notify-by-discord.ts';
import { byReddit } from './notify-by-reddit.ts';
import { byTelegram } from './notify-by-telegram.ts';
import { closeMessage, insertMessage, type NoticeMessageRow, selectMessages, selectNotice } from './queries.ts';

/** Platforms without an entry notify through the port of their bot; without one, admins are notified by mail. */
const platformChannels: Readonly<Partial<Record<PlatformName, NoticeChannel>>> = {
  discord: byDiscord,
  telegram: byTelegram,
  reddit: byReddit,
};

/**
 * Sends a notice to every recipient that has not received it yet; once it is closed, updates every sent message. If one
 * recipient rejects a message, the others still get it.
 */
export async function notify(
  ctx: Context,
  noticeId: string,
  { attempt, signal }: { attempt: number; signal: AbortSignal },
): Promise<void> {
  const notice = await selectNotice(ctx.db.system, noticeId);
  const community = notice && (await selectCommunity(ctx.db.system, notice.community_id));
  if (notice === undefined || community === undefined) return;
  const messages = await selectMessages(ctx.db.system, noticeId);
  // A notice that was closed before it was sent is not sent.
  if (notice.closed_at !== null && messages.length === 0) return;
  const text = await composeNotice(ctx, community, notice);
  if (text === undefined) return;
  const platformChannel =
    platformChannels[community.platform] ?? (ctx.bots[community.platform] === undefined ? byMail : byBot);
  if (notice.closed_at === null) {
    const notified = new Map(messages.map(({ recipient, message_id }) => [recipient, message_id]));
    const delivery = {
      community,
      noticeId,
      kind: notice.kind,
      text,
      attempt,
      signal,
      notified,
      keep: async (recipient: string, messageId: string | null) => {
        notified.set(recipient, messageId);
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
          await delivery.keep(recipient, messageId);
        },
      ];
    });
    const sends = [...new Set([platformChannel, byMail])].map((channel) => () => channel.send(ctx, delivery));
    return everyOne([...sends, ...updates]);
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

/** Runs all parts, and fails afterwards if any part failed. */
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
/** If mail is not configured, or is down for hours, it must not hold up other notifications. */
const lastTry = 4;
const mostMailboxes = 5;

function isMailbox(recipient: string): boolean {
  return recipient.startsWith(prefix);
}

/**
 * Sends to the confirmed email addresses of the owner's organizations. People other than admins may read them, so
 * members are not named.
 */
const byMail: NoticeChannel = {
  send: async (ctx, { community, noticeId, kind, text, notified, keep, attempt }) => {
    const mailboxes = await selectMailboxesOf(ctx.db.system, community.owner_id);
    for (const { id, email } of mailboxes.slice(0, mostMailboxes)) {
      const recipient = `${prefix}${id}`;
      if (notified.has(recipient)) continue;
      const { baseUrl, serviceName } = ctx.settings;
      try {
        await ctx.mailer.send({
          to: email,
          subject: t('mail.subject', { service: serviceName, title: text.title }).slice(0, 200),
          text: [
            text.short.text,
            '',
            t(kind === 'held-change-set' || kind === 'held-growth' ? 'mail.decide' : 'mail.see'),
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
