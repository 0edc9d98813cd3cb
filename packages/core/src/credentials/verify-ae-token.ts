import type { Actor } from '@latchkey/kernel';
import type { AeContext } from './ae-token.ts';
import { erasedAt, erasureMarks } from './erasure-marks.ts';
import { openAeToken } from './open-ae-token.ts';
import { findRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

/** The user a token stands for; throws INVALID_CREDENTIAL when it is not a token of ours that still counts. */
export async function verifyAeToken(ctx: AeContext, token: string): Promise<Actor> {
  const { jti, user, issuedAt } = await openAeToken(ctx, token);
  const marks = erasureMarks(ctx.keyring, user.userId);
  const revoked = await findRevoked(ctx.db, [jti, ...marks]);
  const isOfErased = marks.some((mark) => {
    const until = revoked.get(mark);
    return until !== undefined && issuedAt <= erasedAt(until);
  });
  if (revoked.has(jti) || isOfErased) throw refusedCredential('AE token');
  return { kind: 'user', ...user };
}
