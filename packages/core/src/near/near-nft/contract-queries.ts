import { type Hashed, type Sql, sql, type Tx } from '@latchkey/db';
import type { NearAccountRow, NearContractRow, NearSignInSessionRow } from './queries.ts';

export function findContract(db: Sql, network: string, address: string): Promise<NearContractRow | undefined> {
  return db
    .selectFrom('near_contracts')
    .selectAll()
    .where('network', '=', network)
    .where('address', '=', address)
    .executeTakeFirst();
}

/** Returns false if the address is taken. */
export async function insertContract(tx: Tx, row: NearContractRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('near_contracts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function activateContract(
  db: Sql,
  { network, address }: Pick<NearContractRow, 'network' | 'address'>,
  transactionHash: string,
): Promise<void> {
  await db
    .updateTable('near_contracts')
    .set({ state: 'active', transaction_hash: transactionHash })
    .where('network', '=', network)
    .where('address', '=', address)
    .execute();
}

export async function deletePendingContract(db: Sql, network: string, address: string): Promise<void> {
  await db
    .deleteFrom('near_contracts')
    .where('network', '=', network)
    .where('address', '=', address)
    .where('state', '=', 'pending')
    .execute();
}

/** Makes concurrent counts for the same creator wait until this transaction ends. */
export async function lockMaker(tx: Tx, makerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`near-nft:${makerId}`}, 0))`.execute(tx);
}

export async function countContracts(tx: Tx, makerId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('near_contracts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_by_id', '=', makerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Lists the token contracts of one creator, oldest first. */
export function contractsOf(
  db: Sql,
  { network, makerId }: { network: string; makerId: string },
  after: readonly string[] | undefined,
  limit: number,
): Promise<NearContractRow[]> {
  let query = db
    .selectFrom('near_contracts')
    .selectAll()
    .where('network', '=', network)
    .where('created_by_id', '=', makerId)
    .where('kind', '=', 'token')
    .where('state', '=', 'active')
    .orderBy('address')
    .limit(limit);
  const [address] = after ?? [];
  if (address !== undefined) query = query.where('address', '>', address);
  return query.execute();
}

/** Lists every token contract that was created here, from an address on, or after it. */
export function tokenContractsFrom(
  db: Sql,
  network: string,
  { address, isAfter }: { address: string; isAfter: boolean },
  limit: number,
): Promise<NearContractRow[]> {
  return db
    .selectFrom('near_contracts')
    .selectAll()
    .where('network', '=', network)
    .where('kind', '=', 'token')
    .where('state', '=', 'active')
    .where('address', isAfter ? '>' : '>=', address)
    .orderBy('address')
    .limit(limit)
    .execute();
}

export function contractsOfClass(
  db: Sql,
  { network, classification }: { network: string; classification: string },
  after: string | undefined,
  limit: number,
): Promise<NearContractRow[]> {
  return db
    .selectFrom('near_contracts')
    .selectAll()
    .where('network', '=', network)
    .where('classification', '=', classification)
    .where('state', '=', 'active')
    .where('address', '>', after ?? '')
    .orderBy('address')
    .limit(limit)
    .execute();
}

export function marketsMadeHere(db: Sql, network: string, limit: number): Promise<{ address: string }[]> {
  return db
    .selectFrom('near_contracts')
    .select('address')
    .where('network', '=', network)
    .where('kind', '=', 'market')
    .where('state', '=', 'active')
    .orderBy('address')
    .limit(limit)
    .execute();
}

export function accountsOf(db: Sql, network: string, holderId: string): Promise<NearAccountRow[]> {
  return db
    .selectFrom('near_accounts')
    .selectAll()
    .where('network', '=', network)
    .where('created_by_id', '=', holderId)
    .orderBy('created_at')
    .execute();
}

/** Stores an account; an existing one of the same holder keeps its creation data. */
export async function putAccount(tx: Tx, row: NearAccountRow): Promise<void> {
  const { public_key, extra_public_keys, origin, state, transaction_hash } = row;
  await tx
    .insertInto('near_accounts')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'account_id', 'created_by_id'])
        .doUpdateSet({ public_key, extra_public_keys, origin, state, transaction_hash }),
    )
    .execute();
}

export async function deletePendingAccount(
  db: Sql,
  row: Pick<NearAccountRow, 'network' | 'account_id' | 'created_by_id'>,
) {
  await db
    .deleteFrom('near_accounts')
    .where('network', '=', row.network)
    .where('account_id', '=', row.account_id)
    .where('created_by_id', '=', row.created_by_id)
    .where('state', '=', 'pending')
    .execute();
}

export async function insertSession(tx: Tx, row: NearSignInSessionRow): Promise<void> {
  await tx.insertInto('near_sign_in_sessions').values(row).execute();
}

export function findSession(db: Sql, stateHash: Hashed): Promise<NearSignInSessionRow | undefined> {
  return db.selectFrom('near_sign_in_sessions').selectAll().where('state_hash', '=', stateHash).executeTakeFirst();
}

/** Returns true for the one request that ends the session. */
export async function takeSession(tx: Tx, stateHash: Hashed): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('near_sign_in_sessions')
    .where('state_hash', '=', stateHash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
