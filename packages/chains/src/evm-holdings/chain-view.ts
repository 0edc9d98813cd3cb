import { EndpointsFailed } from '../endpoints/index.ts';
import { askAlone, askChunk, type CallResult, noMethod, type ReadMethod, type RunOptions } from './ask-chunk.ts';
import type { EvmCall } from './encode-calls.ts';
import { isPackable } from './encode-packed.ts';
import type { EvmChain } from './evm-chain.ts';
import type { BlockHeader, Hex } from './node-rpc.ts';

/** A chain at one block. Everything read through one view is from the same block. */
export interface ChainView {
  chain: EvmChain;
  block: BlockHeader;
  quorum: number;
  signal: AbortSignal | undefined;
  /**
   * Reads from a contract. Address and data are in lower case. Reads requested at the same time share a request, and duplicates are read
   * once.
   */
  call(to: Hex, data: Hex): Promise<CallResult>;
  /** Resolves when all requested reads have been sent to a node. */
  room(): Promise<void>;
}

interface Waiting {
  key: string;
  call: EvmCall;
  resolve(result: CallResult): void;
  reject(error: unknown): void;
}

export interface ViewOptions {
  quorum: number;
  signal?: AbortSignal | undefined;
}

export function createChainView(chain: EvmChain, block: BlockHeader, { quorum, signal }: ViewOptions): ChainView {
  let waiting: Waiting[] = [];
  const runner = createCallRunner(chain, { block, quorum, signal });
  const place = `${quorum} ${block.hash} `;

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const results = await runner.run(batch.map(({ call }) => call));
      batch.forEach(({ key, resolve }, index) => {
        const result = results[index] ?? { reason: 'The node left out a result.' };
        if (!('data' in result)) chain.calls.delete(key);
        resolve(result);
      });
    } catch (error) {
      for (const { key, reject } of batch) {
        chain.calls.delete(key);
        reject(error);
      }
    }
  }

  // Ten thousand members make fifty thousand calls, so each call allocates only this promise.
  function enqueue(key: string, call: EvmCall): Promise<CallResult> {
    // Everything requested before the next turn of the event loop belongs to the same batch.
    if (waiting.length === 0) setImmediate(flush);
    const request = new Promise<CallResult>((resolve, reject) => void waiting.push({ key, call, resolve, reject }));
    chain.calls.set(key, request);
    return request;
  }

  return {
    chain,
    block,
    quorum,
    signal,
    // The batch being collected is sent first.
    room: () => new Promise((resolve) => setImmediate(resolve)).then(runner.room),
    call: (to, data) => {
      const key = `${place}${to}${data}`;
      // Each key maps only to results of its own type.
      const known = chain.calls.get(key) as Promise<CallResult> | undefined;
      return known ?? enqueue(key, { to, data });
    },
  };
}

type Remembered = EvmChain['calls'];

/** Returns the cached or pending result of this key. Failures are not cached. */
export function remember<T>(known: Remembered, key: string, ask: () => Promise<T>): Promise<T> {
  // Each key maps only to results of `ask` for the same key.
  const before = known.get(key) as Promise<T> | undefined;
  if (before !== undefined) return before;
  const request = ask();
  known.set(key, request);
  request.catch(() => known.delete(key));
  return request;
}

const chunksAtOnce = 4;
// Smaller batches are not worth a separate packed call.
const leastPacked = 64;
// The code that makes the reads and everything it returns must fit the size limits of a contract.
const callsPerCreation = 100;
const callsPerSecondCheck = 200;
const maxSplits = 128;
const successesToGrow = 16;
// After this many blocks, a method that failed is tried again.
const blocksUntilRetry = 1_000n;

/** Makes many reads in few calls, all at one block. A failed read does not affect the others. */
interface CallRunner {
  /** Reads requested while others are in flight share their limits. */
  run(calls: readonly EvmCall[]): Promise<CallResult[]>;
  /** Resolves when all calls that were waiting have been sent. */
  room(): Promise<void>;
}

function createCallRunner(chain: EvmChain, options: RunOptions): CallRunner {
  const run = new Run(chain, options);
  return {
    run: async (calls) => run.lookTwice(calls, await run.all(calls)),
    room: () => run.turns(async () => undefined),
  };
}

class Run {
  readonly turns = createTurns(chunksAtOnce);
  readonly #chain: EvmChain;
  readonly #options: RunOptions;
  #splitsLeft = maxSplits;
  #successes = 0;

  constructor(chain: EvmChain, options: RunOptions) {
    this.#chain = chain;
    this.#options = options;
  }

