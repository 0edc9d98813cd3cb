import { type RawBuilder, sql, type Tx } from '@latchkey/db';
import { selectUnlinked } from '../../identity/wallets/index.ts';
import type { Erasure } from '../../shared/module.ts';
import './tables.ts';

/**
 * Deletes the holdings of a person's wallets. A chain's state is public, but it was stored here because of this person.
 */
export const holdingsErasure: Erasure = {
  columns: ['read_holdings.account', 'followed_changes.account'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { wallets }) => {
    const addresses = wallets.map(({ address }) => address);
    const gone = (await selectUnlinked(tx, addresses)).map((address) => address.toLowerCase());
    if (gone.length === 0) return;
    await sql`delete from read_holdings where lower(account) = any(${gone}::text[])`.execute(tx);
    await sql`delete from followed_changes where lower(account) = any(${gone}::text[])`.execute(tx);
  },
};

/** Deletes the holdings of accounts in these assets. Naming the assets lets the delete use an index. */
export async function forgetHoldingsIn(
  tx: Tx,
  assets: RawBuilder<{ chain: string; reference: string }>,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  for (const table of ['read_holdings', 'followed_changes'])
    await sql`
      delete from ${sql.table(table)} h using (
        select distinct r.chain, r.reference, a.account
        from (${assets}) r, unnest(${[...accounts]}::text[]) as a (account)
      ) as k
      where h.chain = k.chain and h.reference = k.reference and h.account = k.account`.execute(tx);
}
