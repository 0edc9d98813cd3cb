import { type Sql, sql } from '@latchkey/db';
import { choice, OpenObject, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';

type ExportContext = Pick<Context, 'actor' | 'clock' | 'db'>;

type Rows = Record<string, unknown>[];

/** An export contains what an erasure would delete: both use one list, which a test compares with the schema. */
export async function exportData(ctx: ExportContext, erasures: readonly Erasure[]): Promise<PersonalData> {
  const userId = principalId(ctx.actor);
  const db = ctx.db.system;
  const named = Map.groupBy(
    erasures.flatMap(({ columns }) => columns),
    (column) => column.split('.')[0] ?? '',
  );
  const data: Record<string, Rows> = {};
  const shortened: string[] = [];
  const keep = (place: string, rows: Rows) => {
    if (rows.length > mostRows) shortened.push(inWire(place));
    if (rows.length > 0) data[inWire(place)] = rows.slice(0, mostRows).map(toWire);
  };
  const tables = await readTables(db, [...named.keys()]);
  for (const [table, columns] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = tables.get(table) ?? [];
    const texts = known.filter(({ name, isText }) => isText && columns.includes(`${table}.${name}`));
    // By account id only: a wallet may be linked to several accounts, and their data must not be included.
    keep(table, await readRows(db, table, { in: texts.map(({ name }) => name), userId, without: secretsOf(known) }));
  }
  if (await hasSigner(db)) keep('signatures', await readSignatures(db, userId));
  return { account: userId, exportedTime: ctx.clock().toISOString(), data, shortened };
}

/** Converts table and column names to the API's naming. */
export function inWire(name: string): string {
  return name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

function toWire(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [inWire(name), value]));
}

interface Column {
  name: string;
  isText: boolean;
  isSecret: boolean;
}

async function readTables(db: Sql, names: readonly string[]): Promise<Map<string, Column[]>> {
  const { rows } = await sql<{ table: string; name: string; type: string; domain: string | null }>`
    select table_name as table, column_name as name, data_type as type, domain_name as domain
    from information_schema.columns where table_schema = 'public' and table_name = any(${[...names]}::text[])`.execute(
    db,
  );
  const columns = rows.map(({ table, name, type, domain }) => ({
    table,
    name,
    isText: type === 'text' && domain === null,
    isSecret: domain === 'hashed_secret' || domain === 'sealed_secret',
  }));
  return Map.groupBy(columns, ({ table }) => table);
}

function secretsOf(columns: readonly Column[]): string[] {
  return columns.filter(({ isSecret }) => isSecret).map(({ name }) => name);
}

async function readRows(
  db: Sql,
  table: string,
  { in: columns, userId, without }: { in: readonly string[]; userId: string; without: readonly string[] },
): Promise<Rows> {
  if (columns.length === 0) return [];
  const isTheirs = sql.join(
    columns.map((column) => sql`t.${sql.id(column)} = ${userId}`),
    sql` or `,
  );
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(t) - ${[...without]}::text[] as row from ${sql.table(table)} t
    where ${isTheirs} limit ${mostRows + 1}`.execute(db);
  return rows.map(({ row }) => row);
}

/** The table of signatures exists only if a signer has run. */
async function hasSigner(db: Sql): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select to_regclass('signer.signatures') is not null as has`.execute(db);
  return rows[0]?.has === true;
}

async function readSignatures(db: Sql, userId: string): Promise<Rows> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(s) as row from ${sql.table('signer.signatures')} s
    where s.user_id = ${userId} order by s.signed_at desc limit ${mostRows + 1}`.execute(db);
  return rows.map(({ row }) => row);
}

/** More than anyone reads of one kind; truncation is reported. */
const mostRows = 10_000;

export const PersonalData = record('PersonalData', 'Everything that is kept about one account.', {
  account: text('The id of the account.'),
  exportedTime: text('When this was read, in ISO 8601.'),
  data: T.Unsafe<Record<string, unknown>>({
    ...OpenObject,
    description: 'The records by table, each with all of its fields except secrets.',
  }),
  shortened: T.Array(text('A place.'), {
    description: `Tables with more than ${mostRows} records; only that many are included.`,
    maxItems: 1000,
  }),
});

export type PersonalData = ValueOf<typeof PersonalData>;

export const ErasedAccount = record('ErasedAccount', 'The result of erasing an account.', {
  state: choice(
    'erased: nothing is left. waiting: what the person gave is gone; the rest follows once their roles are removed.',
    ['erased', 'waiting'] as const,
  ),
  reason: T.Optional(text('What it is waiting for.')),
});

export type ErasedAccount = ValueOf<typeof ErasedAccount>;
