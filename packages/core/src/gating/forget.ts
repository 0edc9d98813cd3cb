import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure, Person } from '../erasures/index.ts';
import { touchUser } from './touch.ts';

/** Has the roles looked at that the wallets, which are gone now, gave to the person or kept from others who linked them. */
export const rolesErasure: Erasure = {
  columns: [],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, coHolders }) => {
    for (const concerned of [userId, ...coHolders]) await touchUser(tx, concerned, 'wallet');
  },
};

/**
 * Forgets the plans for a person and what the wallets were read to hold. The ledger stays, as the account of what was done
 * in a community, under a name that leads nowhere and without the accounts that were read.
 */
export const gatingErasure: Erasure = {
  columns: [
    'role_plans.decided_by',
    'role_plan_items.user_id',
    'role_pauses.user_id',
    'role_ledger.user_id',
    'read_holdings.account',
    'followed_changes.account',
  ],
  stage: 'once-settled',
  forget: async (_ctx, tx, person) => {
    const { userId, pseudonym } = person;
    await tx.deleteFrom('role_plan_items').where('user_id', '=', userId).execute();
    await tx.deleteFrom('role_pauses').where('user_id', '=', userId).execute();
    await tx.updateTable('role_plans').set({ decided_by: pseudonym }).where('decided_by', '=', userId).execute();
    await sql`
      update role_ledger l set user_id = ${pseudonym}, reason = l.reason - 'rules' || coalesce((
        select jsonb_build_object('rules', jsonb_agg(jsonb_build_object('id', r -> 'id', 'truth', r -> 'truth')))
        from jsonb_array_elements(l.reason -> 'rules') r
      ), '{}')
      where user_id = ${userId}`.execute(tx);
    await forgetHoldings(tx, person);
  },
};

/** What a chain says of an account is public, but here it is kept for the person; not for others who linked the wallet too. */
async function forgetHoldings(tx: Tx, { wallets }: Person): Promise<void> {
  const addresses = wallets.map(({ address }) => address.toLowerCase());
  const { rows } = await sql<{ address: string }>`
    select distinct lower(address) as address from wallet_connections
    where lower(address) = any(${addresses}::text[])`.execute(tx);
  const ofOthers = new Set(rows.map((row) => row.address));
  const gone = addresses.filter((address) => !ofOthers.has(address));
  if (gone.length === 0) return;
  await sql`delete from read_holdings where lower(account) = any(${gone}::text[])`.execute(tx);
  await sql`delete from followed_changes where lower(account) = any(${gone}::text[])`.execute(tx);
}

/** What of a person's roles is still on its way: looks that are due, and changes that are not written. */
export async function countOpenRoleWork(db: Sql, userId: string): Promise<{ waiting: number; underWay: number }> {
  const { rows } = await sql<{ waiting: number; under_way: number }>`
    select
      (select count(*) from role_touches where user_id = ${userId})
        + (select count(*) from role_plan_items i join role_plans p on p.id = i.plan_id
           where i.user_id = ${userId} and i.state in ('planned', 'pending') and p.status <> 'previewed')
        as waiting,
      (select count(*) from role_plan_items where user_id = ${userId} and state = 'sent') as under_way`.execute(db);
  const [row] = rows;
  return { waiting: row?.waiting ?? 0, underWay: row?.under_way ?? 0 };
}
