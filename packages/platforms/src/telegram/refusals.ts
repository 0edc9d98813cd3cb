import { PlatformFailed } from '@latchkey/core/ports';

/** Telegram understood a call and refused it. */
export class TelegramRefused extends PlatformFailed {
  /** Telegram's own description. */
  readonly description: string;

  constructor(kind: PlatformFailed['kind'], message: string, description: string) {
    super(kind, message);
    this.description = description;
  }
}

const aboutChat = /chat not found|bot was kicked|bot is not a member|group chat was deactivated|CHANNEL_PRIVATE/i;
const aboutUpgrade = /upgraded to a supergroup/i;
const aboutRights = /CHAT_ADMIN_REQUIRED|not enough rights|need administrator rights|have no rights/i;
const aboutNobody =
  /user not found|invalid user_id|user_id_invalid|participant_id_invalid|user_not_participant|member not found/i;
const aboutRequest = /HIDE_REQUESTER_MISSING|USER_ALREADY_PARTICIPANT/i;

/** Converts a refusal to advice that an admin can act on. */
export function needsAdvice(description: string): TelegramRefused {
  if (aboutUpgrade.test(description))
    return new TelegramRefused(
      'unknown-community',
      'This group was upgraded to a supergroup, which has a new chat id. Latchkey switches to it automatically.',
      description,
    );
  if (aboutChat.test(description))
    return new TelegramRefused('unknown-community', 'The bot is not in this chat.', description);
  if (aboutRights.test(description))
    return new TelegramRefused(
      'forbidden',
      'Make the bot an administrator of the chat with permission to invite and ban users.',
      description,
    );
  const words = description.replace(/^(Bad Request|Forbidden): /, '').slice(0, 200);
  return new TelegramRefused('forbidden', `Telegram rejected the request: ${words}.`, description);
}

/** Returns true if Telegram says that the user does not exist or is not in the chat. */
export function saysNobody(error: unknown): boolean {
  return error instanceof TelegramRefused && aboutNobody.test(error.description);
}

/** Returns true if Telegram says that the user has no pending join request. */
export function saysNoRequest(error: unknown): boolean {
  return error instanceof TelegramRefused && aboutRequest.test(error.description);
}

/** True when a message was deleted. */
export function saysGone(error: unknown): boolean {
  return error instanceof TelegramRefused && /message to edit not found/i.test(error.description);
}

/** True when a message says already what it is to say. */
export function saysSameAlready(error: unknown): boolean {
  return error instanceof TelegramRefused && /message is not modified/i.test(error.description);
}

/** Returns true if a button was pressed too long ago to be answered. */
export function saysTooOld(error: unknown): boolean {
  return error instanceof TelegramRefused && /query is too old|query ID is invalid/i.test(error.description);
}

/** Returns true if Telegram says that a request to join can no longer be answered by its query, or that it does not know such queries. */
export function saysNoQuery(error: unknown): boolean {
  if (!(error instanceof PlatformFailed)) return false;
  return error instanceof TelegramRefused || error.kind === 'not-configured';
}

/** Telegram says this of the tag of an administrator, whatever rights the bot has (https://github.com/tdlib/telegram-bot-api/issues/838). */
export function saysAdministrator(error: unknown): boolean {
  return error instanceof TelegramRefused && /CHAT_CREATOR_REQUIRED/.test(error.description);
}

/** Returns true if nothing can be done in this chat, for any member, until an admin changes something. */
export function stopsEverything(error: PlatformFailed): boolean {
  if (error.kind === 'unavailable') return false;
  return !(error instanceof TelegramRefused) || error.kind !== 'forbidden' || aboutRights.test(error.description);
}
