import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import type { Address } from 'viem';
import { createEvmFollower, type EvmFollowerOptions } from '../evm-holdings/follow-chain.ts';
import { Diary } from './diary.ts';
import { countingFetch, type EvmWorld, someAddresses, startEvmWorld } from './evm-world.ts';

/** Accounts that hold nothing when a test begins. */
export const strangers = someAddresses(50);

/** A chain with accounts that send coins, and followers of it. */
export interface FollowWorld {
  world: EvmWorld;
  /** These accounts hold coins. */
  senders: readonly Address[];
  setUp(
    depth: number,
    options?: Partial<EvmFollowerOptions>,
    alsoFollowed?: readonly string[],
  ): { follower: ReturnType<typeof createEvmFollower>; diary: Diary } & ReturnType<typeof countingFetch>;
  transfer(from: Address | undefined, to: Address | undefined): Promise<unknown>;
  /** Returns whose holdings changed since a block, according to another library that reads the logs. */
  recount(fromBlock: bigint): Promise<Set<string>>;
  stop(): Promise<void>;
}

export async function startFollowWorld(): Promise<FollowWorld> {
  const world = await startEvmWorld();
  const senders = world.accounts.slice(0, 10).map(({ address }) => address);
  await world.mintCoins(senders, 1_000n);
  const { erc20, erc721, erc1155, staking } = world.contracts;
  return {
    world,
    senders,
    setUp: (depth, options = {}, alsoFollowed = []) => {
      const counted = countingFetch();
      const follower = createEvmFollower({
        chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
        clock: () => new Date(),
        timeoutMs: patientMs,
        fetch: counted.fetch,
        ...options,
      });
      const contracts = [erc20.toLowerCase(), erc721, erc1155, staking, ...alsoFollowed];
      return { follower, diary: new Diary(follower, world.chainName, { contracts, depth }), ...counted };
    },
    transfer: (from, to) => world.send(erc20, { abi: sampleCoinAbi, functionName: 'transfer', args: [to, 1n] }, from),
    recount: (fromBlock) => recount(world, fromBlock),
    stop: async () => {
      await world.stop();
    },
  };
}

async function recount(world: EvmWorld, fromBlock: bigint): Promise<Set<string>> {
  const { erc20, erc721, erc1155 } = world.contracts;
  const range = { fromBlock, toBlock: 'latest' } as const;
  const moved = async (address: Address, abi: typeof sampleCoinAbi | typeof sampleKeysAbi | typeof sampleBadgesAbi) => {
    const logs = await world.client.getContractEvents({ address, abi, ...range });
    const spelled = address === erc20 ? address.toLowerCase() : address;
    return logs.flatMap(({ eventName, args }) => {
      if (!eventName.startsWith('Transfer')) return [];
      const { from, to } = Object(args);
      return [from, to].filter((account) => BigInt(account) !== 0n).map((account) => `${spelled} ${account}`);
    });
  };
  return new Set([
    ...(await moved(erc20, sampleCoinAbi)),
    ...(await moved(erc721, sampleKeysAbi)),
    ...(await moved(erc1155, sampleBadgesAbi)),
  ]);
}
