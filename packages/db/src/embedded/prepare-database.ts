import pg from 'pg';
import { errorCode } from './error.ts';

export const applicationRole = 'latchkey';
export const applicationDatabase = 'latchkey';

/** Makes the role and the database that the application uses, if they are not there yet. */
export async function prepareDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as role,
              exists (select from pg_database where datname = $2) as database`,
      [applicationRole, applicationDatabase],
    );
    const [found] = rows;
    // No superuser, or row-level policies would not hold.
    if (!found?.role) await create(client, `create role ${applicationRole} login nosuperuser nocreatedb nocreaterole`);
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
