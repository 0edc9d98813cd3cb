import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { hostedWalletsErasure } from './forget.ts';
import { hostedWalletJobs } from './jobs.ts';
import { hostedWallets, pkp } from './operations.ts';
import { hostedWalletsSealed } from './registrar.ts';
import { signatureOperations } from './signatures.ts';

export const hostedWalletsFeature = feature('hosted-wallets', {
  resources: [hostedWallets, pkp, ownOperations(signatureOperations)],
  jobs: hostedWalletJobs,
  sealed: hostedWalletsSealed,
  erasures: [hostedWalletsErasure],
  tables: ['hosted_wallet_approvals', 'signing_domains', 'hosted_wallets', 'registrar_keys'],
});
