import type pg from 'pg';
import { withLogin } from '../connection/database-url.ts';

/** The role that hosted wallets' keys belong to. An operator who makes the schema himself may give it to another. */
export const signerRole = 'latchkey_signer';
export const signerSchema = 'signer';

/**
 * Lets the signer's role create its schema in this database. Only the owner of a database can; where that is another role,
 * the operator does it. The role cannot be given the schema itself: a role that may give it away may also take its place.
 */
export async function admitSigner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('grant connect, create on database %I to %I', datname, rolname) as statement
     from pg_database, pg_roles
     where datname = current_database() and pg_has_role(datdba, 'usage')
       and rolname = $1 and not has_database_privilege(rolname, datname, 'create')`,
    [signerRole],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** The same database for the signer's role, where roles need no password: on the embedded server. */
export function signerUrlOf(url: string): string {
  return withLogin(url, signerRole);
}
