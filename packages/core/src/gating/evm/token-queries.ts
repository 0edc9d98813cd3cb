import { type Sql, sql } from '@latchkey/db';
import type { ContractMetadata } from '../../ports/index.ts';

export type TokenStandard = NonNullable<ContractMetadata['standard']>;

export interface EvmTokenRow {
  chain_id: number;
  address: string;
  expected_standard: TokenStandard | null;
  icon: string | null;
  standard: TokenStandard | null;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  added_at: Date;
  due_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    evm_tokens: EvmTokenRow;
    hidden_evm_tokens: { chain_id: number; address: string; hidden_at: Date };
  }
}

type NewToken = Pick<EvmTokenRow, 'chain_id' | 'address' | 'expected_standard'>;

/** Adds contracts that are not stored yet; existing ones stay unchanged. */
export async function insertTokens(db: Sql, tokens: readonly NewToken[], now: Date): Promise<void> {
  if (tokens.length === 0) return;
  // Sorted, so that two inserts cannot deadlock.
  const rows = tokens.toSorted((a, b) => a.chain_id - b.chain_id || a.address.localeCompare(b.address));
  await db
    .insertInto('evm_tokens')
    .values(rows.map((row) => ({ ...row, added_at: now, due_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Hides a well-known token from the list, unless a rule names it. */
export async function hideToken(db: Sql, chainId: number, address: string, now: Date): Promise<void> {
  await db
    .insertInto('hidden_evm_tokens')
    .values({ chain_id: chainId, address, hidden_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function selectHidden(db: Sql, chainId: number): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('hidden_evm_tokens').select('address').where('chain_id', '=', chainId).execute();
  return new Set(rows.map(({ address }) => address));
}

export async function setIcon(db: Sql, chainId: number, address: string, icon: string): Promise<void> {
  await db
    .updateTable('evm_tokens')
    .set({ icon })
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .execute();
}

/** Returns false if it did not exist. */
export async function deleteToken(db: Sql, chainId: number, address: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('evm_tokens')
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .executeTakeFirst();
  return deleted.numDeletedRows === 1n;
}

export function selectTokens(db: Sql, chainId: number, limit: number): Promise<EvmTokenRow[]> {
  return db
    .selectFrom('evm_tokens')
    .selectAll()
    .where('chain_id', '=', chainId)
    .orderBy('added_at')
    .orderBy('address')
    .limit(limit)
    .execute();
}

/** Claims contracts whose metadata is due to be read, so that other processes skip them until `until`. */
export async function claimDue(db: Sql, chainId: number, now: Date, until: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    update evm_tokens set due_at = ${until}
    where (chain_id, address) in (
      select chain_id, address from evm_tokens
      where chain_id = ${chainId} and due_at <= ${now}
      order by due_at, address limit ${limit} for update skip locked
    )
    returning address`.execute(db);
  return rows.map(({ address }) => address);
}

export async function saveMetadata(
  db: Sql,
  chainId: number,
  address: string,
  metadata: ContractMetadata,
  dueAt: Date,
): Promise<void> {
  const { standard = null, name = null, symbol = null, decimals = null } = metadata;
  await db
    .updateTable('evm_tokens')
    .set({ standard, name, symbol, decimals, due_at: dueAt })
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .execute();
}

/** Known contracts, by `evm:<chain id>/<address>`. */
export async function selectNamed(
  db: Sql,
  keys: readonly string[],
): Promise<Pick<EvmTokenRow, 'chain_id' | 'address' | 'symbol' | 'name'>[]> {
  const wanted = keys.flatMap((key) => {
    const [, chain_id, address] = /^evm:([1-9]\d{0,14})\/(0x[0-9a-f]{40})$/.exec(key) ?? [];
    return chain_id === undefined ? [] : [{ chain_id, address }];
  });
  if (wanted.length === 0) return [];
  const { rows } = await sql<Pick<EvmTokenRow, 'chain_id' | 'address' | 'symbol' | 'name'>>`
    select t.chain_id, t.address, t.symbol, t.name from evm_tokens t
    join jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (chain_id bigint, address text)
      on t.chain_id = w.chain_id and t.address = w.address`.execute(db);
  return rows;
}
