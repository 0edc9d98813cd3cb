import { createDice } from '../dice.ts';
import { addBalance, findAccount, newAccount, putAccount, putKey, totalBalance, updateAccount } from './accounts.ts';
import { actAs, callAction } from './act-as.ts';
import { Chain, type ChainOptions } from './chain.ts';
import { firstNonce } from './change-account.ts';
import { codeBytes, hashOfCode } from './codes.ts';
import { settle } from './methods.ts';
import type { Acted, NearCode } from './near-chain.ts';
import {
  type Bench,
  benchContracts,
  benchPeople,
  benchRoot,
  type Produced,
  prepareBench,
  throwTransactions,
} from './produce.ts';
import { runView } from './run-method.ts';
import { type NearTestAccount, testAccount } from './test-keys.ts';
import type { Action } from './transaction.ts';

const near = 1_000_000_000_000_000_000_000_000n;
const supply = 1_000_000_000n * near;

/** A chain with a beginning, and what a test does to it besides sending transactions. */
export class Ledger {
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
    if (included === undefined) throw new Error('The transaction was not taken into a block.');
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

  /** Several transactions of one account in one block need nonces that follow each other. */
  #actAhead(signerId: string, receiverId: string, actions: readonly Action[]): void {
    const ahead = this.#aheads.get(signerId) ?? 0n;
    this.#aheads.set(signerId, ahead + 1n);
    actAs(this.chain, signerId, receiverId, actions, ahead);
  }

  /** A block takes what waits, unless it misses the chunk of a shard: then there is another one. */
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

/** JSON where a contract answered with JSON, and bytes where it did not. */
function readValue(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return bytes;
  }
}
