import { selectMailboxesOf } from '../../developers/dev-orgs/index.ts';
import { MailFailed } from '../../ports/index.ts';
import type { Way } from './way.ts';

const prefix = 'mail:';
/** A server without mail, or one whose mail is out for hours, keeps nobody from being told otherwise. */
const lastTry = 4;
const mostMailboxes = 5;

export function isMailbox(recipient: string): boolean {
  return recipient.startsWith(prefix);
}

/**
 * To the mailboxes that organizations of the community's owner have confirmed. Others than the admins may read them, so
 * members are not named.
 */
export const byMail: Way = {
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
            'Decide in the console, or in the chat of the community with the commands of the bot.',
            text.short.link?.url ?? baseUrl,
            '',
          ].join('\n'),
          messageId: `<${noticeId}.${id}@${new URL(baseUrl).hostname}>`,
        });
      } catch (error) {
        if (!(error instanceof MailFailed) || (error.retryable && attempt < lastTry)) throw error;
        ctx.log.warn('A mail to admins of a community was not taken.', { communityId: community.id, noticeId });
      }
      await keep(recipient, null);
    }
  },
};
