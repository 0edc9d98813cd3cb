import { type Sql, sql } from '@latchkey/db';

/** When and by which transaction a token was minted. */
export interface NearMint {
  transactionHash: string;
  at: Date;
}

/** Finds the latest mint of each of these tokens of a contract, as far as it is indexed. */
export async function findMints(
  db: Sql,
  contract: string,
  tokenIds: readonly string[],
): Promise<Map<string, NearMint>> {
  const { rows } = await sql<{ token_id: string; transaction_hash: string; block_time: string }>`
    select distinct on (m.token_id) m.token_id, m.transaction_hash, r.block_time
    from near_token_mints m join near_seen_receipts r on r.id = m.receipt_id
    where m.contract = ${contract} and m.token_id = any (${tokenIds}::text[])
    order by m.token_id, r.height desc`.execute(db);
  return new Map(
    rows.map((row) => [row.token_id, { transactionHash: row.transaction_hash, at: dateOfNs(row.block_time) }]),
  );
}

function dateOfNs(nanoseconds: string): Date {
  return new Date(Number(BigInt(nanoseconds) / 1_000_000n));
}
