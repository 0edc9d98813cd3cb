import type { Context } from '../../context.ts';
import { applyNow } from '../../gating/role-plans/index.ts';
import { PlatformFailed, type TelegramEvent } from '../../ports/index.ts';
import { isAdminWord } from '../bot-answers/index.ts';
import { type CommunityRow, communityKey, selectCommunity, userKey } from '../communities/index.ts';
import { answerQuestion } from './answer-question.ts';
import { connectLink } from './connect-link.ts';
import { judgeAtDoor } from './judge-at-door.ts';
import { tell } from './tell.ts';

export interface GivenCommand {
  chatId: string;
  isPrivate: boolean;
  userId: string;
  command: string;
  argument: string;
  /** Whose message the command answers. */
  aboutId?: string | undefined;
  /** The press of a button that it was given by. */
  pressId?: string | undefined;
}

export const inviteTtlSeconds = 15 * 60;

/** Whether the bot answers this; other commands are none of its business. */
export function isOwnCommand({ isPrivate, command }: Extract<TelegramEvent, { kind: 'command' }>): boolean {
  if (isAdminWord(command) || command === 'why') return true;
  return isPrivate ? command === 'start' || command === 'connect' : command === 'check';
}

/** Answers what people type to the bot. */
export async function answerCommand(ctx: Context, given: GivenCommand, signal: AbortSignal): Promise<void> {
  if (ctx.telegram === undefined) return;
  const asked =
    given.command === 'start' && given.argument === 'plans' ? { ...given, command: 'plans', argument: '' } : given;
  if (asked.command === 'why' || isAdminWord(asked.command)) return answerQuestion(ctx, asked, signal);
  if (!given.isPrivate) return checkSpeaker(ctx, given);
  if (given.command === 'start' && given.argument !== '') return answerAtDoor(ctx, given, signal);
  const words = 'Link a wallet to get into the chats it opens. Nothing is sent and nothing is spent.';
  await tell(ctx, given.chatId, words, await connectLink(ctx, given.userId), signal);
}

/** `/check` in a chat: looks at whoever typed it, as a sweep would. */
async function checkSpeaker(ctx: Context, { chatId, userId }: GivenCommand): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', chatId));
  if (community?.status !== 'active') return;
  await applyNow(ctx, community, userKey('telegram', userId), { liftPauses: false });
}

/** `/start <chat>`: an invitation for this person alone, if the rules say so. */
async function answerAtDoor(ctx: Context, given: GivenCommand, signal: AbortSignal): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityKey('telegram', given.argument));
  if (community?.status !== 'active') return tell(ctx, given.chatId, 'Chat not found here.', undefined, signal);
  switch (await judgeAtDoor(ctx, community, given.userId, signal)) {
    case 'true':
      return invite(ctx, given, community, signal);
    case 'false': {
      const words = `${community.name} asks for tokens that your linked wallets do not hold.`;
      return tell(ctx, given.chatId, words, await connectLink(ctx, given.userId), signal);
    }
    case 'unknown': {
      const words = 'Your wallets cannot be read just now. Please try again in a few minutes.';
      return tell(ctx, given.chatId, words, undefined, signal);
    }
    case 'unruled':
      return tell(
        ctx,
        given.chatId,
        `Nobody gets into ${community.name} this way yet: it has no rules.`,
        undefined,
        signal,
      );
  }
}

async function invite(ctx: Context, given: GivenCommand, community: CommunityRow, signal: AbortSignal): Promise<void> {
  const expiresAt = new Date(ctx.clock().getTime() + inviteTtlSeconds * 1000);
  const options = { name: `for ${given.userId}`, expiresAt };
  try {
    const url = await ctx.telegram?.createInvite(community.community_id, options, signal);
    const button = url === undefined ? undefined : { text: `Join ${community.name}`, url };
    await tell(ctx, given.chatId, `This link works once, for ${inviteTtlSeconds / 60} minutes.`, button, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
    ctx.log.warn('The bot cannot make an invitation.', { communityId: community.id, reason: error.message });
    await tell(
      ctx,
      given.chatId,
      `The bot may not invite to ${community.name}. Please tell its admins.`,
      undefined,
      signal,
    );
  }
}
