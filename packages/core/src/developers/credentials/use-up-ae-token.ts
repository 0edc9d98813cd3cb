import { hashSecret } from '@latchkey/db';
import { type Actor, credentialKinds } from '@latchkey/kernel';
import type { AeContext } from './ae-token.ts';
import { openAeToken } from './open-ae-token.ts';
import { burnNonce, insertRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';
import { verifyAeToken } from './verify-ae-token.ts';

/**
 * The user who logged in with a token, once: of several who send it at the same time one gets an answer, and later
 * nobody. A token that was made for one purpose or for one application proves no login.
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
