export { createWalletRegistry, type WalletRegistryOptions } from './create-registry.ts';
export { deployContract } from './deploy-contract.ts';
export { registryDeployment } from './registry-deployment.ts';
