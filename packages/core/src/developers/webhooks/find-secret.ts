import type { Context } from '../../context.ts';
import { secretPlace } from './endpoint.ts';

/** The secret that calls to an application are signed with, if it has one. */
export async function findWebhookSecret(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  clientId: string,
): Promise<string | undefined> {
  const row = await db.system
    .selectFrom('webhook_endpoints')
    .select('secret')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && keyring.openText(secretPlace(clientId), row.secret);
}
