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

/** What deploys the registry of hosted wallets with this registrar, on any chain. */
export function walletRegistryDeployment(registrar: string): Hex {
  const { bytecode } = readArtifact('WalletRegistry');
  return encodeDeployData({ abi: walletRegistryAbi, bytecode, args: [getAddress(registrar)] });
}

/**
 * Puts the registry of hosted wallets on the development chain, and gives its registrar money for fees. The account it
 * comes from has sent nothing before, so that the registry has the same address on every start.
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
  // The node mines at once and refuses what fails, so an answer means that the contract stands.
  await client.sendTransaction({ account: deployer.address, data: walletRegistryDeployment(registrar) });
  return getContractAddress({ from: deployer.address, nonce });
}
