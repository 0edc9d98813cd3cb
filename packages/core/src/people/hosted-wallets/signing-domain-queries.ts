import type { Sql } from '@latchkey/db';

/** A domain of typed data that an application may have signed. */
export interface SigningDomainRow {
  client_id: string;
  domain: string;
  notes: string | null;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    signing_domains: SigningDomainRow;
  }
}

export async function hasDomain(db: Sql, clientId: string, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('signing_domains')
    .select('domain')
    .where('client_id', '=', clientId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return row !== undefined;
}

/** Does nothing when the application has it. */
export async function insertDomain(db: Sql, row: SigningDomainRow): Promise<void> {
  await db
    .insertInto('signing_domains')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteDomain(db: Sql, clientId: string, domain: string): Promise<boolean> {
  const result = await db
    .deleteFrom('signing_domains')
    .where('client_id', '=', clientId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export function listDomains(db: Sql, clientId: string | undefined): Promise<SigningDomainRow[]> {
  const query = db.selectFrom('signing_domains').selectAll().orderBy('client_id').orderBy('domain');
  return (clientId === undefined ? query : query.where('client_id', '=', clientId)).execute();
}
