import type { CallResult } from './ask-chunk.ts';
import type { EvmCall } from './encode-calls.ts';
import type { EvmChain } from './evm-chain.ts';
import type { BlockHeader, Hex } from './node-rpc.ts';
import { runCalls } from './run-calls.ts';

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
}

interface Waiting {
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
  const place = `${quorum} ${block.hash} `;

  async function flush(): Promise<void> {
    const batch = waiting;
    waiting = [];
    try {
      const results = await runCalls(
        chain,
        batch.map(({ call }) => call),
        { block, quorum, signal },
      );
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] ?? { reason: 'The node left out an answer.' });
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function enqueue(call: EvmCall): Promise<CallResult> {
    // Whatever is asked before the event loop turns belongs to the same batch.
    if (waiting.length === 0) setImmediate(flush);
    return new Promise((resolve, reject) => void waiting.push({ call, resolve, reject }));
  }

  return {
    chain,
    block,
    quorum,
    signal,
    call: (to, data) => {
      const key = `${place}${to}${data}`;
      return remember(chain.calls, key, () => enqueue({ to, data }), isResult);
    },
  };
}

type Remembered = EvmChain['calls'];

/** What was asked before, or is being asked, under this key. What turns out not to be worth keeping is forgotten. */
export function remember<T>(
  known: Remembered,
  key: string,
  ask: () => Promise<T>,
  isWorthKeeping: (value: T) => boolean = () => true,
): Promise<T> {
  // The map holds under each key only what `ask` of the same key gave.
  const before = known.get(key) as Promise<T> | undefined;
  if (before !== undefined) return before;
  const asked = ask();
  known.set(key, asked);
  asked.then(
    (value) => {
      if (!isWorthKeeping(value)) known.delete(key);
    },
    () => known.delete(key),
  );
  return asked;
}

function isResult(result: CallResult): boolean {
  return 'data' in result;
}
