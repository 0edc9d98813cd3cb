import { PlatformFailed, type TelegramButton } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

/** Sends a message unless the recipient does not want it: a user who blocked the bot is not messaged again and again. */
export async function sendMessage(
  { telegram }: Pick<Context, 'telegram'>,
  chatId: string,
  words: string,
  button: TelegramButton | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    await telegram?.send(chatId, words, button, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailed) || error.kind === 'unavailable') throw error;
  }
}
