import { memoryLog } from '@latchkey/core/testing';
import { type Database, openDatabase } from '@latchkey/db';
import { patientDatabase, type TestServer } from './test-server.ts';

type Query = (text: string, name?: string) => Promise<Record<string, unknown>[]>;

const databases = new Map<string, Database>();

/** Queries the database as its superuser, which bypasses every row policy. */
export function asSuperuser<Result>(
  { adminDatabaseUrl: url }: Pick<TestServer, 'adminDatabaseUrl'>,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  // Stays open for reuse, until the database is dropped: a new connection loads every table again.
  const db = databases.get(url) ?? openDatabase({ url, log: memoryLog(), maxConnections: 2, ...patientDatabase });
  databases.set(url, db);
  return work(async (text, name) => (await db.pool.query({ text, ...(name !== undefined && { name }) })).rows);
}

export async function listTables(query: Query): Promise<string[]> {
  const rows = await query("select tablename from pg_tables where schemaname = 'public' order by tablename");
  return rows.map(({ tablename }) => String(tablename));
}

/** Tables in which the server records every call, including refused ones. */
const traces = ['app_calls', 'app_call_days', 'app_key_uses'];

/** Returns how many rows each table has, and a hash of all of them. */
export function fingerprintTables(server: TestServer): Promise<Record<string, string>> {
  return asSuperuser(server, async (query) => {
    const tables = (await listTables(query)).filter((table) => !traces.includes(table));
    const prints = tables.map(
      (table) => `
        select '${table}' as name, count(*) || ' rows ' || coalesce(md5(string_agg(hash, '' order by hash)), '') as print
        from (select md5(t::text) as hash from "${table}" t) hashed`,
    );
    const rows = await query(prints.join(' union all '), 'fingerprint');
    return Object.fromEntries(rows.map(({ name, print }) => [String(name), String(print)]));
  });
}

/** Returns every row of every table as text, including those that only the signer can read. */
export function dumpTables(server: TestServer): Promise<{ table: string; row: string }[]> {
  return asSuperuser(server, async (query) => {
    const dump: { table: string; row: string }[] = [];
    const tables = await query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    for (const { name } of tables) {
      for (const { row } of await query(`select t::text as row from ${name} t`))
        dump.push({ table: String(name), row: String(row) });
    }
    return dump;
  });
}
