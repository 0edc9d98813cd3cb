import { type Bus, type Database, type Keyring, SealError } from '@latchkey/db';
import type { Clock, Log, Random } from '@latchkey/kernel';
import type { EvmKeys } from '../../ports/index.ts';
import type { SealedColumn } from '../../shared/module.ts';
import { type RewrapReport, rewrapAll } from '../signing-keys/index.ts';

/** What the operator lets the signer do. It comes from the signer's own configuration, never from a request. */
export interface SigningPolicy {
  maxPerMinute: number;
  maxPerDay: number;
  /** The limit for typed data and hashes, which can move what the wallet holds. */
  maxTypedPerDay: number;
  /** Whether bare hashes are signed at all. */
  allowsHashes: boolean;
  /** The host names of the servers, whose login texts are never signed. */
  ownHosts: readonly string[];
}

/** The signer's dependencies: its own database role, its own master key, and no outbound access. */
export interface SignerContext {
  clock: Clock;
  random: Random;
  log: Log;
  db: Pick<Database, 'system'>;
  keyring: Keyring;
  bus: Pick<Bus, 'publish' | 'subscribe' | 'onReconnect'>;
  evmKeys: EvmKeys;
  policy: SigningPolicy;
}

/**
 * Returns the context that a key is encrypted for: bound to the wallet and the user, so that it decrypts for no one
 * else.
 */
export function keyPlace({ walletId, userId }: { walletId: string; userId: string }): string {
  return `signer.keys.private_key:${walletId}/${userId}`;
}

const place = 'signer.master_key_check.sealed:1';

const constant = 'latchkey signer';

type CheckContext = Pick<SignerContext, 'db' | 'keyring'>;

/**
 * Seals a constant when the schema is new and decrypts it on every start, so that a wrong key is detected before a
 * wallet is created.
 */
export async function checkSignerKey({ db, keyring }: CheckContext): Promise<void> {
  await db.system
    .insertInto('signer.master_key_check')
    .values({ id: 1, sealed: keyring.seal(place, constant) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { sealed } = await db.system.selectFrom('signer.master_key_check').select('sealed').executeTakeFirstOrThrow();
  try {
    keyring.open(place, sealed);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Error(
      'The master key of the signer is not the one its wallets were created with. Restore the right one in the data folder or in LATCHKEY_SIGNER_MASTER_KEYS.',
      { cause: error },
    );
  }
}

const signerKeyCheck = {
  table: 'signer.master_key_check',
  column: 'sealed',
  idColumns: ['id'],
  placeOf: () => place,
} as const;

/** What the signer's master keys seal. */
export const signerSealed: readonly SealedColumn[] = [
  {
    table: 'signer.keys',
    column: 'private_key',
    idColumns: ['wallet_id', 'user_id'],
    placeOf: (walletId = '', userId = '') => keyPlace({ walletId, userId }),
  },
  signerKeyCheck,
];

/** Rewraps the data key of every wallet under the signer's current master key, without decrypting any wallet's key. */
export function rewrapKeys({ db, keyring }: Pick<SignerContext, 'keyring'> & RewrapDatabase): Promise<RewrapReport> {
  return rewrapAll({ db, keyring }, signerSealed);
}

type RewrapDatabase = Pick<Parameters<typeof rewrapAll>[0], 'db'>;
