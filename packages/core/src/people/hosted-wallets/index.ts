export {
  type Approval,
  type ApprovalDetails,
  type Asked,
  announceApproval,
  approvalTtlSeconds,
  getApproval,
} from './approval.ts';
export { hostedWalletsFeature } from './feature.ts';
export { registerAgain } from './jobs.ts';
export { hostedWallets, pkp } from './operations.ts';
export { countWalletsWithKeys } from './queries.ts';
export { findHostedAddress } from './reads.ts';
export { registrarAddress, registrarKey } from './registrar.ts';
export type { HostedWalletSettings } from './settings.ts';
export { allowSigningDomain, listSigningDomains, removeSigningDomain } from './signing-domains.ts';
