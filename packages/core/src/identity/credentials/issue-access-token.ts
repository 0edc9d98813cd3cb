import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { newAccessToken, type TokenHolder } from './access-token.ts';
import { insertAccessToken } from './queries.ts';

export interface AccessTokenRequest {
  holder: TokenHolder;
  scopes: readonly string[];
  ttlSeconds: number;
}

/**
 * Issues an opaque token of 256 random bits, of which only the hash is stored. Written as the system, not as a tenant.
 */
export async function issueAccessToken(
  ctx: Pick<Context, 'clock' | 'db' | 'random'>,
  { holder, scopes, ttlSeconds }: AccessTokenRequest,
): Promise<{ token: string; expiresAt: Date }> {
  if (!(ttlSeconds > 0)) throw new Error(`An access token must be valid for more than ${ttlSeconds} seconds.`);
  const token = newAccessToken(ctx.random);
  const issuedAt = ctx.clock();
  const expiresAt = addSeconds(issuedAt, ttlSeconds);
  const user = holder.kind === 'user' ? holder : undefined;
  const row = {
    token_hash: hashSecret(token),
    user_id: user?.userId ?? null,
    platform: user?.platform ?? null,
    user_name: user?.name ?? null,
    client_id: holder.clientId ?? null,
    scopes: [...scopes],
    issued_at: issuedAt,
    expires_at: expiresAt,
    revoked_at: null,
    grant_id: null,
    details: null,
    relied_on: null,
  };
  await insertAccessToken(ctx.db.system, row);
  return { token, expiresAt };
}
