import type { TelegramApi, TelegramGuard } from '@latchkey/core/ports';
import type { TelegramCall } from './client.ts';
import { saysNoQuery } from './refusals.ts';

/** The requests to join that Telegram asks the bot about as a guard. */
interface JoinQueries {
  /** Returns the open query of a user who requested to join. */
  find(chatId: string, userId: string): Promise<string | undefined>;
}

/** What this server knows of a chat and Telegram does not tell. */
export interface ChatRecords {
  /** Requests to join that wait for the answer to a query. */
  queries: JoinQueries;
  /** The tags that the rules of a chat give, as role ids, the most important first. */
  readTagRoles(chatId: string): Promise<readonly string[]>;
}

/** Calls of guard bots (Bot API 10.1): Telegram asks one bot of a chat about each request to join. */
export function createGuardApi(
  call: TelegramCall,
): Pick<TelegramApi, 'readGuard' | 'openJoinPage' | 'queueJoinRequest'> {
  return {
    readGuard: async (chatId, signal): Promise<TelegramGuard> => {
      const me = await call((api, abort) => api.getMe(abort), signal);
      if (me.supports_join_request_queries !== true) return 'not-enabled';
      const { guard_bot: guard } = await call((api, abort) => api.getChat(chatId, abort), signal);
      if (guard === undefined) return 'not-assigned';
      return guard.id === me.id ? 'assigned' : 'other-bot';
    },
    openJoinPage: (queryId, url, signal) =>
      inTime(() => call((api, abort) => api.sendChatJoinRequestWebApp(queryId, url, abort), signal)),
    queueJoinRequest: (queryId, signal) => answerJoinQuery(call, queryId, 'queue', signal),
  };
}

/** Returns false if the query can no longer be answered, so that the request is an ordinary one. */
export function answerJoinQuery(
  call: TelegramCall,
  queryId: string,
  result: 'approve' | 'decline' | 'queue',
  signal?: AbortSignal,
): Promise<boolean> {
  return inTime(() => call((api, abort) => api.answerChatJoinRequestQuery(queryId, result, abort), signal));
}

async function inTime(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (saysNoQuery(error)) return false;
    throw error;
  }
}
