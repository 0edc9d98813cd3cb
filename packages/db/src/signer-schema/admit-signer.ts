import type pg from 'pg';
import { withLogin } from '../connection/database-url.ts';

/** The role that owns the keys of hosted wallets. An operator who creates the schema may give it to another role. */
export const signerRole = 'latchkey_signer';
export const signerSchema = 'signer';

/**
 * Lets the signer's role create its schema in this database. Only the owner of a database can; if that is another role,
 * the operator does it. The schema cannot be created for the role: a role that may assign ownership to another may also
 * become it.
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

/** Returns the URL for the signer's role, where roles need no password: on the embedded server. */
export function signerUrlOf(url: string): string {
  return withLogin(url, signerRole);
}
