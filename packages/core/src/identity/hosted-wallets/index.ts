import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { hostedWalletsSealed } from './hosted-wallet.ts';
import { hostedWalletJobs } from './jobs.ts';
import { hostedWallets, pkp } from './operations.ts';
import { hostedWalletsErasure } from './queries.ts';
import { signatureOperations } from './signatures.ts';

export type { HostedWalletSettings } from '../../shared/settings.ts';
export {
  type Approval,
  type ApprovalDetails,
  announceApproval,
  approvalTtlSeconds,
  getApproval,
  type SigningRequest,
} from './approval.ts';
export { registrarAddress, registrarKey } from './hosted-wallet.ts';
export { registerAgain } from './jobs.ts';
export {
  allowSigningDomain,
  findHostedAddress,
  hostedWallets,
  listSigningDomains,
  pkp,
  removeSigningDomain,
} from './operations.ts';
export { countKeyless, countWalletsWithKeys } from './queries.ts';

export const hostedWalletsModule = defineModule('hosted-wallets', {
  resources: [hostedWallets, pkp, ownOperations(signatureOperations)],
  jobs: hostedWalletJobs,
  sealed: hostedWalletsSealed,
  erasures: [hostedWalletsErasure],
  tables: ['hosted_wallet_approvals', 'signing_domains', 'hosted_wallets', 'registrar_keys'],
});
