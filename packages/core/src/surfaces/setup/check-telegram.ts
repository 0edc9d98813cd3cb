import { isTagRole } from '@latchkey/kernel';
import { type CommunityRow, selectByPlatformId } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { TelegramApi, TelegramGuard } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { memberRole } from '../telegram/index.ts';
import { checkBypasses } from './check-bypasses.ts';
import { telegramInvite } from './invite-links.ts';
import type { SetupCheck } from './setup-check.ts';

/** The permissions that the bot uses in a group, keyed by the platform's wording for a missing one. */
const telegramRights = {
  'be an administrator': ['Administrator', 'Telegram lets only administrators see who joins and who leaves.'],
  'invite users': ['Invite users', 'Lets in members who qualify.'],
  'ban users': ['Ban users', 'Removes members who no longer qualify.'],
} as const;

const tagRight = {
  'manage tags': ['Manage tags', 'Shows the tags that your rules give beside the names of members.'],
} as const;

/** What the bot needs in a Telegram group, as Telegram shows it now. */
export async function checkTelegram(
  ctx: Pick<Context, 'db' | 'settings'>,
  telegram: TelegramApi,
  { id, platform, community_id: chatId }: CommunityRow,
): Promise<SetupCheck[]> {
  const missing = await telegram.missingRights(chatId);
  const roleIds = (await selectRules(ctx.db.system, id)).map(({ role_id }) => role_id);
  const isGated = roleIds.includes(memberRole);
  const givesTags = roleIds.some(isTagRole);
  return [
    ...checkRights(missing, { link: telegramInvite(ctx, await telegram.botName(), { givesTags }), givesTags }),
    ...(await checkLinkedChat(ctx, telegram, { chatId, isGated })),
    ...(isGated ? [describeGuard(await telegram.readGuard(chatId)), await checkBypasses(ctx, { id, platform })] : []),
  ];
}

/** A channel and its discussion group are two chats with members of their own: gating one does not gate the other. */
async function checkLinkedChat(
  { db }: Pick<Context, 'db'>,
  telegram: TelegramApi,
  { chatId, isGated }: { chatId: string; isGated: boolean },
): Promise<SetupCheck[]> {
  const linked = await telegram.readLinkedChat(chatId);
  if (linked === undefined) return [];
  const other = await selectByPlatformId(db.system, 'telegram', linked.chatId);
  const rules = other?.status === 'active' ? await selectRules(db.system, other.id) : [];
  const isOtherGated = rules.some(({ role_id }) => role_id === memberRole);
  const name = linked.title ?? other?.name;
  const which = `${linked.isChannel ? 'channel' : 'discussion group'}${name === undefined ? '' : ` “${name}”`}`;
  const check = { id: 'linked-chat', subject: 'bot', title: `The ${which}` } as const;
  const gates = isOtherGated ? 'It is a community here with a rule of its own for members.' : 'It has no gate here.';
  const reason = `Telegram links it to this ${linked.isChannel ? 'group' : 'channel'}. ${gates} Joining one does not join the other.`;
  if (isOtherGated === isGated) return [{ ...check, state: 'ok', reason }];
  const open = isGated ? `the ${which}` : `this ${linked.isChannel ? 'group' : 'channel'}`;
  const remedy = `If both should need the same, ${isGated && other?.status !== 'active' ? `add the bot to ${open} and ` : ''}add a rule for “Member” to ${open}.`;
  return [{ ...check, state: 'optional', reason, remedy }];
}

function checkRights(
  missing: readonly string[],
  { link, givesTags }: { link: string; givesTags: boolean },
): SetupCheck[] {
  const rights = Object.entries({ ...telegramRights, ...(givesTags && tagRight) });
  return rights.map(([right, [title, reason]]) => {
    const check = { id: `permission.${right.replaceAll(' ', '-')}`, subject: 'permission' as const, title, reason };
    if (!missing.includes(right)) return { ...check, state: 'ok' };
    const remedy =
      right === 'be an administrator'
        ? 'In Telegram, open the group’s profile, choose Administrators > Add Admin, and choose the bot.'
        : `In Telegram, open the group’s profile, choose Administrators, choose the bot, and switch on “${title}”.`;
    return { ...check, state: 'broken', remedy, link };
  });
}

/** Without a guard the bot decides ordinary requests, so this is never a problem. */
function describeGuard(guard: TelegramGuard): SetupCheck {
  const check = { id: 'guard', subject: 'bot', title: 'Guard bot' } as const;
  if (guard === 'assigned')
    return {
      ...check,
      state: 'ok',
      reason: 'People who request to join see inside Telegram what they need, before they are in.',
    };
  return {
    ...check,
    state: 'optional',
    reason:
      'As the guard of the group, the bot can show people who request to join what they need, inside Telegram. Until then it writes to them and declines.',
    remedy: guardRemedies[guard],
  };
}

const guardRemedies: Readonly<Record<Exclude<TelegramGuard, 'assigned'>, string>> = {
  'not-assigned': 'The owner of the group can choose the bot as the guard for join requests in the group’s settings.',
  'other-bot': 'Another bot is the guard of this group. The owner can choose this one in the group’s settings.',
  'not-enabled':
    'The operator of this Latchkey server must allow the bot to process join requests in BotFather. An own Bot API server must support version 10.1.',
};
