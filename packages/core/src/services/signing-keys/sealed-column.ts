import { SealError } from '@latchkey/db';
import type { SealedColumn } from '../../shared/module.ts';
import { type KeyContext, privateKeyPlace } from './signing-key.ts';

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
