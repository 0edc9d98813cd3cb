import { feature } from '../../feature.ts';
import { hostedWalletsErasure } from './forget.ts';
import { hostedWalletJobs } from './jobs.ts';
import { hostedWallets, pkp } from './operations.ts';
import { hostedWalletsSealed } from './registrar.ts';

export const hostedWalletsFeature = feature('hosted-wallets', {
  resources: [hostedWallets, pkp],
  jobs: hostedWalletJobs,
  sealed: hostedWalletsSealed,
  erasures: [hostedWalletsErasure],
  tables: ['hosted_wallet_approvals', 'signing_domains', 'hosted_wallets', 'registrar_keys'],
});
