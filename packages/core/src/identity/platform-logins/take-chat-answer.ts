import { enqueue, hashSecret, type Tx } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { findLocale } from '@latchkey/kernel/messages';
import type { TelegramPerson } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { answerJob } from './jobs.ts';
import { chatPrefix, contentPlace, type LoginContent, readContent } from './login.ts';
import { lockUnanswered, setAnswer } from './queries.ts';

/** Whether a command is the one that a login page makes users send to the bot. */
export function isLoginAnswer(command: string, argument: string): boolean {
  return command === 'start' && argument.startsWith(chatPrefix);
}

/**
 * Handles a user who opened the chat that a login page linked to. Stores who it was, once, and has the bot ask them to
 * confirm. The code itself is not passed on.
 */
export async function takeChatAnswer(
  ctx: Pick<Context, 'clock' | 'keyring'>,
  tx: Tx,
  { chatId, user, argument }: { chatId: string; user: TelegramPerson; argument: string },
): Promise<void> {
  const stateHash = hashSecret(argument.slice(chatPrefix.length));
  const row = await lockUnanswered(tx, stateHash, 'telegram', ctx.clock());
  if (row !== undefined) {
    const content: LoginContent = { ...readContent(ctx, row), answeredBy: { userId: user.id, name: user.name } };
    const sealed = ctx.keyring.seal(contentPlace(stateHash), JSON.stringify(content));
    await setAnswer(tx, stateHash, { content: sealed, answered_at: ctx.clock() });
  }
  const locale = findLocale(user.language ?? '');
  await enqueue(tx, answerJob, { chatId, ...(row && { stateHash }), ...(locale && { locale }) });
}

/** Returns a user whom their chat platform just identified. */
export function chatVisitor(
  { clock }: Pick<Context, 'clock'>,
  { userId, platform, name }: { userId: string; platform: string; name?: string | undefined },
): Extract<Actor, { kind: 'user' }> {
  return {
    kind: 'user',
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes: ['$all'],
    credential: 'chat-session',
    presence: { how: 'chat-login', at: clock() },
  };
}
