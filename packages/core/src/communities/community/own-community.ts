import type { Tx } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import { type CommunityRow, lockCommunity, selectCommunity } from './queries.ts';

/** The community that `id` names, as far as the tenant of the transaction may see it. */
export async function getCommunity(tx: Tx, id: string): Promise<CommunityRow> {
  const row = await selectCommunity(tx, id);
  if (row === undefined) throw notFound('community');
  return row;
}

/** The same, and nobody else can change the community until the transaction ends. */
export async function lockOwnCommunity(tx: Tx, id: string): Promise<CommunityRow> {
  const row = await lockCommunity(tx, (await getCommunity(tx, id)).id);
  if (row === undefined) throw notFound('community');
  return row;
}
