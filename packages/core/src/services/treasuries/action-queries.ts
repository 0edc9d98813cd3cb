import { asJson, type Sql, sql, type Tx } from '@latchkey/db';
import type { StoredCall } from './queries.ts';

/** What an action moves. Amounts and ids are decimal digits in the smallest unit. */
export interface ActionContent {
  to?: string;
  standard?: 'coin' | 'erc20' | 'erc721' | 'erc1155';
  token?: string;
  tokenId?: string;
  amount?: string;
  newOwner?: string;
}

export interface ActionRow {
  id: string;
  safe_address: string;
  kind: 'deployment' | 'transfer' | 'handoff';
  state: 'proposed' | 'waiting' | 'sent' | 'done' | 'failed';
  requested_by_id: string;
  content: ActionContent;
  call: StoredCall | null;
  nonce: string | null;
  typed_data: string | null;
  signature: string | null;
  tx_hashes: string[];
  tx_hash: string | null;
  problem: string | null;
  created_at: Date;
  updated_at: Date;
  expires_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    treasury_actions: ActionRow;
  }
}

export async function insertAction(tx: Tx, row: ActionRow): Promise<ActionRow> {
  await tx
    .insertInto('treasury_actions')
    .values({ ...row, content: asJson(row.content), call: row.call === null ? null : asJson(row.call) })
    .execute();
  return row;
}

export function findAction(db: Sql, id: string): Promise<ActionRow | undefined> {
  return db.selectFrom('treasury_actions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the deployment or transfer in progress. */
export function findOpen(db: Sql, safeAddress: string, which: 'deployment' | 'move'): Promise<ActionRow | undefined> {
  return db
    .selectFrom('treasury_actions')
    .selectAll()
    .where('safe_address', '=', safeAddress)
    .where('state', 'in', ['waiting', 'sent'])
    .where('kind', which === 'deployment' ? '=' : '<>', 'deployment')
    .executeTakeFirst();
}

/** Finds the last deployment on the chain, preferring one of our own transactions. */
export function findDeployed(db: Sql, safeAddress: string): Promise<ActionRow | undefined> {
  return db
    .selectFrom('treasury_actions')
    .selectAll()
    .where('safe_address', '=', safeAddress)
    .where('kind', '=', 'deployment')
    .where('state', '=', 'done')
    .orderBy(sql`tx_hash is null`)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
}

export async function updateAction(
  db: Sql,
  id: string,
  values: Partial<Pick<ActionRow, 'state' | 'signature' | 'tx_hashes' | 'tx_hash' | 'problem' | 'expires_at'>> & {
    updated_at: Date;
  },
): Promise<void> {
  await db.updateTable('treasury_actions').set(values).where('id', '=', id).execute();
}

/** Proposals that were never approved are not part of the history. */
export async function deleteExpired(tx: Tx, safeAddress: string, now: Date): Promise<void> {
  await tx
    .deleteFrom('treasury_actions')
    .where('safe_address', '=', safeAddress)
    .where('state', '=', 'proposed')
    .where('expires_at', '<=', now)
    .execute();
}

export async function countProposed(tx: Tx, safeAddress: string): Promise<number> {
  const { count } = await tx
    .selectFrom('treasury_actions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('safe_address', '=', safeAddress)
    .where('state', '=', 'proposed')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Lists the actions after `after`, newest first; proposals that were not approved in time are omitted. */
export function listActions(
  db: Sql,
  safeAddress: string,
  now: Date,
  after: readonly string[] | undefined,
  limit: number,
): Promise<ActionRow[]> {
  const [createdAt, id] = after ?? [];
  return db
    .selectFrom('treasury_actions')
    .selectAll()
    .where('safe_address', '=', safeAddress)
    .where((eb) => eb.or([eb('state', '<>', 'proposed'), eb('expires_at', '>', now)]))
    .$if(createdAt !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${createdAt}::timestamptz, ${id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
