export { forgetHostedWallet, hostedWalletsErasure } from './forget.ts';
export { hostedWalletJobs, registerAgain } from './jobs.ts';
export { hostedWallets, pkp } from './operations.ts';
export { findHostedAddress } from './reads.ts';
export { hostedWalletsSealed, registrarAddress, registrarKey } from './registrar.ts';
export type { HostedWalletSettings } from './settings.ts';
export { allowSigningDomain, listSigningDomains, removeSigningDomain } from './signing-domains.ts';
