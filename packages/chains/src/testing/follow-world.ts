import assert from 'node:assert/strict';
import type { ChainCursor, ChainFollower, HoldingChange } from '@latchkey/core/ports';
import { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi } from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import type { Address } from 'viem';
import { createEvmFollower, type EvmFollowerOptions } from '../evm-holdings/follow-chain.ts';
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

/** Records what core records of a chain: the blocks passed and their changes, rolled back where the chain was reorganized. */
export class Diary {
  passed: ChainCursor[] = [];
  changes: HoldingChange[] = [];
  undone = 0;
  readonly #follower: ChainFollower;
  readonly #chain: string;
  readonly #options: { contracts: readonly string[]; depth: number };

  constructor(follower: ChainFollower, chain: string, options: { contracts: readonly string[]; depth: number }) {
    this.#follower = follower;
    this.#chain = chain;
    this.#options = options;
  }

  async start(): Promise<this> {
    const cursor = await this.#follower.start(this.#chain, this.#options.depth);
    assert.ok(cursor);
    this.passed = [cursor];
    return this;
  }

  async step(): Promise<string> {
    const step = await this.#follower.next(this.#chain, { ...this.#options, passed: this.passed });
    if (step.kind === 'advanced') {
      this.passed = [...step.blocks.toReversed(), ...this.passed].slice(0, 128);
      this.changes.push(...step.changes);
    }
    if (step.kind === 'reorganised') {
      const height = BigInt(step.ancestor.number);
      this.passed = this.passed.filter(({ number }) => BigInt(number) <= height);
      this.changes = this.changes.filter(({ block }) => BigInt(block.number) <= height);
      this.undone += 1;
    }
    return step.kind;
  }

  /** Steps until there is nothing new. */
  async catchUp(): Promise<void> {
    for (let steps = 0; steps < 100; steps += 1) {
      const kind = await this.step();
      assert.notEqual(kind, 'unknown');
      if (kind === 'waiting') return;
    }
    assert.fail('The end of the chain was not reached.');
  }

  affected(): Set<string> {
    return new Set(this.changes.map(({ contract, account }) => `${contract} ${account}`));
  }
}
