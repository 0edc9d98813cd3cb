import { evmResource } from '../../gating/evm/index.ts';
import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { walletManagerJobs, walletManagerSchedules } from './jobs.ts';
import { venlyOperation, walletManager } from './operations.ts';
import { pendingPlace } from './pending.ts';
import { deleteStepsOf } from './queries.ts';

export { askToSign, keepProven } from './answers.ts';
export { userOfLink, WalletConnectionResponse } from './connection.ts';
export { findPending, keepPending, pendingTtlSeconds, takePending } from './pending.ts';
export { readAccountId, readClaim } from './read-claim.ts';

/** The sealed column of this feature, for a change of the master key. */
const walletManagerSealed: readonly SealedColumn[] = [
  {
    table: 'wallet_pending_steps',
    column: 'content',
    idColumns: ['key_hash'],
    placeOf: (keyHash = '') => pendingPlace(keyHash),
  },
];

/** Deletes the user's pending steps. */
const walletManagerErasure: Erasure = {
  columns: ['wallet_pending_steps.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteStepsOf(tx, userId),
};

export const walletManagerModule = defineModule('wallet-manager', {
  resources: [walletManager],
  jobs: walletManagerJobs,
  schedules: walletManagerSchedules,
  sealed: walletManagerSealed,
  erasures: [walletManagerErasure],
  tables: ['wallet_pending_steps'],
});

export const venlyModule = defineModule('venly', { resources: [evmResource([venlyOperation])] });
