import { type Clock, systemMs } from '../clock.ts';
import { createDice } from '../dice.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { addBalance, findAccount, newAccount, putAccount, putKey, totalBalance, updateAccount } from './accounts.ts';
import { actAs, callAction } from './act-as.ts';
import type { Block } from './block.ts';
import { Chain, type ChainOptions } from './chain.ts';
import { firstNonce } from './change-account.ts';
import { codeBytes, hashOfCode } from './codes.ts';
import { ContractPanic } from './contracts/contract.ts';
import { methods, type Node, settle } from './methods.ts';
import {
  type Bench,
  benchContracts,
  benchPeople,
  benchRoot,
  type Produced,
  prepareBench,
  throwTransactions,
} from './produce.ts';
import { RpcError } from './rpc-error.ts';
import { runView } from './run-method.ts';
import { type NearTestAccount, testAccount } from './test-keys.ts';
import type { Action } from './transaction.ts';

/**
 * Starts a NEAR network of one node: the JSON-RPC over HTTP, blocks, chunks and receipts, and contracts for tokens and a market.
 * Transactions are validated and executed as they arrive; nothing happens in between.
 */
export async function startNearChain(options: NearChainOptions = {}): Promise<NearChain> {
  const { seed = 'near', chainId = 'localnet', validityHeights = 86_400, host, port } = options;
  const ledger = new Ledger({
    seed,
    clock: options.clock ?? systemMs,
    dice: createDice(numberOf(seed)),
    shards: options.shards ?? 2,
    firstHeight: options.firstHeight ?? 100_000,
    skipProbability: options.skipProbability ?? 0.05,
    missingChunkProbability: options.missingChunkProbability ?? 0.02,
  });
  const { publicKey: nodeKey } = testAccount(seed, 'node0');
  const node: Node = { chain: ledger.chain, chainId, nodeKey, validityHeights, isHolding: false };
  const emulator = await startHttpEmulator((request) => answer(node, request), {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  });
  return {
    ...emulator,
    chainId,
    createAccount: (id, balance) => ledger.createAccount(id, balance),
    deploy: (id, code, init) => ledger.deploy(id, code, init),
    act: (signer, receiver, actions) => ledger.act(signer, receiver, actions),
    view: (contract, method, args) => ledger.view(contract, method, args),
    balanceOf: (id) => ledger.balanceOf(id),
    makeBlocks: (count) => ledger.makeBlocks(count),
    produce: (count, shape) => ledger.produce(count, shape),
    forgetBelow: (height) => ledger.chain.state.forgetBelow(height),
    hold: () => {
      node.isHolding = true;
    },
    release: () => {
      node.isHolding = false;
      ledger.settle();
    },
    get head() {
      return ledger.chain.head;
    },
    get final() {
      return ledger.chain.final;
    },
    get totals() {
      return ledger.totals;
    },
  };
}

function numberOf(seed: string): number {
  return [...seed].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
}

function answer(node: Node, { method: verb, body }: EmulatorRequest): EmulatorReply {
  const { id, method, params, jsonrpc } = Object(body);
  if (verb === 'GET') return { body: Object.hasOwn(methods, 'status') ? methods.status?.(node, {}, []) : null };
  if (verb !== 'POST' || jsonrpc !== '2.0') return { status: 400, body: 'Deserialize error' };
  try {
    const run = typeof method === 'string' && Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined)
      throw new RpcError('REQUEST_VALIDATION_ERROR', 'METHOD_NOT_FOUND', { method_name: String(method) });
    const list = Array.isArray(params) ? params : [];
    return { body: { jsonrpc: '2.0', result: run(node, Array.isArray(params) ? {} : Object(params), list), id } };
  } catch (error) {
    if (error instanceof RpcError) return { body: { jsonrpc: '2.0', error: error.written, id } };
    if (error instanceof ContractPanic) return { status: 500, body: error.message };
    throw error;
  }
}

const near = 1_000_000_000_000_000_000_000_000n;
const supply = 1_000_000_000n * near;

