import { hashSecret, type Sql } from '@latchkey/db';
import type { Context } from '../context.ts';
import { countAdminKeyRows, insertAdminKey, lockAdminKeys } from './queries.ts';

type CreateContext = Pick<Context, 'clock' | 'db' | 'random'>;

export interface NewAdminKey {
  id: string;
  /** Shown once; only its hash is kept. */
  key: string;
}

// 43 letters and digits carry 256 bits.
const idLength = 12;
const secretLength = 43;

/** Makes a key that opens everything, for the operator. */
export function createAdminKey(ctx: CreateContext, name: string): Promise<NewAdminKey> {
  return create(ctx, ctx.db.system, name);
}

/** Makes the key of a new installation, once, however many processes start at the same time. */
export function createFirstAdminKey(ctx: CreateContext, name: string): Promise<NewAdminKey | undefined> {
  return ctx.db.transaction('system', async (tx) => {
    await lockAdminKeys(tx);
    return (await countAdminKeyRows(tx)).ever === 0 ? create(ctx, tx, name) : undefined;
  });
}

async function create(ctx: CreateContext, db: Sql, name: string): Promise<NewAdminKey> {
  const id = ctx.random.id(idLength);
  const key = `admin${id}.${ctx.random.id(secretLength)}`;
  await insertAdminKey(db, { id, name, key_hash: hashSecret(key), created_at: ctx.clock(), revoked_at: null });
  return { id, key };
}
