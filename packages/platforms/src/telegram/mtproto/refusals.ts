import { PlatformFailed } from '@latchkey/core/ports';

/** Telegram understood an MTProto call and refused it. */
export class MtprotoRefused extends PlatformFailed {
  readonly code: number;
  /** Telegram's error name, such as CHANNEL_PRIVATE. */
  readonly answer: string;

  constructor(code: number, answer: string) {
    const { kind, message, retryAfterSeconds } = adviceFor(code, answer);
    super(kind, message, retryAfterSeconds);
    this.code = code;
    this.answer = answer;
  }
}

const aboutApi = /API_ID_(INVALID|PUBLISHED_FLOOD)/;
const aboutToken = /^ACCESS_TOKEN_/;
const aboutChat = /^(CHANNEL_(INVALID|PRIVATE|PUBLIC_GROUP_NA)|CHAT_ID_INVALID|PEER_ID_INVALID|CHAT_FORBIDDEN)$/;
const aboutFlood = /^FLOOD_(?:PREMIUM_)?WAIT_(\d+)$/;
const aboutSession = /^(AUTH_KEY_|SESSION_|USER_DEACTIVATED)/;

/** Returns true if the stored login is no longer valid: it was ended, or used from two places at once. */
export function saysLoggedOut(error: unknown): boolean {
  return error instanceof MtprotoRefused && [401, 406].includes(error.code) && aboutSession.test(error.answer);
}

export function rateLimited(seconds: number): PlatformFailed {
  return new PlatformFailed('unavailable', 'Rate-limited by Telegram while listing members.', seconds);
}

function adviceFor(code: number, answer: string): PlatformFailed {
  const seconds = aboutFlood.exec(answer)?.[1];
  if (seconds !== undefined) return rateLimited(Number(seconds));
  if (aboutApi.test(answer))
    return new PlatformFailed(
      'not-configured',
      'Telegram does not accept the API id and hash. Set LATCHKEY_TELEGRAM_API_ID and LATCHKEY_TELEGRAM_API_HASH to the values that my.telegram.org shows.',
    );
  if (aboutToken.test(answer))
    return new PlatformFailed(
      'not-configured',
      'Telegram rejected the bot token. Set LATCHKEY_TELEGRAM_BOT_TOKEN to the token that BotFather shows.',
    );
  if (aboutChat.test(answer)) return new PlatformFailed('unknown-community', 'The bot is not in this chat.');
  if (answer === 'CHAT_ADMIN_REQUIRED')
    return new PlatformFailed('forbidden', 'Make the bot an administrator of the chat so that it can list members.');
  if (code >= 500) return new PlatformFailed('unavailable', `Telegram responded with error ${code}.`, 60);
  return new PlatformFailed('forbidden', `Telegram refused to list members: ${answer.slice(0, 100)}.`);
}
