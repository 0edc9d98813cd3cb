import type { Tx } from '@latchkey/db';
import type { Random } from '@latchkey/kernel';
import type { Context } from '../../context.ts';

/** An account that is to be forgotten. */
export interface Person {
  /** DIS#USER#100, for example. */
  userId: string;
  /** What stands for the person in what must be kept: the same everywhere, and drawn by chance, so that it leads nowhere. */
  pseudonym: string;
  /** The wallets that were linked, in the spelling of their namespaces; a wallet that signed in by itself is one of them. */
  wallets: readonly { namespace: string; address: string }[];
  /** Other accounts that linked one of those wallets too. */
  coHolders: readonly string[];
  /** The client applications that the person made. */
  clientIds: readonly string[];
}

/**
 * How one feature forgets a person. Each feature exports its own, and `features.ts` lists them all: a test looks at the
 * schema for columns that may name a person, and fails for one that no erasure covers.
 */
export interface Erasure {
  /** The columns it sees to, as `table.column`. */
  columns: readonly string[];
  /**
   * `at-once`: what the person gave to this server. `once-settled`: what is needed until the roles that hung on it are
   * taken, such as being a member. Both are one transaction each, so that a crash leaves nothing half done.
   */
  stage: 'at-once' | 'once-settled';
  /** Removes the rows of the person, or puts the pseudonym in their place. May run again. */
  forget(ctx: Context, tx: Tx, person: Person): Promise<void>;
}

const prefix = 'ERASED#USER#';

export function pseudonymFor(random: Random): string {
  return prefix + random.id();
}

/** True for what stands for somebody who was forgotten. */
export function isErased(userId: string): boolean {
  return userId.startsWith(prefix);
}
