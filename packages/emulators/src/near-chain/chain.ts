import type { Clock } from '../clock.ts';
import type { Dice } from '../dice.ts';
import { addBalance, findKey, updateKey } from './accounts.ts';
import type { Block, Chunk } from './block.ts';
import { executeReceipt } from './execute-receipt.ts';
import { costOf, feeOf } from './gas.ts';
import { hashOf, idFrom, noHash } from './hashes.ts';
import type { ActionReceipt, DataReceipt, Outcome, Receipt } from './receipt.ts';
import type { SignedTransaction } from './transaction.ts';
import { costOfTransaction, findInvalid } from './validate-transaction.ts';
import { WorldState } from './world-state.ts';

export interface ChainOptions {
  seed: string;
  clock: Clock;
  dice: Dice;
  shards: number;
  firstHeight: number;
  skipProbability: number;
  missingChunkProbability: number;
}

/** A transaction that was included in a block. */
export interface Included {
  signed: SignedTransaction;
  blockHash: string;
  chunkHash: string;
  outcome: Outcome;
  /** The resulting receipts, in order of execution. */
  executed: string[];
  /** The number of receipts that are still to be executed. */
  open: number;
}

interface Shard {
  waiting: SignedTransaction[];
  /** Created by the last chunk. They are included in the next one, and executed then. */
  outgoing: Receipt[];
  inbox: Receipt[];
  chunk: Chunk | undefined;
}

interface Fresh {
  block: Pick<Block, 'height' | 'hash' | 'timestampNs'>;
  gasUsed: number;
  burnt: bigint;
}

