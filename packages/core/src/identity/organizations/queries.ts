import { type Sql, sql, type Tx } from '@latchkey/db';

/** A stored organization. */
export interface OrganizationRow {
  id: string;
  created_by_id: string;
  name: string;
  email: string;
  plan_id: string;
  created_at: Date;
  code_requested_at: Date;
  verified_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    organizations: OrganizationRow;
  }
}

/** Serializes everything that one user does to organizations and their one-time passwords. */
export async function lockOwner(tx: Tx, ownerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`organizations:${ownerId}`}, 0))`.execute(tx);
}

export function selectOrganization(db: Sql, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Selects the plan of the organization in a column, in parentheses, for a prepared statement. */
export const planIdInOrganization = (column: string) => `(select plan_id from organizations where id = ${column})`;

/** Makes concurrent changes of the same organization wait until this transaction ends. */
export function lockOrganization(tx: Tx, id: string): Promise<OrganizationRow | undefined> {
  return tx.selectFrom('organizations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export function selectOrganizationsOf(tx: Tx, ownerId: string): Promise<OrganizationRow[]> {
  return ofOwner(tx, ownerId).execute();
}

/** Returns the confirmed e-mail addresses of a user's organizations. */
export function selectMailboxesOf(db: Sql, ownerId: string): Promise<Pick<OrganizationRow, 'id' | 'email'>[]> {
  return db
    .selectFrom('organizations')
    .select(['id', 'email'])
    .where('created_by_id', '=', ownerId)
    .where('verified_at', 'is not', null)
    .orderBy('id')
    .execute();
}

/** Lists the oldest request for a one-time password first. */
export function selectUnverifiedOf(tx: Tx, ownerId: string): Promise<OrganizationRow[]> {
  return ofOwner(tx, ownerId).where('verified_at', 'is', null).clearOrderBy().orderBy('code_requested_at').execute();
}

function ofOwner(tx: Tx, ownerId: string) {
  return tx
    .selectFrom('organizations')
    .selectAll()
    .where('created_by_id', '=', ownerId)
    .orderBy('created_at')
    .orderBy('id');
}

export async function deleteUnverifiedOf(tx: Tx, ownerId: string, requestedBefore: Date): Promise<void> {
  await tx
    .deleteFrom('organizations')
    .where('created_by_id', '=', ownerId)
    .where('verified_at', 'is', null)
    .where('code_requested_at', '<=', requestedBefore)
    .execute();
}

export async function insertOrganization(tx: Tx, row: OrganizationRow): Promise<OrganizationRow> {
  await tx.insertInto('organizations').values(row).execute();
  return row;
}

export function updateOrganization(
  tx: Tx,
  id: string,
  change: Partial<Pick<OrganizationRow, 'code_requested_at' | 'plan_id' | 'verified_at'>>,
): Promise<OrganizationRow | undefined> {
  return tx.updateTable('organizations').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}
