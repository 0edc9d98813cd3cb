import type { Actor, ClientRef } from '@latchkey/kernel';
import type { FindClient } from './access-token.ts';
import type { AeContext } from './ae-token.ts';
import { endedAt, endMarks } from './end-marks.ts';
import { openAeToken } from './open-ae-token.ts';
import { findRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

/**
 * The user a token stands for; throws INVALID_CREDENTIAL when it is not a token of ours that still counts. One that was
 * made for an application counts only where applications are known.
 */
export async function verifyAeToken(
  ctx: AeContext,
  token: string,
  findClient?: FindClient,
): Promise<Extract<Actor, { kind: 'user' }>> {
  const { jti, user, issuedAt } = await openAeToken(ctx, token);
  const marks = endMarks(ctx.keyring, user.userId);
  const revoked = await findRevoked(ctx.db, [jti, ...marks]);
  const hasEnded = marks.some((mark) => {
    const until = revoked.get(mark);
    return until !== undefined && issuedAt <= endedAt(until);
  });
  if (revoked.has(jti) || hasEnded) throw refusedCredential('AE token');
  const { clientId, ...person } = user;
  if (clientId === undefined) return { kind: 'user', ...person, sessionId: jti };
  const client = await findClient?.(clientId);
  if (client === undefined) throw refusedCredential('AE token');
  return { kind: 'user', ...person, sessionId: jti, client: withoutInternal(client) };
}

/** What is reserved for the operator's own applications stays with their keys: a page cannot hold it. */
function withoutInternal(client: ClientRef): ClientRef {
  return { ...client, allowedScopes: (client.allowedScopes ?? ['$all']).filter((scope) => scope !== '$internal') };
}