/** The ledger: accepts transactions, produces blocks of chunks, and executes what is in them. */
export class Chain {
  readonly state = new WorldState();
  readonly transactions = new Map<string, Included>();
  readonly receipts = new Map<string, Receipt>();
  readonly outcomes = new Map<string, Outcome>();
  readonly chunks = new Map<string, Chunk>();
  readonly #blocks: Block[] = [];
  readonly #byHash = new Map<string, Block>();
  readonly #byHeight = new Map<number, Block>();
  readonly #postponed = new Map<string, ActionReceipt>();
  readonly #data = new Map<string, Uint8Array | null>();
  readonly #shards: Shard[];
  readonly #options: ChainOptions;
  #burnt = 0n;
  #supply = 0n;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#shards = Array.from({ length: options.shards }, () => ({
      waiting: [],
      outgoing: [],
      inbox: [],
      chunk: undefined,
    }));
  }

  /** Everything that was ever burnt. */
  get burnt(): bigint {
    return this.#burnt;
  }

  get head(): Block {
    const head = this.#blocks.at(-1);
    if (head === undefined) throw new Error('The chain has no block yet.');
    return head;
  }

  /** The newest final block: two are built on it. */
  get final(): Block {
    return this.#blocks.at(-3) ?? this.#blocks[0] ?? this.head;
  }

  get genesis(): Block {
    return this.#blocks[0] ?? this.head;
  }

  /** The height of the next block, unless it is skipped. */
  get nextHeight(): number {
    return (this.#blocks.at(-1)?.height ?? this.#options.firstHeight - 1) + 1;
  }

  blockAt(height: number): Block | undefined {
    return this.#byHeight.get(height);
  }

  blockOf(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  startWith(supply: bigint): void {
    this.#supply = supply;
    this.makeBlock();
  }

  /** Queues a transaction in its shard. It is in no block yet. */
  enqueue(signed: SignedTransaction): void {
    this.#shardOf(signed.transaction.signerId).waiting.push(signed);
  }

  get isBusy(): boolean {
    return this.#shards.some(({ waiting, outgoing, inbox }) => waiting.length + outgoing.length + inbox.length > 0);
  }

  get isWaitingAnywhere(): boolean {
    return this.#shards.some(({ waiting }) => waiting.length > 0);
  }

  isWaiting(hash: string): boolean {
    return this.#shards.some(({ waiting }) => waiting.some((signed) => signed.hash === hash));
  }

  makeBlock(): Block {
    const { seed, clock, dice, skipProbability, missingChunkProbability } = this.#options;
    const previous = this.#blocks.at(-1);
    let height = this.nextHeight;
    while (previous !== undefined && dice.falls(skipProbability)) height += 1;
    this.state.beginHeight(height);
    const hash = hashOf(seed, `block/${height}`, previous?.hash ?? noHash);
    const earliestNs = (previous?.timestampNs ?? 0n) + 1_000_000n;
    const nowNs = BigInt(Math.floor(clock())) * 1_000_000n;
    const timestampNs = nowNs > earliestNs ? nowNs : earliestNs;
    const at = { height, hash, timestampNs };
    const isMissing = this.#shards.map(({ chunk }) => chunk !== undefined && dice.falls(missingChunkProbability));
    const chunks = this.#makeChunks(at, previous?.hash ?? noHash, isMissing);
    const block: Block = {
      ...at,
      prevHash: previous?.hash ?? noHash,
      prevHeight: previous?.height ?? 0,
      ordinal: this.#blocks.length + 1,
      chunks,
      totalSupply: this.#supply - this.#burnt,
    };
    this.#blocks.push(block);
    this.#byHash.set(hash, block);
    this.#byHeight.set(height, block);
    return block;
  }

  #makeChunks(at: Fresh['block'], prevBlockHash: string, isMissing: readonly boolean[]): Chunk[] {
    const present = this.#shards.map((shard, index) => ({ shard, index, isMissing: isMissing[index] === true }));
    const listed = present.map(({ shard, isMissing }) => (isMissing ? [] : shard.outgoing.splice(0)));
    for (const receipt of listed.flat()) this.#shardOf(receipt.receiverId).inbox.push(receipt);
    return present.map(({ shard, index, isMissing }) => {
      if (isMissing && shard.chunk !== undefined) return shard.chunk;
      const hash = hashOf(this.#options.seed, `chunk/${at.height}/${index}`, prevBlockHash);
      const fresh: Fresh = { block: at, gasUsed: 0, burnt: 0n };
      const transactions = shard.waiting.splice(0).flatMap((signed) => this.#include(signed, hash, fresh));
      for (const receipt of shard.inbox.splice(0)) this.#receive(receipt, fresh);
      const chunk: Chunk = {
        hash,
        shardId: index,
        height: at.height,
        prevBlockHash,
        transactions,
        receipts: (listed[index] ?? []).map(({ id }) => id),
        gasUsed: fresh.gasUsed,
        balanceBurnt: fresh.burnt,
      };
      shard.chunk = chunk;
      this.chunks.set(hash, chunk);
      return chunk;
    });
  }

  /** Creates a receipt from a transaction, unless it has become invalid since it was accepted. */
  #include(signed: SignedTransaction, chunkHash: string, fresh: Fresh): string[] {
    const { transaction, hash } = signed;
    const { signerId, publicKey, receiverId, actions } = transaction;
    const key = findKey(this.state, signerId, publicKey);
    if (key === undefined || findInvalid(this.state, transaction, fresh.block.height) !== undefined) return [];
    const cost = costOfTransaction(transaction);
    addBalance(this.state, signerId, -cost.total);
    const { permission } = key;
    const isMetered = permission !== 'FullAccess' && permission.allowance !== null;
    const rest = isMetered ? { ...permission, allowance: (permission.allowance ?? 0n) - cost.gas } : permission;
    updateKey(this.state, signerId, publicKey, { nonce: transaction.nonce, permission: rest });
    const id = idFrom(hash, fresh.block.height, 0);
    const fee = feeOf(actions);
    const outcome = this.#settle(fresh, {
      id: hash,
      executorId: signerId,
      gasBurnt: fee,
      logs: [],
      receiptIds: [id],
      status: { kind: 'receipt', id },
    });
    this.transactions.set(hash, { signed, blockHash: fresh.block.hash, chunkHash, outcome, executed: [], open: 0 });
    const receipt: ActionReceipt = {
      kind: 'action',
      id,
      transactionHash: hash,
      predecessorId: signerId,
      receiverId,
      signerId,
      signerPublicKey: publicKey,
      actions,
      inputDataIds: [],
      outputs: [],
      fee,
    };
    this.#send([receipt]);
    // Receipts of an account to itself are executed at once, and are in no chunk.
    if (signerId === receiverId) this.#receive(this.#shardOf(signerId).outgoing.pop() ?? receipt, fresh);
    return [hash];
  }

  #send(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      this.receipts.set(receipt.id, receipt);
      const included = this.transactions.get(receipt.transactionHash);
      if (included !== undefined && receipt.kind === 'action') included.open += 1;
      this.#shardOf(receipt.predecessorId).outgoing.push(receipt);
    }
  }

  #receive(receipt: Receipt, fresh: Fresh): void {
    if (receipt.kind === 'data') this.#receiveData(receipt, fresh);
    else if (receipt.inputDataIds.every((id) => this.#data.has(id))) this.#execute(receipt, fresh);
    else for (const id of receipt.inputDataIds) this.#postponed.set(id, receipt);
  }

  #receiveData({ dataId, data }: DataReceipt, fresh: Fresh): void {
    this.#data.set(dataId, data);
    const waiting = this.#postponed.get(dataId);
    if (waiting === undefined || !waiting.inputDataIds.every((id) => this.#data.has(id))) return;
    for (const id of waiting.inputDataIds) this.#postponed.delete(id);
    this.#execute(waiting, fresh);
  }

  #execute(receipt: ActionReceipt, fresh: Fresh): void {
    const { height, timestampNs } = fresh.block;
    const inputs = receipt.inputDataIds.map((id) => this.#data.get(id) ?? undefined);
    for (const id of receipt.inputDataIds) this.#data.delete(id);
    const executed = executeReceipt(receipt, { state: this.state, height, timestampNs, inputs });
    this.#send(executed.receipts);
    this.#settle(fresh, {
      id: receipt.id,
      executorId: receipt.receiverId,
      gasBurnt: executed.gasBurnt,
      logs: executed.logs,
      receiptIds: executed.receipts.map(({ id }) => id),
      status: executed.status,
    });
    const included = this.transactions.get(receipt.transactionHash);
    if (included === undefined) return;
    included.executed.push(receipt.id);
    included.open -= 1;
  }

  #settle(fresh: Fresh, happened: Omit<Outcome, 'blockHash' | 'tokensBurnt'>): Outcome {
    const tokensBurnt = costOf(happened.gasBurnt);
    const outcome: Outcome = { ...happened, blockHash: fresh.block.hash, tokensBurnt };
    this.outcomes.set(outcome.id, outcome);
    fresh.gasUsed += happened.gasBurnt;
    fresh.burnt += tokensBurnt;
    this.#burnt += tokensBurnt;
    return outcome;
  }

  /** Returns the shard of an account. The names of sub-accounts begin with their own part, so related accounts are spread. */
  #shardOf(accountId: string): Shard {
    let sum = 0;
    for (let at = 0; at < accountId.length; at += 1) sum = (sum * 31 + accountId.charCodeAt(at)) >>> 0;
    const shard = this.#shards[sum % this.#shards.length];
    if (shard === undefined) throw new Error('The chain has no shards.');
    return shard;
  }
}
