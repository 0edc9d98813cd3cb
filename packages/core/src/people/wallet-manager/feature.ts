import { feature } from '../../feature.ts';
import { evmResource } from '../../gating/evm/index.ts';
import { walletManagerErasure } from './forget.ts';
import { walletManagerJobs, walletManagerSchedules } from './jobs.ts';
import { venlyOperation, walletManager } from './operations.ts';
import { walletManagerSealed } from './sealed-columns.ts';

export const walletManagerFeature = feature('wallet-manager', {
  resources: [walletManager],
  jobs: walletManagerJobs,
  schedules: walletManagerSchedules,
  sealed: walletManagerSealed,
  erasures: [walletManagerErasure],
  tables: ['wallet_pending_steps'],
});

export const venlyFeature = feature('venly', { resources: [evmResource([venlyOperation])] });
