import {
  type Address,
  type Chain,
  createTestClient,
  defineChain,
  encodeDeployData,
  getContractAddress,
  http,
  walletActions,
} from 'viem';
import { readArtifact } from './artifact.ts';

/** The addresses of the development chain's contracts: the same on every start. */
export interface DevContracts {
  erc20: Address;
  erc721: Address;
  erc1155: Address;
  staking: Address;
  safe: Address;
  multicall3: Address;
  delegateRegistry: Address;
  proxyRegister: Address;
}

// The registries have the same addresses as on other chains.
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const delegateRegistry = '0x00000000000000447e69651d841bD8D104Bed493';
const proxyRegister = '0xfa3D2d059E9c0d348dB185B32581ded8E8243924';

/** Deploys the sample contracts from an account that has sent no transactions yet and mints from then on. */
export async function deployContracts(
  url: string,
  chainId: number,
  { deployer, safeOwners }: { deployer: Address; safeOwners: readonly Address[] },
): Promise<DevContracts> {
  const chain = devChain(url, chainId);
  const client = createTestClient({ mode: 'hardhat', chain, transport: devTransport(url) }).extend(walletActions);
  const addressOf = (nonce: bigint) => getContractAddress({ from: deployer, nonce });
  const [erc20, erc721, erc1155, staking, safe] = [
    addressOf(0n),
    addressOf(1n),
    addressOf(2n),
    addressOf(3n),
    addressOf(4n),
  ];
  await client.setCode({ address: multicall3, bytecode: readArtifact('Multicall3').deployedBytecode });
  await client.setCode({ address: delegateRegistry, bytecode: readArtifact('DelegateRegistry').deployedBytecode });
  await client.setCode({ address: proxyRegister, bytecode: readArtifact('ProxyRegister').deployedBytecode });
  const deployments: [name: string, args: readonly unknown[]][] = [
    ['SampleCoin', ['Sample Coin', 'COIN', 18]],
    ['SampleKeys', ['Sample Key', 'KEY']],
    ['SampleBadges', ['Sample Badge']],
    ['SampleStaking', [erc721, erc20]],
    ['SampleSafe', [safeOwners, 2n]],
  ];
  for (const [name, args] of deployments) {
    const { abi, bytecode } = readArtifact(name);
    // The node mines at once and refuses transactions that fail, so a response means that the contract is deployed.
    await client.sendTransaction({ account: deployer, data: encodeDeployData({ abi, bytecode, args }) });
  }
  return { erc20, erc721, erc1155, staking, safe, multicall3, delegateRegistry, proxyRegister };
}

/**
 * Creates the transport of viem's clients to the development chain, without a timeout: a retry on a busy machine would send a transaction
 * twice.
 */
export function devTransport(url: string) {
  return http(url, { timeout: 0, retryCount: 0 });
}

/** Describes the development chain for viem's clients. */
export function devChain(url: string, chainId: number): Chain {
  return defineChain({
    id: chainId,
    name: 'Latchkey development chain',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: multicall3 } },
  });
}
