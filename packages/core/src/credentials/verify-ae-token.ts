import type { Actor } from '@latchkey/kernel';
import type { AeContext } from './ae-token.ts';
import { openAeToken } from './open-ae-token.ts';
import { isRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

/** The user a token stands for; throws INVALID_CREDENTIAL when it is not a token of ours that still counts. */
export async function verifyAeToken(ctx: AeContext, token: string): Promise<Actor> {
  const { jti, user } = await openAeToken(ctx, token);
  if (await isRevoked(ctx.db, jti)) throw refusedCredential('AE token');
  return { kind: 'user', ...user };
}