/** A chain with a genesis, and what a test does to it besides sending transactions. */
class Ledger {
  readonly chain: Chain;
  readonly #seed: string;
  #made = supply;
  #bench: Bench | undefined;

  constructor(options: ChainOptions) {
    this.chain = new Chain(options);
    this.#seed = options.seed;
    this.chain.state.beginHeight(options.firstHeight);
    putAccount(this.chain.state, 'treasury', newAccount(supply));
    for (const top of ['near', 'testnet']) {
      putAccount(this.chain.state, top, newAccount());
      this.#setCode(top, 'registrar');
    }
    this.chain.startWith(supply);
    this.settle();
  }

  get totals() {
    return { balances: totalBalance(this.chain.state), burnt: this.chain.burnt, made: this.#made };
  }

  settle(): void {
    settle(this.chain);
  }

  makeBlocks(count: number): void {
    for (let made = 0; made < count; made += 1) this.chain.makeBlock();
  }

  createAccount(accountId: string, balance = 100n * near): NearTestAccount {
    const account = testAccount(this.#seed, accountId);
    const { state } = this.chain;
    if (findAccount(state, accountId) === undefined) {
      putAccount(state, accountId, newAccount());
      const access = { nonce: firstNonce(this.chain.head.height), permission: 'FullAccess' } as const;
      putKey(state, accountId, account.publicKey, access);
    }
    addBalance(state, 'treasury', -balance);
    addBalance(state, accountId, balance);
    this.settle();
    return account;
  }

  deploy(accountId: string, code: NearCode, init?: Readonly<Record<string, unknown>>): void {
    this.#setCode(accountId, code);
    if (init === undefined) return void this.settle();
    const { failure } = this.act(accountId, accountId, [callAction('new', init)]);
    if (failure !== undefined) throw new Error(`${accountId} could not be set up: ${JSON.stringify(failure)}`);
  }

  #setCode(accountId: string, code: string): void {
    if (findAccount(this.chain.state, accountId) === undefined) throw new Error(`There is no account ${accountId}.`);
    updateAccount(this.chain.state, accountId, { code, codeHash: hashOfCode(codeBytes(code)) });
  }

  act(signerId: string, receiverId: string, actions: readonly Action[]): Acted {
    const hash = actAs(this.chain, signerId, receiverId, actions);
    this.settle();
    const included = this.chain.transactions.get(hash);
    if (included === undefined) throw new Error('The transaction was not included in a block.');
    const logs = included.executed.flatMap((id) => this.chain.outcomes.get(id)?.logs ?? []);
    let { status } = included.outcome;
    while (status.kind === 'receipt') {
      const next = this.chain.outcomes.get(status.id);
      if (next === undefined) throw new Error('A receipt of the transaction was not executed.');
      status = next.status;
    }
    if (status.kind === 'failure') return { hash, value: undefined, failure: status.failure, logs };
    return { hash, value: readValue(status.value), failure: undefined, logs };
  }

  view(account: string, method: string, args: Readonly<Record<string, unknown>> = {}): unknown {
    const { head, state } = this.chain;
    const bytes = Buffer.from(JSON.stringify(args));
    const run = runView(state, { account, method, args: bytes, timestampNs: head.timestampNs });
    if (run.kind !== 'value') throw new Error(`${account} has no view method ${method}.`);
    return JSON.parse(Buffer.from(run.value).toString('utf8'));
  }

  balanceOf(accountId: string): bigint | undefined {
    return findAccount(this.chain.state, accountId)?.amount;
  }

  produce(count: number, { perBlock = 200, people = 100 }: { perBlock?: number; people?: number } = {}): Produced {
    const fromHeight = this.chain.nextHeight;
    const bench = this.#bench ?? this.#startBench(people);
    this.#bench = bench;
    for (let left = count; left > 0; left -= perBlock) {
      throwTransactions(bench, Math.min(perBlock, left));
      this.#nextBlock();
    }
    this.settle();
    this.#aheads.clear();
    return { transactions: count, fromHeight, toHeight: this.chain.head.height };
  }

  readonly #aheads = new Map<string, bigint>();

  /** Several transactions of one account in one block need consecutive nonces. */
  #actAhead(signerId: string, receiverId: string, actions: readonly Action[]): void {
    const ahead = this.#aheads.get(signerId) ?? 0n;
    this.#aheads.set(signerId, ahead + 1n);
    actAs(this.chain, signerId, receiverId, actions, ahead);
  }

