import {
  type Address,
  createTestClient,
  encodeDeployData,
  getAddress,
  getContractAddress,
  type Hex,
  parseEther,
  publicActions,
  walletActions,
} from 'viem';
import { readArtifact } from './artifact.ts';
import { devChain, devTransport } from './deploy-contracts.ts';
import { walletRegistryAbi } from './registry-abis.ts';
import type { DevChain } from './start.ts';

/** Returns the data that deploys the hosted wallet registry with this registrar, on any chain. */
export function walletRegistryDeployment(registrar: string): Hex {
  const { bytecode } = readArtifact('WalletRegistry');
  return encodeDeployData({ abi: walletRegistryAbi, bytecode, args: [getAddress(registrar)] });
}

/**
 * Deploys the hosted wallet registry, and funds its registrar for fees. The deploying account has sent nothing before, so that the registry
 * has the same address on every start.
 */
export async function deployWalletRegistry(chain: DevChain, registrar: string): Promise<Address> {
  const deployer = chain.accounts.at(-1);
  if (deployer === undefined) throw new Error('The chain has no accounts.');
  const client = createTestClient({
    mode: 'hardhat',
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  })
    .extend(publicActions)
    .extend(walletActions);
  const nonce = BigInt(await client.getTransactionCount({ address: deployer.address }));
  await client.setBalance({ address: getAddress(registrar), value: parseEther('100') });
  // The node mines at once and refuses transactions that fail, so a response means that the contract is deployed.
  await client.sendTransaction({ account: deployer.address, data: walletRegistryDeployment(registrar) });
  return getContractAddress({ from: deployer.address, nonce });
}
