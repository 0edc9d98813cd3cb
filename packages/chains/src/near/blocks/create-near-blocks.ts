import { fieldOf } from '@latchkey/adapter-kit';
import type { NearBlockSeen, NearBlocks } from '@latchkey/core/ports';
import { createAskNear, NearRefusal, type NearRpcOptions } from './ask-near.ts';
import { readChunk } from './read-chunk.ts';
import { digitsOf, listOf, numberOf, textOf } from './read-field.ts';
import { readOutcome } from './read-outcome.ts';

export interface NearBlocksOptions extends NearRpcOptions {
  network: string;
  /** The height after which to begin; the newest block when absent. */
  startsAfter?: number | undefined;
}

/** Reads a NEAR network over the JSON-RPC of its nodes: blocks with their chunks, and what became of transactions. */
export function createNearBlocks({ network, startsAfter, ...options }: NearBlocksOptions): NearBlocks {
  const ask = createAskNear(options);

  const block = async (at: number | string, signal: AbortSignal): Promise<NearBlockSeen | undefined> => {
    const found = await unless(['UNKNOWN_BLOCK', 'GARBAGE_COLLECTED_BLOCK'], ask('block', { block_id: at }, signal));
    if (found === undefined) return undefined;
    const header = fieldOf(found, 'header');
    const height = numberOf(header, 'height');
    // A shard that made nothing at this height shows its last chunk once more.
    const fresh = listOf(found, 'chunks').filter((chunk) => fieldOf(chunk, 'height_included') === height);
    const hashes = fresh.map((chunk) => textOf(chunk, 'chunk_hash'));
    const chunks = hashes.map(async (hash) => readChunk(hash, await ask('chunk', { chunk_id: hash }, signal)));
    return {
      height,
      hash: textOf(header, 'hash'),
      previousHash: textOf(header, 'prev_hash'),
      timestamp: digitsOf(header, 'timestamp_nanosec'),
      chunks: await Promise.all(chunks),
    };
  };

  return {
    network,
    ...(startsAfter !== undefined && { startsAfter }),
    newest: async (signal) => numberOf(fieldOf(await ask('block', { finality: 'final' }, signal), 'header'), 'height'),
    block,
    outcome: async (hash, signer, signal) => {
      const params = { tx_hash: hash, sender_account_id: signer, wait_until: 'NONE' };
      const found = await unless(['UNKNOWN_TRANSACTION'], ask('EXPERIMENTAL_tx_status', params, signal));
      return found === undefined ? undefined : readOutcome(found);
    },
  };
}

/** Undefined for refusals of these names. */
async function unless(causes: readonly string[], answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NearRefusal && causes.includes(error.reason)) return undefined;
    throw error;
  }
}
