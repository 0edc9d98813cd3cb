import { readFileSync } from 'node:fs';
import {
  type Address,
  concat,
  createTestClient,
  getAddress,
  type Hex,
  parseEther,
  publicActions,
  walletActions,
  zeroHash,
} from 'viem';
import { devChain, devTransport } from './deploy-contracts.ts';
import type { DevChain } from './start.ts';

// The factory that deploys Safe's contracts on every chain, so that they have the same addresses.
const singletonFactory = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const singletonFactoryCode =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** The contracts of Safe 1.4.1 that a wallet needs, with their canonical addresses. */
const canonical: readonly [path: string, address: Address][] = [
  ['SafeL2.sol/SafeL2', '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762'],
  ['proxies/SafeProxyFactory.sol/SafeProxyFactory', '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67'],
  [
    'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
    '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  ],
];

function readCreationCode(path: string): Hex {
  const url = import.meta.resolve('@safe-global/safe-contracts/package.json');
  return JSON.parse(readFileSync(new URL(`build/artifacts/contracts/${path}.json`, url), 'utf8')).bytecode;
}

/** Deploys the published contracts of Safe 1.4.1 as on every chain, and funds the account that pays the fees of wallets. */
export async function deploySafeContracts(chain: DevChain, payer: string): Promise<void> {
  const deployer = chain.accounts.at(-5);
  if (deployer === undefined) throw new Error('The chain has too few accounts.');
  const client = createTestClient({
    mode: 'hardhat',
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  })
    .extend(publicActions)
    .extend(walletActions);
  await client.setBalance({ address: getAddress(payer), value: parseEther('100') });
  await client.setCode({ address: singletonFactory, bytecode: singletonFactoryCode });
  for (const [path, address] of canonical) {
    if ((await client.getCode({ address })) !== undefined) continue;
    const data = concat([zeroHash, readCreationCode(path)]);
    // The node mines at once and refuses transactions that fail, so a response means that the contract is deployed.
    await client.sendTransaction({ account: deployer.address, to: singletonFactory, data });
    if ((await client.getCode({ address })) === undefined) throw new Error(`${path} is not at its canonical address.`);
  }
}
