import { hashSecret } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { markAccessTokenRevoked } from './queries.ts';

/** Takes a token back. An unknown token is no error (RFC 7009): what the caller wants is already so. */
export async function revokeAccessToken(ctx: Pick<Context, 'clock' | 'db'>, token: string): Promise<void> {
  await markAccessTokenRevoked(ctx.db.system, hashSecret(token), ctx.clock());
}
