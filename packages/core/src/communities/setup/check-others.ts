import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { TelegramApi } from '../../ports/index.ts';
import type { CommunityRow } from '../communities/index.ts';
import { isCommunityConfigSet } from '../reddit/index.ts';
import { telegramInvite } from './invite-links.ts';
import type { Findings, SetupCheck } from './setup-check.ts';

/** The rights that the bot uses in a group, by the words in which the platform's side tells of a missing one. */
const telegramRights = {
  'be an administrator': ['Administrator', 'Telegram lets only administrators see who joins and who leaves.'],
  'invite users': ['Invite users', 'Lets members in who qualify.'],
  'ban users': ['Ban users', 'Removes members who no longer qualify.'],
} as const;

/** What the bot needs in a Telegram group, as Telegram shows it now. */
export async function checkTelegram(
  ctx: Pick<Context, 'settings'>,
  telegram: TelegramApi,
  { community_id: chatId }: CommunityRow,
): Promise<SetupCheck[]> {
  const missing = await telegram.missingRights(chatId);
  const link = telegramInvite(ctx, await telegram.botName());
  return Object.entries(telegramRights).map(([right, [title, reason]]) => {
    const check = { id: `permission.${right.replaceAll(' ', '-')}`, subject: 'permission' as const, title, reason };
    if (!missing.includes(right)) return { ...check, state: 'ok' };
    const remedy =
      right === 'be an administrator'
        ? 'In Telegram, open the group’s profile, choose Administrators > Add Admin, and choose the bot.'
        : `In Telegram, open the group’s profile, choose Administrators, choose the bot, and switch on “${title}”.`;
    return { ...check, state: 'broken', remedy, link };
  });
}

/** Whether the linked moderator account of a subreddit still works. */
export async function checkReddit(ctx: Context, community: CommunityRow): Promise<Findings> {
  const { botTokenStatus, message } = await isCommunityConfigSet(ctx, { communityId: community.id });
  if (botTokenStatus === undefined) throw notFound('community');
  if (botTokenStatus === 'unknown') return { problem: message ?? 'Reddit does not answer.' };
  const isFine = botTokenStatus === 'valid';
  return {
    checks: [
      {
        id: 'account',
        subject: 'account',
        state: isFine ? 'ok' : 'broken',
        title: 'Moderator account',
        reason: 'Latchkey sets flair and approves users as a moderator of the subreddit.',
        ...(!isFine && {
          remedy:
            botTokenStatus === 'missing'
              ? 'Link the subreddit with the account of a moderator.'
              : 'Reddit no longer accepts the linked account, or it is no moderator any more. Link the subreddit again.',
          link: `https://www.reddit.com/r/${encodeURIComponent(community.community_id)}/about/moderators`,
        }),
      },
    ],
  };
}
