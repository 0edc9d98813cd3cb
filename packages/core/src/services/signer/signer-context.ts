import type { Bus, Database, Keyring } from '@latchkey/db';
import type { Clock, Log, Random } from '@latchkey/kernel';
import type { EvmKeys } from '../../ports/index.ts';

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
