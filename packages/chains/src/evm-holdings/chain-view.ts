import type { CallResult } from './ask-chunk.ts';
import type { EvmCall } from './encode-calls.ts';
import type { EvmChain } from './evm-chain.ts';
import type { BlockHeader, Hex } from './node-rpc.ts';
import { createCallRunner } from './run-calls.ts';

/** A chain as it is at one block. Everything read through one view is true at the same moment. */
export interface ChainView {
  chain: EvmChain;
  block: BlockHeader;
  quorum: number;
  signal: AbortSignal | undefined;
  /**
   * Reads from a contract; address and data are in lower case. Reads that are wanted at the same time travel together, equal
   * ones once.
   */
  call(to: Hex, data: Hex): Promise<CallResult>;
  /** Resolves when all reads that were asked for have been sent to a node. */
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
        const result = results[index] ?? { reason: 'The node left out an answer.' };
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

  // Ten thousand members make fifty thousand calls: nothing is made for each of them but this promise.
  function enqueue(key: string, call: EvmCall): Promise<CallResult> {
    // Whatever is asked before the event loop turns belongs to the same batch.
    if (waiting.length === 0) setImmediate(flush);
    const asked = new Promise<CallResult>((resolve, reject) => void waiting.push({ key, call, resolve, reject }));
    chain.calls.set(key, asked);
    return asked;
  }

  return {
    chain,
    block,
    quorum,
    signal,
    // The batch that is being collected is sent first.
    room: () => new Promise((resolve) => setImmediate(resolve)).then(runner.room),
    call: (to, data) => {
      const key = `${place}${to}${data}`;
      // The map holds under each key only what was asked under it.
      const known = chain.calls.get(key) as Promise<CallResult> | undefined;
      return known ?? enqueue(key, { to, data });
    },
  };
}

type Remembered = EvmChain['calls'];

/** What was asked before, or is being asked, under this key. What failed is forgotten. */
export function remember<T>(known: Remembered, key: string, ask: () => Promise<T>): Promise<T> {
  // The map holds under each key only what `ask` of the same key gave.
  const before = known.get(key) as Promise<T> | undefined;
  if (before !== undefined) return before;
  const asked = ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}
