import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { enqueueUser } from '../followers/index.ts';

/** Has the roles looked at that the wallets, which are gone now, gave to the person or kept from others who linked them. */
export const rolesErasure: Erasure = {
  columns: [],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, coHolders }) => {
    for (const concerned of [userId, ...coHolders]) await enqueueUser(tx, concerned, 'wallet');
  },
};

/**
 * Forgets the change sets for a person and what the wallets were read to hold. The ledger stays, as the account of what was done
 * in a community, under a name that leads nowhere and without the accounts that were read.
 */
export const gatingErasure: Erasure = {
  columns: [
    'change_sets.decided_by',
    'change_set_items.user_id',
    'role_suppressions.user_id',
    'shadow_differences.user_id',
    'role_circuit_breakers.user_id',
    'role_ledger.user_id',
    'read_holdings.account',
    'followed_changes.account',
  ],
  stage: 'once-settled',
  forget: async (_ctx, tx, person) => {
    const { userId, pseudonym } = person;
    await tx.deleteFrom('change_set_items').where('user_id', '=', userId).execute();
    await tx.deleteFrom('role_suppressions').where('user_id', '=', userId).execute();
    await tx.deleteFrom('shadow_differences').where('user_id', '=', userId).execute();
    await tx.deleteFrom('role_circuit_breakers').where('user_id', '=', userId).execute();
    await tx.updateTable('change_sets').set({ decided_by: pseudonym }).where('decided_by', '=', userId).execute();
    await sql`
      update role_ledger set user_id = ${pseudonym}, reason = without_accounts(reason)
      where user_id = ${userId}`.execute(tx);
    await forgetHoldings(
      tx,
      person.wallets.map(({ address }) => address),
    );
  },
};

/**
 * Forgets that wallets which a user does not have any more, or not in this community, were read for the user's roles. What
 * was decided stays.
 */
export async function forgetReadings(
  tx: Tx,
  userId: string,
  addresses: readonly string[],
  communityId: string | undefined,
): Promise<void> {
  if (addresses.length === 0) return;
  const spelled = addresses.map((address) => address.toLowerCase());
  for (const table of ['role_ledger', 'change_set_items'])
    await sql`
      update ${sql.table(table)} set reason = without_accounts(reason)
      where user_id = ${userId} and community_id = coalesce(${communityId ?? null}, community_id) and exists (
        select from unnest(${spelled}::text[]) as a (address) where strpos(lower(reason::text), a.address) > 0
      )`.execute(tx);
  await forgetReadHoldings(tx, userId, await selectUnheld(tx, addresses));
}

/** Those of the addresses that nobody has linked any more, as they were and in small letters. */
async function selectUnheld(tx: Tx, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct address from wallet_connections where address = any(${[...addresses]}::text[])`.execute(tx);
  const held = new Set(rows.map((row) => row.address));
  const unheld = addresses.filter((address) => !held.has(address));
  return [...new Set(unheld.flatMap((address) => [address, address.toLowerCase()]))];
}

// By the rules of the user's communities, so that it takes an index and not a walk through what everybody holds.
async function forgetReadHoldings(tx: Tx, userId: string, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return;
  for (const table of ['read_holdings', 'followed_changes'])
    await sql`
      delete from ${sql.table(table)} h using (
        select distinct r.chain, r.reference, a.account
        from community_members m join rule_assets r on r.community_id = m.community_id,
          unnest(${[...accounts]}::text[]) as a (account)
        where m.user_id = ${userId}
      ) as k
      where h.chain = k.chain and h.reference = k.reference and h.account = k.account`.execute(tx);
}

/** Forgets what accounts hold, wherever it was read. What a chain says is public, but here it was kept for its holder. */
async function forgetHoldings(tx: Tx, addresses: readonly string[]): Promise<void> {
  const gone = (await selectUnheld(tx, addresses)).map((address) => address.toLowerCase());
  if (gone.length === 0) return;
  await sql`delete from read_holdings where lower(account) = any(${gone}::text[])`.execute(tx);
  await sql`delete from followed_changes where lower(account) = any(${gone}::text[])`.execute(tx);
}

/** What of a person's roles is still on its way: looks that are due, and changes that are not written. */
export async function countOpenRoleWork(db: Sql, userId: string): Promise<{ waiting: number; inProgress: number }> {
  const { rows } = await sql<{ waiting: number; under_way: number }>`
    select
      (select count(*) from reconcile_queue where user_id = ${userId})
        + (select count(*) from change_set_items i join change_sets p on p.id = i.change_set_id
           where i.user_id = ${userId} and i.state in ('planned', 'pending') and p.status <> 'previewed')
        as waiting,
      (select count(*) from change_set_items where user_id = ${userId} and state = 'sent') as under_way`.execute(db);
  const [row] = rows;
  return { waiting: row?.waiting ?? 0, inProgress: row?.under_way ?? 0 };
}
