import type { ChainView } from './chain-view.ts';
import type { BlockHeader } from './node-rpc.ts';
import { Unreadable } from './unreadable.ts';

type Sample = Pick<BlockHeader, 'number' | 'timestampSeconds'>;

const maxProbes = 60;

/** The last block that was there at a time, which is the first one when the chain is younger. */
export async function findBlockAt(view: ChainView, timeSeconds: bigint): Promise<bigint> {
  if (view.block.timestampSeconds <= timeSeconds) return view.block.number;
  let high: Sample = view.block;
  let low: Sample = await readHeader(view, 0n);
  if (low.timestampSeconds > timeSeconds) return 0n;
  for (let probe = 0; high.number - low.number > 1n; probe += 1) {
    if (probe > maxProbes) throw new Unreadable(`The times of the blocks of ${view.chain.name} make no sense.`);
    const sample = await readHeader(view, guess(low, high, timeSeconds, probe));
    if (sample.timestampSeconds <= timeSeconds) low = sample;
    else high = sample;
  }
  return low.number;
}

// Blocks come at a nearly even pace, so a straight line between two known ones mostly points close. Every third guess halves
// instead, in case the pace changed a lot.
function guess(low: Sample, high: Sample, timeSeconds: bigint, probe: number): bigint {
  const blocks = high.number - low.number;
  const seconds = high.timestampSeconds - low.timestampSeconds;
  const isHalving = probe % 3 === 2 || seconds <= 0n;
  const steps = isHalving ? blocks / 2n : ((timeSeconds - low.timestampSeconds) * blocks) / seconds;
  const inside = steps < 1n ? 1n : steps >= blocks ? blocks - 1n : steps;
  return low.number + inside;
}

async function readHeader({ chain, signal }: ChainView, number: bigint): Promise<BlockHeader> {
  const header = await chain.pool.ask((endpoint, abort) => chain.rpc(endpoint, abort).header(number), {
    kind: 'header',
    block: number,
    signal,
  });
  if (header === undefined) throw new Unreadable(`${chain.name} has no block ${number}.`);
  return header;
}
