import pg from 'pg';
import { signerRole } from '../signer-schema/admit-signer.ts';
import { tenantRole } from '../tenant-login/admit-tenants.ts';
import { errorCode } from './error.ts';

export const applicationRole = 'latchkey';
export const applicationDatabase = 'latchkey';
const roles = [applicationRole, tenantRole, signerRole];

/** Makes the roles and the database that the application uses, if they are not there yet. */
export async function prepareDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ roles: string[]; database: boolean }>(
      `select array(select rolname::text from pg_roles where rolname = any ($1)) as roles,
              exists (select from pg_database where datname = $2) as database`,
      [roles, applicationDatabase],
    );
    const [found] = rows;
    for (const role of roles) {
      // No superuser, or row-level policies would not hold.
      if (!found?.roles.includes(role))
        await create(client, `create role ${role} login nosuperuser nocreatedb nocreaterole`);
    }
    if (!found?.database) await create(client, `create database ${applicationDatabase} owner ${applicationRole}`);
  } finally {
    await client.end();
  }
}

const alreadyThere = new Set(['42710', '42P04', '23505']);

async function create(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    // Two processes can start at the same moment; either one's work serves both.
    if (!alreadyThere.has(errorCode(error) ?? '')) throw error;
  }
}
