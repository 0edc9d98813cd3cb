import type { KeyObject } from 'node:crypto';
import { SealError, type Sql, sql } from '@latchkey/db';
import { addDays } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { SealedColumn } from '../../shared/module.ts';

export type SigningPurpose = 'jwt' | 'jwt-rs256' | 'action-ecdsa' | 'action-ed25519';

/**
 * jwt signs tokens with ES256, and jwt-rs256 the id tokens of applications that need RS256; the two action keys sign
 * calls to mini-apps, which accept either kind.
 */
export const signingPurposes: readonly SigningPurpose[] = ['jwt', 'jwt-rs256', 'action-ecdsa', 'action-ed25519'];

/** How long a retired key stays published, so that its signatures can be verified. */
export const retiredKeyDays = 30;

export interface PublicKey {
  /** The RFC 7638 thumbprint of the public key. */
  kid: string;
  publicKey: KeyObject;
  /** Undefined for the current key. */
  retiredAt: Date | undefined;
}

export interface SigningKey extends PublicKey {
  privateKey: KeyObject;
}

export type KeyContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random'>;

/** Returns the context that a private half is sealed for. */
export function privateKeyPlace(kid: string): string {
  return `signing_keys.private_key:${kid}`;
}

/** Keys that were retired before this time are neither published nor stored. */
export function oldestPublished(now: Date): Date {
  return addDays(now, -retiredKeyDays);
}

const checkPlace = 'master_key_check.sealed:1';

const constant = 'latchkey';

/**
 * Seals a constant when the database is new and decrypts it on every start, so that a wrong key is detected before it
 * does harm.
 */
export async function checkMasterKey(ctx: Pick<KeyContext, 'db' | 'keyring'>): Promise<void> {
  await ctx.db.system
    .insertInto('master_key_check')
    .values({ id: 1, sealed: ctx.keyring.seal(checkPlace, constant) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { sealed } = await ctx.db.system.selectFrom('master_key_check').select('sealed').executeTakeFirstOrThrow();
  try {
    ctx.keyring.open(checkPlace, sealed);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Error(
      'The master key is not the one this database was created with. Restore the right one in the data folder ' +
        'or LATCHKEY_MASTER_KEYS, or use the database that belongs to this key.',
      { cause: error },
    );
  }
}

export const signingKeysSealed: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'private_key', idColumns: ['kid'], placeOf: privateKeyPlace },
  { table: 'master_key_check', column: 'sealed', idColumns: ['id'], placeOf: () => checkPlace },
];

type RewrapContext = Pick<KeyContext, 'db' | 'keyring'>;

interface SealedRow {
  ids: string[];
  sealed: string;
}

export interface RewrapReport {
  rewrapped: number;
  /** Values that no configured key decrypts; they were left unchanged. */
  unreadable: string[];
}

const batchSize = 500;

/**
 * Rewraps every sealed value under the current master key, while the platform keeps running. Every process must have
 * the new key by then. It can be interrupted and run again; once a run finds nothing to rewrap, the old key can be
 * removed.
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
  // A value that was replaced meanwhile is already sealed with the current key, and must not be overwritten.
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
