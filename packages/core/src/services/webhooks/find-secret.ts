import type { Sealed } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { oldSecretPlace, secretPlace } from './secret-place.ts';

interface SealedSecrets {
  clientId: string;
  secret: Sealed;
  oldSecret: Sealed | null;
  oldSecretEndsAt: Date | null;
}

/** Returns the current signing secrets, newest first. */
export function openSecrets(
  { clock, keyring }: Pick<Context, 'clock' | 'keyring'>,
  { clientId, secret, oldSecret, oldSecretEndsAt }: SealedSecrets,
): string[] {
  const newest = keyring.openText(secretPlace(clientId), secret);
  if (oldSecret === null || oldSecretEndsAt === null || oldSecretEndsAt <= clock()) return [newest];
  return [newest, keyring.openText(oldSecretPlace(clientId), oldSecret)];
}

/** Returns the secrets that sign calls to an application, newest first; empty if it has none. */
export async function findWebhookSecrets(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  clientId: string,
): Promise<string[]> {
  const row = await ctx.db.system
    .selectFrom('webhook_endpoints')
    .select(['secret', 'old_secret as oldSecret', 'old_secret_ends_at as oldSecretEndsAt'])
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row === undefined ? [] : openSecrets(ctx, { clientId, ...row });
}
