import { SealError, type Sql, sql } from '@latchkey/db';
import type { SealedColumn } from '../../shared/module.ts';
import type { KeyContext } from './signing-key.ts';

type RewrapContext = Pick<KeyContext, 'db' | 'keyring'>;

interface SealedRow {
  ids: string[];
  sealed: string;
}

export interface RewrapReport {
  rewrapped: number;
  /** Places that no configured key opens; they were left as they are. */
  unreadable: string[];
}

const batchSize = 500;

/**
 * Wraps every sealed value under the current master key, while the platform goes on working. Every process must know the
 * new key by then. It may be stopped and run again; once a run finds nothing to rewrap, the old key may be taken away.
 */
export async function rewrapAll(ctx: RewrapContext, columns: readonly SealedColumn[]): Promise<RewrapReport> {
  const report: RewrapReport = { rewrapped: 0, unreadable: [] };
  for (const column of columns) await rewrapColumn(ctx, column, report);
  return report;
}

async function rewrapColumn(ctx: RewrapContext, column: SealedColumn, report: RewrapReport): Promise<void> {
  let after: string[] | undefined;
  do {
    const rows = await selectOutdated(ctx, column, after);
    await ctx.db.transaction('system', async (tx) => {
      for (const row of rows) await rewrapRow(ctx, tx, column, row, report);
    });
    after = rows.length === batchSize ? rows.at(-1)?.ids : undefined;
  } while (after !== undefined);
}

async function rewrapRow(
  ctx: RewrapContext,
  tx: Sql,
  column: SealedColumn,
  row: SealedRow,
  report: RewrapReport,
): Promise<void> {
  const place = column.placeOf(...row.ids);
  let fresh: string | undefined;
  try {
    fresh = ctx.keyring.rewrap(place, row.sealed);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    report.unreadable.push(place);
    return;
  }
  // A value that was replaced in the meantime is sealed with the current key already, and must not be undone.
  const value = sql.ref(column.column);
  const { numAffectedRows } = await sql`
    update ${sql.table(column.table)} set ${value} = ${fresh}
    where (${idList(column)}) = (${sql.join(row.ids)}) and ${value} = ${row.sealed}`.execute(tx);
  report.rewrapped += Number(numAffectedRows ?? 0);
}

async function selectOutdated(
  ctx: RewrapContext,
  column: SealedColumn,
  after: string[] | undefined,
): Promise<SealedRow[]> {
  const [current] = ctx.keyring.derive('rewrap');
  if (current === undefined) throw new Error('The keyring is empty.');
  const value = sql.ref(column.column);
  const ids = column.idColumns.map((id) => sql`${sql.ref(id)}::text`);
  const { rows } = await sql<SealedRow>`
    select array[${sql.join(ids)}] as ids, ${value} as sealed from ${sql.table(column.table)}
    where not starts_with(${value}, ${`v1.${current.id}.`})
      and ${after === undefined ? sql`true` : sql`(${idList(column)}) > (${sql.join(after)})`}
    order by ${idList(column)} limit ${batchSize}`.execute(ctx.db.system);
  return rows;
}

function idList(column: SealedColumn) {
  return sql.join(column.idColumns.map((id) => sql.ref(id)));
}
