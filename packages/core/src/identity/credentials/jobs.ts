import { deleteExpired } from '@latchkey/db';
import { job, type Schedule, T } from '@latchkey/kernel';
import { deleteOldRequests } from '../../services/requests/index.ts';
import { deleteOldKeys } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

/** Tables whose rows can be deleted once they expire. */
const expiring = ['access_tokens', 'sessions', 'console_sessions', 'revoked_tokens', 'used_nonces'] as const;

/** Deletes expired credentials. Returns how many rows were deleted. */
export async function purgeExpiredCredentials(
  ctx: Pick<Context, 'clock' | 'db'>,
  signal?: AbortSignal,
): Promise<number> {
  let swept = await deleteOldKeys(ctx);
  for (const table of expiring) swept += await deleteExpired(ctx.db.system, table, 'expires_at', ctx.clock(), signal);
  return swept + (await deleteOldRequests(ctx, signal));
}

const nothing = T.Unsafe<Record<string, never>>(T.Object({}, { additionalProperties: false }));

const purgeJob = job(
  'credentials.purge',
  { payload: nothing, timeoutSeconds: 600 },
  async (ctx: Pick<Context, 'clock' | 'db' | 'log'>, _payload, { signal }) => {
    const purged = await purgeExpiredCredentials(ctx, signal);
    ctx.log.debug('Expired credentials were deleted.', { purged });
  },
);

export const credentialJobs = [purgeJob];

export const credentialSchedules: readonly Schedule[] = [
  { name: 'credentials.purge', cron: '37 * * * *', job: purgeJob },
];
