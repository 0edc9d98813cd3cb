import {
  type Abi,
  type Address,
  createTestClient,
  encodeDeployData,
  getContractAddress,
  type Hex,
  publicActions,
  walletActions,
} from 'viem';
import { devAccounts } from './accounts.ts';
import { readArtifact } from './artifact.ts';
import { devChain, devTransport } from './deploy-contracts.ts';
import { sampleCollectionAbi, sampleLockAbi, waitingListAbi } from './partner-abis.ts';
import type { DevChain } from './start.ts';

/** Returns the data that deploys the waiting list, on any chain. */
function waitingListDeployment(owner: Address, signer: Address): Hex {
  return encodeDeployData({
    abi: waitingListAbi,
    bytecode: readArtifact('WaitingList').bytecode,
    args: [owner, signer],
  });
}

/** Deploys a waiting list that trusts this signer and belongs to the chain's first account. */
export async function deployWaitingList(chain: DevChain, signer: Address): Promise<Address> {
  return deploy(chain, accountAt(-2), waitingListDeployment(accountAt(0), signer));
}

/** Deploys a collection with off-chain metadata; the chain's first account mints. */
export async function deployCollection(chain: DevChain, name: string, symbol: string): Promise<Address> {
  const { bytecode } = readArtifact('SampleCollection');
  const args = [name, symbol, accountAt(0)] as const;
  return deploy(chain, accountAt(-3), encodeDeployData({ abi: sampleCollectionAbi satisfies Abi, bytecode, args }));
}

/** Deploys a lock that belongs to the chain's first account. */
export async function deployLock(
  chain: DevChain,
  { name, keyPriceWei, durationSeconds }: { name: string; keyPriceWei: bigint; durationSeconds: bigint },
): Promise<Address> {
  const { bytecode } = readArtifact('SampleLock');
  const args = [name, accountAt(0), keyPriceWei, durationSeconds] as const;
  return deploy(chain, accountAt(-4), encodeDeployData({ abi: sampleLockAbi satisfies Abi, bytecode, args }));
}

async function deploy(chain: DevChain, from: Address, data: Hex): Promise<Address> {
  const client = createTestClient({
    mode: 'hardhat',
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  })
    .extend(publicActions)
    .extend(walletActions);
  const nonce = BigInt(await client.getTransactionCount({ address: from }));
  // The node mines at once and refuses transactions that fail, so a response means that the contract is deployed.
  await client.sendTransaction({ account: from, data });
  return getContractAddress({ from, nonce });
}

function accountAt(index: number): Address {
  const account = devAccounts().at(index);
  if (account === undefined) throw new Error('The chain has no such account.');
  return account.address;
}
