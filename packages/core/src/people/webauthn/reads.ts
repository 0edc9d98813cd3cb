import { notFound, type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type DeviceCredential, toRecord } from './credential.ts';
import { findCredential, listCredentials } from './queries.ts';

/** Who owns a passkey, asked before anything is known about the caller's rights to it. */
export async function ownerOfCredential(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await findCredential(ctx.db.system, id))?.user_id;
}

/** All passkeys of the caller: there are fewer than fit on one page. */
export async function getCredentials(
  ctx: Pick<Context, 'actor' | 'tx'>,
  { rpId }: { rpId?: string | undefined },
): Promise<Page<DeviceCredential>> {
  const rows = await ctx.tx((tx) => listCredentials(tx, principalId(ctx.actor), rpId));
  return { items: rows.map(toRecord) };
}

export async function getCredential(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<DeviceCredential> {
  const row = await ctx.tx((tx) => findCredential(tx, id));
  if (row === undefined) throw notFound('passkey');
  return toRecord(row);
}
