import type { Bus, Database, Keyring } from '@latchkey/db';
import type { Clock, Log, Random } from '@latchkey/kernel';
import type { EvmKeys } from '../../ports/index.ts';

/** What the operator lets the signer do. It comes from the signer's own configuration, never from a request. */
export interface SigningPolicy {
  maxPerMinute: number;
  maxPerDay: number;
  /** How much typed data and how many hashes, which can move what the wallet holds. */
  maxTypedPerDay: number;
  /** Whether a bare hash is signed at all. */
  allowsHashes: boolean;
  /** The hosts that the servers are reached under, whose logins are never signed. */
  ownHosts: readonly string[];
}

/** What the signer works with: its own database role, its own master key, and no way to the outside. */
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

/** The place a key is encrypted for: bound to the wallet and the user, so that it decrypts for no one else. */
export function keyPlace({ walletId, userId }: { walletId: string; userId: string }): string {
  return `signer.keys.private_key:${walletId}/${userId}`;
}
