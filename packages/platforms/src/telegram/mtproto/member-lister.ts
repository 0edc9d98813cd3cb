import type { KeptTelegramSession, TelegramSessions } from '@latchkey/core/ports';
import type { Clock } from '@latchkey/kernel';
import type { MtprotoClient, MtprotoOptions } from './client.ts';
import type { MemberList } from './list-chat.ts';
import { MtprotoRefused, rateLimited, saysLoggedOut } from './refusals.ts';

export interface MemberListerOptions extends MtprotoOptions {
  /** Stores the login; a new one for every list would soon exceed Telegram's limits. */
  sessions: TelegramSessions;
}

/** Lists the members of chats. Throws `PlatformFailed`. */
export interface MemberLister {
  list(chatId: string, signal?: AbortSignal): Promise<MemberList>;
}

/** The protocol library is large, and most servers never list members. */
const loadProtocol = async () => ({ ...(await import('./client.ts')), ...(await import('./list-chat.ts')) });

/**
 * Lists members over Telegram's own protocol, logged in as the bot, because the Bot API has no list. A connection lasts for one list, and
 * only one is open at a time.
 */
export function createMemberLister(
  { token, clock }: { token: string; clock: Clock },
  options: MemberListerOptions,
): MemberLister {
  const { apiId, apiHash, sessions } = options;
  let blockedUntilMs = 0;

  async function listWith(kept: KeptTelegramSession, chatId: string, signal?: AbortSignal): Promise<MemberList> {
    const { openMtprotoClient, listChat } = await loadProtocol();
    const connected = async (session: string | undefined, prepare?: (client: MtprotoClient) => Promise<unknown>) => {
      const client = await openMtprotoClient(options, session);
      try {
        await prepare?.(client);
        return await listChat(client.call, chatId, signal);
      } finally {
        await client.close();
      }
    };
    const logIn = async ({ call, exportSession }: MtprotoClient) => {
      const request = { _: 'auth.importBotAuthorization', flags: 0, apiId, apiHash, botAuthToken: token } as const;
      await call(request, signal);
      await kept.keep(await exportSession());
    };
    if (kept.session !== undefined) {
      try {
        return await connected(kept.session);
      } catch (error) {
        if (!saysLoggedOut(error)) throw error;
      }
    }
    return connected(undefined, logIn);
  }

  return {
    list: async (chatId, signal) => {
      const waitMs = blockedUntilMs - clock().getTime();
      if (waitMs > 0) throw rateLimited(Math.ceil(waitMs / 1000));
      try {
        return await sessions.use((kept) => listWith(kept, chatId, signal), signal);
      } catch (error) {
        if (error instanceof MtprotoRefused && error.kind === 'unavailable' && error.retryAfterSeconds)
          blockedUntilMs = clock().getTime() + error.retryAfterSeconds * 1000;
        throw error;
      }
    },
  };
}
