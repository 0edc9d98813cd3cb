import {
  type Abi,
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  parseEther,
  publicActions,
} from 'viem';
import {
  type DevChain,
  devChain,
  devTransport,
  sampleBadgesAbi,
  sampleCoinAbi,
  sampleKeysAbi,
} from '../evm-chain/index.ts';
import type { SampleMember } from './members.ts';

/** Who holds what, by the number of the member. */
const holdings = {
  keys: { every: 30, more: 10 },
  coins: { some: [1, 25, '100'], many: [21, 25, '5000'] },
  badges: { from: 11, to: 25 },
} as const;

/** Gives out tokens: a key to the first thirty, three to the first ten, coins and badges to others. */
export async function mintSamples(chain: DevChain, members: readonly SampleMember[]): Promise<void> {
  const { erc20, erc721, erc1155 } = chain.contracts;
  const [minter] = chain.accounts;
  if (minter === undefined) throw new Error('The chain has no accounts.');
  const client = createWalletClient({
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  }).extend(publicActions);
  // The node mines at once and refuses what fails, so an answer means that it is done.
  const send = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
    client.sendTransaction({ account: minter.address, to, data: encodeFunctionData({ abi, functionName, args }) });
  const from = (first: number, last: number) => members.slice(first - 1, last).map(({ address }) => address);
  const collectors = from(1, holdings.keys.more);
  await send(erc721, sampleKeysAbi, 'mintMany', [[...from(1, holdings.keys.every), ...collectors, ...collectors]]);
  for (const [first, last, amount] of Object.values(holdings.coins))
    await send(erc20, sampleCoinAbi, 'mintMany', [from(first, last), parseEther(amount)]);
  await send(erc1155, sampleBadgesAbi, 'mintMany', [from(holdings.badges.from, holdings.badges.to), 1n, 1n]);
}

/** Gives each of them what their own transactions cost, such as giving a token away. */
export async function fuel(chain: DevChain, members: readonly SampleMember[]): Promise<void> {
  const client = createTestClient({
    mode: 'hardhat',
    chain: devChain(chain.url, chain.chainId),
    transport: devTransport(chain.url),
  });
  for (const { address } of members) await client.setBalance({ address, value: parseEther('1') });
}
