import { findLinkedAccount, redditText } from '../reddit/index.ts';
import type { NoticeChannel } from './notice-channel.ts';
import { unlessRefused } from './notice-channel.ts';

const modmail = 'modmail';
const longestSubject = 100;

/** Sends to the moderators, in the subreddit's modmail, if the linked account may write there. */
export const byReddit: NoticeChannel = {
  send: async (ctx, { community, text, notified, keep, signal }) => {
    if (notified.has(modmail) || ctx.reddit === undefined) return;
    const { reddit } = ctx;
    const account = await findLinkedAccount(ctx, community.community_id);
    if (account === undefined) return;
    const body = redditText(text.full, account.userName);
    const mail = { subreddit: community.community_id, subject: subjectOf(text.title), text: body };
    const conversationId = await unlessRefused(() => reddit.startModmail(account.token, mail, signal));
    if (conversationId === undefined)
      ctx.log.warn('A subreddit’s linked account cannot send modmail, so its admins are not notified there.', {
        communityId: community.id,
      });
    await keep(modmail, conversationId ?? null);
  },
  close: async (ctx, community, { messageId }, { full }, signal) => {
    const account = await findLinkedAccount(ctx, community.community_id);
    if (account === undefined) return;
    const mail = { conversationId: messageId, text: redditText(full, account.userName) };
    await unlessRefused(async () => ctx.reddit?.continueModmail(account.token, mail, signal));
  },
};

function subjectOf(title: string): string {
  return title.length <= longestSubject ? title : `${title.slice(0, longestSubject - 1)}…`;
}
