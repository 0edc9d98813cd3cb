import type { Erasure } from '../erasures/index.ts';
import { aeSkewSeconds, maxAeTtlSeconds } from './ae-token.ts';
import { erasureMarks } from './erasure-marks.ts';
import { insertRevoked } from './queries.ts';

/** Makes every token of a person stop: those that are stored are deleted, and AE tokens of before count no more. */
export const credentialsErasure: Erasure = {
  columns: ['access_tokens.user_id', 'access_tokens.user_name'],
  stage: 'at-once',
  forget: async (ctx, tx, { userId, clientIds }) => {
    await tx
      .deleteFrom('access_tokens')
      .where((eb) => eb.or([eb('user_id', '=', userId), eb('client_id', '=', eb.fn.any(eb.val([...clientIds])))]))
      .execute();
    const [mark] = erasureMarks(ctx.keyring, userId);
    const until = new Date(ctx.clock().getTime() + (maxAeTtlSeconds + aeSkewSeconds) * 1000);
    if (mark !== undefined) await insertRevoked(tx, mark, until);
  },
};
