import type { Tx } from '@latchkey/db';

export interface WalletChange {
  /** Addresses that are gone: nothing is kept of what they were read to hold. */
  gone?: readonly string[];
  /** The one community that the change is about; without it every community of the user is. */
  communityId?: string;
}

/** Told in the same transaction that the wallets of a user changed, so that the roles which depend on them are re-checked. */
export type WalletsChanged = (tx: Tx, userId: string, change?: WalletChange) => Promise<void>;
