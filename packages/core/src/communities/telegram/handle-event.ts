import { enqueue } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { resumeCommunity } from '../../gating/role-plans/index.ts';
import { announce } from '../../machinery/announcements/index.ts';
import { isLoginAnswer, takeChatAnswer } from '../../people/platform-logins/index.ts';
import type { TelegramEvent, TelegramPerson } from '../../ports/index.ts';
import { isAdminWord } from '../bot-answers/index.ts';
import { communityKey, recheckAdmins, selectCommunity, setCommunityStatus, userKey } from '../communities/index.ts';
import { type InteractionKind, noteInteraction } from '../interactions/index.ts';
import { noteMember } from '../members/index.ts';
import { isOwnCommand } from './answer-command.ts';
import { commandJob, joinJob, welcomeJob } from './jobs.ts';
import { memberRole } from './member-role.ts';

type Of<Kind extends TelegramEvent['kind']> = Extract<TelegramEvent, { kind: Kind }>;
type EventContext = Pick<Context, 'clock' | 'db' | 'keyring'>;

/**
 * Takes in what happened on Telegram. It only writes down: whatever asks Telegram or a chain, and so may take time or
 * fail, is a job, so that nothing is lost with the process and nobody holds up the events of others.
 */
export async function handleTelegramEvent(ctx: EventContext, event: TelegramEvent): Promise<void> {
  switch (event.kind) {
    case 'bot-added':
      return meetChat(ctx, event);
    case 'bot-removed':
      return setCommunityStatus(ctx, communityKey('telegram', event.chatId), 'kicked');
    case 'join-requested':
      return askToJoin(ctx, event);
    case 'joined':
      await see(ctx, event.chatId, event.user, 'joined');
      return count(ctx, event.chatId, 'join');
    case 'left':
      await noteMember(ctx, 'telegram', event.chatId, event.user.id, { kind: 'left' });
      await recheckAdmin(ctx, event);
      return count(ctx, event.chatId, 'leave');
    case 'rights-changed':
      return recheckAdmin(ctx, event);
    case 'spoke':
      return hear(ctx, event.chatId, event.user, 'message');
    case 'command':
      return takeCommand(ctx, event);
    case 'pressed':
      return takePress(ctx, event);
  }
}

function recheckAdmin(ctx: EventContext, { chatId, user }: Of<'left'> | Of<'rights-changed'>): Promise<void> {
  return recheckAdmins(ctx.db.system, communityKey('telegram', chatId), userKey('telegram', user.id));
}

async function meetChat(ctx: EventContext, { chatId, title, user }: Of<'bot-added'>): Promise<void> {
  const id = communityKey('telegram', chatId);
  if ((await selectCommunity(ctx.db.system, id)) !== undefined) {
    await setCommunityStatus(ctx, id, 'active');
    await announce(ctx.db.system, { changed: 'setup', community: id });
    // Telegram tells of new rights of the bot in the same way: what it could not do, it may be able to do now.
    return resumeCommunity(ctx, id);
  }
  const chat = { chatId, title: title.slice(0, 256), userId: user.id };
  await enqueue(ctx.db.system, welcomeJob, chat, { uniqueKey: `${chatId}/${user.id}` });
}

async function askToJoin(ctx: EventContext, { chatId, user, replyTo }: Of<'join-requested'>): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', chatId));
  if (community?.status !== 'active') return;
  await enqueue(ctx.db.system, joinJob, { communityId: community.id, userId: user.id, replyTo });
}

async function takeCommand(ctx: EventContext, event: Of<'command'>): Promise<void> {
  const { chatId, isPrivate, user, command, argument, replyTo } = event;
  if (!isPrivate) await hear(ctx, chatId, user, 'command');
  if (user.isBot || !isOwnCommand(event)) return;
  if (isPrivate && isLoginAnswer(command, argument)) return takeChatAnswer(ctx, { chatId, user, argument });
  const aboutId = replyTo === undefined || replyTo.isBot ? undefined : replyTo.id;
  const given = { chatId, isPrivate, userId: user.id, command, argument, ...(aboutId !== undefined && { aboutId }) };
  const uniqueKey = [chatId, user.id, command, argument, ...(aboutId === undefined ? [] : [aboutId])].join('/');
  await enqueue(ctx.db.system, commandJob, given, { uniqueKey });
}

/** A button is a command that was typed by pressing. */
async function takePress(ctx: EventContext, { chatId, user, data, pressId }: Of<'pressed'>): Promise<void> {
  const [command = '', ...rest] = data.split(':');
  if (user.isBot || chatId !== user.id || !isAdminWord(command)) return;
  const given = { chatId, isPrivate: true, userId: user.id, command, argument: rest.join(' '), pressId };
  await enqueue(ctx.db.system, commandJob, given, { uniqueKey: `press/${pressId}` });
}

function see(ctx: EventContext, chatId: string, user: TelegramPerson, kind: 'joined' | 'updated'): Promise<void> {
  const news = { kind, userName: user.name, roleIds: [memberRole], isBot: user.isBot };
  return noteMember(ctx, 'telegram', chatId, user.id, news);
}

/** Telegram shows no list of members: those who were there before the bot are met when they speak. */
async function hear(ctx: EventContext, chatId: string, user: TelegramPerson, kind: InteractionKind): Promise<void> {
  if (user.isBot) return;
  await see(ctx, chatId, user, 'updated');
  await noteMember(ctx, 'telegram', chatId, user.id, { kind: 'active' });
  await count(ctx, chatId, kind);
}

function count(ctx: EventContext, chatId: string, kind: InteractionKind): Promise<void> {
  return noteInteraction(ctx.db.system, communityKey('telegram', chatId), kind, ctx.clock());
}
