import { hashSecret } from '@latchkey/db';
import { type Actor, type ClientRef, credentialKinds } from '@latchkey/kernel';
import type { FindClient } from './access-token.ts';
import type { AeContext } from './ae-token.ts';
import { endedAt, endMarks } from './end-marks.ts';
import { openAeToken } from './open-ae-token.ts';
import { burnNonce, findRevoked, insertRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

/**
 * Returns the user of a token and consumes it: of several concurrent uses one succeeds, and no later one. A token that
 * was issued for one purpose or one application does not prove a sign-in.
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
 * Returns the user of a token; throws INVALID_CREDENTIAL if it is not a valid token of ours. One that was issued for an
 * application is accepted only if `findClient` is given.
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

/** The internal scope stays with the API keys of the operator's own applications: a page cannot have it. */
function withoutInternal(client: ClientRef): ClientRef {
  return { ...client, allowedScopes: (client.allowedScopes ?? ['$all']).filter((scope) => scope !== '$internal') };
}
