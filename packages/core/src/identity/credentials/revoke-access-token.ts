import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { markAccessTokenRevoked } from './queries.ts';

/** Revokes a token. An unknown token is not an error (RFC 7009): the result is already what the caller wants. */
export async function revokeAccessToken(ctx: Pick<Context, 'clock' | 'db'>, token: string): Promise<void> {
  await markAccessTokenRevoked(ctx.db.system, hashSecret(token), ctx.clock());
}
