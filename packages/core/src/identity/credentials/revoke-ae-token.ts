import type { AeContext } from './ae-token.ts';
import { openAeToken } from './open-ae-token.ts';
import { insertRevoked } from './queries.ts';

/** Takes a token back before its time. Doing it twice is no error; a token that is none of ours is. */
export async function revokeAeToken(ctx: AeContext, token: string): Promise<void> {
  const { jti, refusedFrom } = await openAeToken(ctx, token);
  await insertRevoked(ctx.db.system, jti, refusedFrom);
}
