export { createWalletRegistry, type WalletRegistryOptions } from './create-registry.ts';
export { deployContract, evmAddressOf } from './deploy-contract.ts';
export { registryDeployment } from './registry-deployment.ts';
