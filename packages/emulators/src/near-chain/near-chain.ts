import type { Clock } from '../clock.ts';
import type { EmulatorAddress, HttpEmulator } from '../http-emulator/index.ts';
import type { Block } from './block.ts';
import type { Produced } from './produce.ts';
import type { NearTestAccount } from './test-keys.ts';
import type { Action } from './transaction.ts';

export interface NearChainOptions extends EmulatorAddress {
  /** The same seed and clock give the same blocks, hashes and keys. */
  seed?: string;
  /** Milliseconds since 1970. */
  clock?: Clock;
  chainId?: string;
  shards?: number;
  firstHeight?: number;
  /** How often a height has no block. */
  skipProbability?: number;
  /** How often a block shows the chunk of a shard that an earlier block had already. */
  missingChunkProbability?: number;
  /** A transaction may name a block that is at most so many heights old. */
  validityHeights?: number;
}

/** The contracts that can be deployed. */
export type NearCode = 'nep141' | 'nep171' | 'market' | 'bridge-token' | 'bridge-factory';

/** What became of a transaction that the emulator made itself. */
export interface Acted {
  hash: string;
  /** What the last receipt of the chain of results answered, bytes when it is no JSON; undefined when it failed. */
  value: unknown;
  failure: unknown;
  logs: readonly string[];
}

export interface NearChain extends HttpEmulator {
  chainId: string;
  /** Makes an account from nothing and answers with its key, which has full access. 100 NEAR unless told. */
  createAccount(accountId: string, balance?: bigint): NearTestAccount;
  /** Puts a contract on an account that is there, and calls `new` with the arguments. */
  deploy(accountId: string, code: NearCode, init?: Readonly<Record<string, unknown>>): void;
  /** Does something as an account without a signature, and waits until it is final. */
  act(signerId: string, receiverId: string, actions: readonly Action[]): Acted;
  view(contractId: string, method: string, args?: Readonly<Record<string, unknown>>): unknown;
  balanceOf(accountId: string): bigint | undefined;
  makeBlocks(count: number): void;
  /** Makes many transactions fast, some of which fail; `perBlock` go into one block. */
  produce(count: number, shape?: { perBlock?: number; people?: number }): Produced;
  /** Forgets the state below a height, as nodes do that keep no archive. */
  forgetBelow(height: number): void;
  /** Transactions are taken, and stay out of blocks until `release`. */
  hold(): void;
  release(): void;
  readonly head: Block;
  readonly final: Block;
  /** All that accounts have, and all that was ever burnt and made. */
  readonly totals: { balances: bigint; burnt: bigint; made: bigint };
}
