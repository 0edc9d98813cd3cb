import type { TelegramApi } from '@latchkey/core/ports';
import type { TelegramCall } from './client.ts';
import { TelegramRefused } from './refusals.ts';

/** Says nothing about anyone, in any language. */
const probe = '…';

/**
 * Sends messages that only one member of a chat sees (ephemeral messages, Bot API 10.3). A server that is older ignores the parameter and
 * posts the message for everyone, so the first message says nothing: if it was posted, it is deleted, and no other is sent that way. It
 * counts towards the limit of the chat, so the message after it may have to be tried again.
 */
export function createWhisper(call: TelegramCall): TelegramApi['whisper'] {
  let isKnown: boolean | undefined;

  /** Returns the id of the message; undefined if it was posted for everyone, and deleted. */
  async function send(chatId: string, userId: string, text: string, signal?: AbortSignal): Promise<number | undefined> {
    const options = {
      ephemeral_message_parameters: { receiver_user_id: Number(userId) },
      link_preview_options: { is_disabled: true },
    };
    const sent = await call((api, abort) => api.sendMessage(chatId, text, options, abort), signal);
    if (sent.ephemeral_message_id !== undefined) return sent.ephemeral_message_id;
    isKnown = false;
    await call((api, abort) => api.deleteMessage(chatId, sent.message_id, abort), signal);
    return undefined;
  }

  return async (chatId, userId, text, signal) => {
    if (isKnown === false) return false;
    try {
      if (isKnown === undefined) {
        const id = await send(chatId, userId, probe, signal);
        if (id === undefined) return false;
        isKnown = true;
        await call((api, abort) => api.deleteEphemeralMessage(chatId, Number(userId), id, abort), signal);
      }
      return (await send(chatId, userId, text, signal)) !== undefined;
    } catch (error) {
      // The bot is no administrator, the person is not in the chat, or the chat has no such messages.
      if (error instanceof TelegramRefused) return false;
      throw error;
    }
  };
}
