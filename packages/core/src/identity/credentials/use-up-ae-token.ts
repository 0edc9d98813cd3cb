import { hashSecret } from '@latchkey/db';
import { type Actor, type ClientRef, credentialKinds } from '@latchkey/kernel';
import type { FindClient } from './access-token.ts';
import type { AeContext } from './ae-token.ts';
import { endedAt, endMarks } from './end-marks.ts';
import { openAeToken } from './open-ae-token.ts';
import { burnNonce, findRevoked, insertRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

/**
 * The user who logged in with a token, once: of several who send it at the same time one gets an answer, and later
 * no one. A token that was made for one purpose or for one application proves no login.
 */
export async function useUpAeToken(ctx: AeContext, token: string): Promise<Extract<Actor, { kind: 'user' }>> {
  const user = await verifyAeToken(ctx, token);
  if (user.purpose !== undefined || !credentialKinds[user.credential].logsIn) throw refusedCredential('AE token');
  const { jti, refusedFrom } = await openAeToken(ctx, token);
  if (!(await burnNonce(ctx.db.system, hashSecret(`ae-token:${jti}`), refusedFrom)))
    throw refusedCredential('AE token');
  await insertRevoked(ctx.db.system, jti, refusedFrom);
  return user;
}

/**
 * The user of a token; throws INVALID_CREDENTIAL when it is not a token of ours that still counts. One that was
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
