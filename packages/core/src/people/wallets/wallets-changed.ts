import type { Tx } from '@latchkey/db';

/**
 * Told in the same transaction that the wallets of a user changed, so that the roles which hang on them are looked at, and
 * nothing is kept of those that are gone.
 */
export type WalletsChanged = (tx: Tx, userId: string, gone?: readonly string[]) => Promise<void>;
