import { feature } from '../../feature.ts';
import { walletsErasure } from './forget.ts';
import { walletJobs, walletSchedules } from './jobs.ts';

export const walletsFeature = feature('wallets', {
  jobs: walletJobs,
  schedules: walletSchedules,
  erasures: [walletsErasure],
  tables: ['wallet_communities', 'wallet_connections', 'wallet_link_challenges'],
});