  async all(calls: readonly EvmCall[]): Promise<CallResult[]> {
    const packed = this.#isOpen('packed') ? [...calls.keys()].filter((index) => isPackable(calls[index] ?? none)) : [];
    if (packed.length < leastPacked) return this.#inChunks(calls, this.#loose());
    const isPacked = new Set(packed);
    const loose = [...calls.keys()].filter((index) => !isPacked.has(index));
    const results: CallResult[] = [];
    const put = async (indexes: readonly number[], method: ReadMethod) => {
      const answers = await this.#inChunks(
        indexes.flatMap((index) => calls[index] ?? []),
        method,
      );
      indexes.forEach((index, place) => {
        results[index] = answers[place] ?? leftOut;
      });
    };
    await Promise.all([put(packed, 'packed'), put(loose, this.#loose())]);
    return results;
  }

  /**
   * A call that failed without a message may only have run out of gas because of another call in its chunk, so such calls are repeated,
   * each contract separately.
   */
  async lookTwice(calls: readonly EvmCall[], results: CallResult[]): Promise<CallResult[]> {
    const mute = [...calls.keys()].filter((index) => {
      const result = results[index];
      return result !== undefined && 'data' in result && !result.isReturned && result.data === '';
    });
    if (mute.length === 0 || calls.length === 1) return results;
    const again = [...results];
    for (const indexes of Map.groupBy(mute, (index) => calls[index]?.to).values()) {
      const requested = indexes.flatMap((index) => calls[index] ?? []);
      const answers = await this.#inChunks(requested, this.#loose(), callsPerSecondCheck);
      indexes.forEach((index, place) => {
        again[index] = answers[place] ?? leftOut;
      });
    }
    return again;
  }

  async #inChunks(
    calls: readonly EvmCall[],
    method: ReadMethod,
    limit = this.#chain.callsPerRequest,
  ): Promise<CallResult[]> {
    const size = method === 'creation' ? Math.min(limit, callsPerCreation) : limit;
    const chunks = Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
      calls.slice(index * size, (index + 1) * size),
    );
    const results: CallResult[][] = [];
    const left = chunks.entries();
    const work = async () => {
      for (const [index, chunk] of left) results[index] = await this.#chunk(chunk, method);
    };
    await Promise.all(Array.from({ length: chunksAtOnce }, work));
    return results.flat();
  }

  async #chunk(calls: readonly EvmCall[], method: ReadMethod): Promise<CallResult[]> {
    try {
      const results = await this.turns(() => askChunk(this.#chain, calls, method, this.#options));
      if (results === noMethod) return await this.#otherWay(calls, method);
      this.#grow();
      return results;
    } catch (error) {
      if (!(error instanceof EndpointsFailed)) throw error;
      if (!canBeSmaller(error)) return calls.map(() => ({ reason: error.message }));
      return method === 'packed' ? this.#otherWay(calls, method) : this.#smaller(calls, method, error);
    }
  }

  #otherWay(calls: readonly EvmCall[], method: ReadMethod): Promise<CallResult[]> {
    this.#chain.closedUntil.set(method, this.#options.block.number + (method === 'packed' ? blocksUntilRetry : 0n));
    return this.#inChunks(calls, this.#loose());
  }

  async #smaller(calls: readonly EvmCall[], method: ReadMethod, error: EndpointsFailed): Promise<CallResult[]> {
    const [only, ...more] = calls;
    if (only === undefined) return [];
    if (more.length === 0) return [await askAlone(this.#chain, only, this.#options)];
    if (this.#splitsLeft <= 0) return calls.map(() => ({ reason: error.message }));
    this.#splitsLeft -= 1;
    const half = Math.ceil(calls.length / 2);
    if (method === 'multicall') this.#chain.callsPerRequest = Math.min(this.#chain.callsPerRequest, Math.max(half, 16));
    this.#successes = 0;
    return [...(await this.#chunk(calls.slice(0, half), method)), ...(await this.#chunk(calls.slice(half), method))];
  }

  /** Grows the batch again after successes, since limits of nodes can be temporary. */
  #grow(): void {
    const chain = this.#chain;
    this.#successes += 1;
    if (this.#successes % successesToGrow === 0) {
      chain.callsPerRequest = Math.min(chain.maxCalls, chain.callsPerRequest * 2);
    }
  }

  #loose(): ReadMethod {
    return this.#isOpen('multicall') ? 'multicall' : 'creation';
  }

  #isOpen(method: ReadMethod): boolean {
    return this.#options.block.number > (this.#chain.closedUntil.get(method) ?? -1n);
  }
}

const none: EvmCall = { to: '0x', data: '0x00' };
const leftOut: CallResult = { reason: 'The node left out a result.' };

// A smaller request does not help when the nodes do not have the block.
function canBeSmaller(error: EndpointsFailed): boolean {
  const isMissing = /header not found|unknown block|block not found|missing trie|pruned|historical state/i;
  return error.isRefused && !error.refusals.some(({ details }) => isMissing.test(details));
}

/** Runs a task when it is its turn. */
type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** Limits how many tasks run at a time. The others wait in order. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
