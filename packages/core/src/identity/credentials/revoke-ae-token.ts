import type { AeContext } from './ae-token.ts';
import { openAeToken } from './open-ae-token.ts';
import { insertRevoked } from './queries.ts';

/** Revokes a token early. Doing it twice is not an error; a foreign token is. */
export async function revokeAeToken(ctx: AeContext, token: string): Promise<void> {
  const { jti, refusedFrom } = await openAeToken(ctx, token);
  await insertRevoked(ctx.db.system, jti, refusedFrom);
}
