import { checkPlace } from './check-master-key.ts';
import { privateKeyPlace } from './signing-key.ts';

/** A column of sealed values. Each feature exports its own, so that a change of the master key can reach all of them. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key. */
  idColumns: readonly [string, ...string[]];
  /** The place a row's value was sealed for, from its primary key as text in the order of `idColumns`. */
  placeOf(...ids: string[]): string;
}

export const signingKeysSealed: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'private_key', idColumns: ['kid'], placeOf: privateKeyPlace },
  { table: 'master_key_check', column: 'sealed', idColumns: ['id'], placeOf: () => checkPlace },
];
