import type pg from 'pg';
import { signerSchema } from '../signer-schema/admit-signer.ts';
import type { BackupHeader, TableStart } from './format.ts';

/** Tables whose rows are valid only while processes run, or that a restore creates itself. */
const left = ['migrations', 'processes', 'rate_windows', 'database_eras', 'backups', 'drills', 'taken_metrics'];

export interface TableToCopy extends TableStart {
  /** The approximate number of rows, from the database's statistics. */
  rows: number;
}

/** Lists the platform's tables with the columns that are not generated. */
export function listTables(client: pg.Client): Promise<TableToCopy[]> {
  return tablesOf(client, 'public', left);
}

/** Lists the signer's tables. Requests are answered within seconds or expire, so they are not worth a place. */
export async function listSignerTables(client: pg.Client): Promise<TableToCopy[]> {
  const tables = await tablesOf(client, signerSchema, ['migrations', 'requests']);
  return tables.map((table) => ({ ...table, schema: signerSchema }));
}

async function tablesOf(client: pg.Client, schema: string, without: readonly string[]): Promise<TableToCopy[]> {
  const { rows } = await client.query<TableToCopy>(
    `select relname::text as name, greatest(reltuples, 0)::float8 as rows,
       array(select attname::text from pg_attribute
         where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c where relnamespace = $2::regnamespace and relkind = 'r' and relname <> all ($1) order by relname`,
    [without, schema],
  );
  return rows;
}

export async function listSequences(client: pg.Client): Promise<BackupHeader['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`,
  );
  const read: BackupHeader['sequences'] = [];
  for (const { name } of rows) {
    const { rows: states } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from public.${client.escapeIdentifier(name)}`,
    );
    read.push(...states.map((state) => ({ name, ...state })));
  }
  return read;
}

export async function listMigrated(
  client: pg.Client,
  schema: 'public' | typeof signerSchema = 'public',
): Promise<BackupHeader['migrations']> {
  const { rows } = await client.query<{ name: string; hash: string }>(
    `select name, hash from ${schema}.migrations order by name`,
  );
  return rows;
}

export function columnsOf(client: pg.Client, { name, columns, schema }: TableStart): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  return `${schema ?? 'public'}.${client.escapeIdentifier(name)} (${list})`;
}
