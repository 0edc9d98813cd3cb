import { hashSecret } from '@latchkey/db';
import { principalId } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { insertLinkChallenge } from './queries.ts';

export const linkTtlSeconds = 15 * 60;

/** Writes the message by whose signature a wallet is linked to the caller's account, and remembers it for 15 minutes. */
export async function createLinkChallenge(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'settings' | 'tx'>,
): Promise<string> {
  const { actor, settings } = ctx;
  const userId = principalId(actor);
  const name = actor.kind === 'user' ? actor.name : undefined;
  const issuedAt = ctx.clock();
  const expiresAt = new Date(issuedAt.getTime() + linkTtlSeconds * 1000);
  const message = [
    `${new URL(settings.baseUrl).host} asks you to link this wallet to an account.`,
    '',
    'This only proves that the wallet is yours; it costs nothing and moves nothing.',
    '',
    `Account: ${userId}${name === undefined ? '' : ` (${printable(name)})`}`,
    `URI: ${settings.baseUrl}`,
    'Version: 1',
    `Nonce: ${ctx.random.id(24)}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');
  await ctx.tx((tx) =>
    insertLinkChallenge(tx, {
      message_hash: hashSecret(message),
      user_id: userId,
      message,
      created_at: issuedAt,
      expires_at: expiresAt,
    }),
  );
  return message;
}

// Names come from chat platforms: a line break in one would write further lines of the message.
function printable(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 100);
}
