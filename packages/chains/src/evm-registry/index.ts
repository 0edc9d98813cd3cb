export { createWalletRegistry, deployContract, type WalletRegistryOptions } from './create-registry.ts';
export { registryDeployment } from './registry-deployment.ts';
