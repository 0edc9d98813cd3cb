import type { Erasure } from '../../machinery/erasures/index.ts';
import { endSessionsOf } from './end-sessions.ts';

/** Makes every token of a person stop: those that are stored are deleted, and AE tokens of before count no more. */
export const credentialsErasure: Erasure = {
  columns: [
    'access_tokens.user_id',
    'access_tokens.user_name',
    'console_sessions.user_id',
    'console_sessions.user_name',
    'sessions.user_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, { userId, clientIds }) => {
    await tx
      .deleteFrom('access_tokens')
      .where((eb) => eb.or([eb('user_id', '=', userId), eb('client_id', '=', eb.fn.any(eb.val([...clientIds])))]))
      .execute();
    await endSessionsOf(ctx, tx, userId);
  },
};