  /** A block includes pending transactions, unless a shard has no chunk: then another block follows. */
  #nextBlock(): void {
    do this.chain.makeBlock();
    while (this.chain.isWaitingAnywhere);
    this.#aheads.clear();
  }

  #startBench(count: number): Bench {
    this.createAccount(benchRoot, 1_000_000n * near);
    const owner = { owner_id: benchRoot };
    for (const id of Object.values(benchContracts)) this.createAccount(id);
    const coin = { spec: 'ft-1.0.0', name: 'Coin', symbol: 'COIN', decimals: 6 };
    this.deploy(benchContracts.coin, 'nep141', { ...owner, total_supply: '1000000000000', metadata: coin });
    this.deploy(benchContracts.art, 'nep171', {
      ...owner,
      metadata: { spec: 'nft-1.0.0', name: 'Art', symbol: 'ART' },
    });
    const act = (signer: string, receiver: string, actions: readonly Action[]) =>
      this.#actAhead(signer, receiver, actions);
    const people = benchPeople(count);
    prepareBench(act, this.#seed, people);
    this.#nextBlock();
    this.settle();
    return { chain: this.chain, dice: createDice(count), act, people, minted: 0, subAccounts: 0 };
  }
}

/** Returns JSON if a contract returned JSON, otherwise bytes. */
function readValue(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return bytes;
  }
}

export interface NearChainOptions extends EmulatorAddress {
  /** The same seed and clock give the same blocks, hashes and keys. */
  seed?: string;
  /** Milliseconds since 1970. */
  clock?: Clock;
  chainId?: string;
  shards?: number;
  firstHeight?: number;
  /** The probability that a height has no block. */
  skipProbability?: number;
  /** The probability that a block repeats the chunk of a shard from an earlier block. */
  missingChunkProbability?: number;
  /** A transaction may refer to a block that is at most this many heights old. */
  validityHeights?: number;
}

/** The contracts that can be deployed. */
export type NearCode = 'nep141' | 'nep171' | 'market' | 'bridge-token' | 'bridge-factory';

/** The outcome of a transaction that the emulator created itself. */
export interface Acted {
  hash: string;
  /** The final result, as bytes if it is not JSON; undefined on failure. */
  value: unknown;
  failure: unknown;
  logs: readonly string[];
}

export interface NearChain extends HttpEmulator {
  chainId: string;
  /** Creates an account and returns its full-access key. Defaults to 100 NEAR. */
  createAccount(accountId: string, balance?: bigint): NearTestAccount;
  /** Deploys a contract to an existing account, and calls `new` with the arguments. */
  deploy(accountId: string, code: NearCode, init?: Readonly<Record<string, unknown>>): void;
  /** Acts as an account without a signature, and waits until it is final. */
  act(signerId: string, receiverId: string, actions: readonly Action[]): Acted;
  view(contractId: string, method: string, args?: Readonly<Record<string, unknown>>): unknown;
  balanceOf(accountId: string): bigint | undefined;
  makeBlocks(count: number): void;
  /** Produces many transactions fast, some of which fail. Each block has `perBlock` of them. */
  produce(count: number, shape?: { perBlock?: number; people?: number }): Produced;
  /** Deletes the state below a height, as nodes without an archive do. */
  forgetBelow(height: number): void;
  /** Transactions are accepted, but stay out of blocks until `release`. */
  hold(): void;
  release(): void;
  readonly head: Block;
  readonly final: Block;
  /** The sum of all balances, and everything that was ever burnt and created. */
  readonly totals: { balances: bigint; burnt: bigint; made: bigint };
}
