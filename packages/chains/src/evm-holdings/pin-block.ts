import type { BlockPoint } from '@latchkey/core/ports';
import type { EvmChain } from './evm-chain.ts';
import type { BlockHeader } from './node-rpc.ts';
import { Unreadable } from './unreadable.ts';

export interface PinOptions {
  quorum: number;
  signal?: AbortSignal | undefined;
}

/**
 * Returns the newest block that enough endpoints have. One more endpoint than necessary is queried, if there is one: a stalled endpoint can
 * only be detected by comparison.
 */
export async function pinNewest(chain: EvmChain, { quorum, signal }: PinOptions): Promise<BlockHeader> {
  const { pool, settings } = chain;
  const answers = await pool.collect((endpoint, abort) => chain.rpc(endpoint, abort).header('latest'), {
    want: quorum + 1,
    atLeast: quorum,
    includeStale: true,
    kind: 'header',
    signal,
  });
  for (const { endpoint, value } of answers) if (value) pool.sawBlock(endpoint, value.number);
  const fresh = answers.flatMap(({ endpoint, value }) => (value && !pool.isStale(endpoint) ? [value] : []));
  const pinned = fresh.sort((one, other) => (one.number > other.number ? -1 : 1))[quorum - 1];
  if (pinned === undefined) throw new Unreadable(`The endpoints of ${chain.name} are behind the newest block.`);
  const ageSeconds = chain.clock().getTime() / 1000 - Number(pinned.timestampSeconds);
  if (ageSeconds > (settings.maxHeadAgeSeconds ?? Number.POSITIVE_INFINITY)) {
    throw new Unreadable(`The newest block of ${chain.name} is ${Math.round(ageSeconds)} seconds old.`);
  }
  return pinned;
}

/** Returns a past block, and throws if it has been replaced. */
export async function pinAt(chain: EvmChain, block: BlockPoint, options: PinOptions): Promise<BlockHeader> {
  const { quorum, signal } = options;
  if (!/^(\d{1,15}|0x[0-9a-f]{1,12})$/i.test(block.number))
    throw new Unreadable('The block to read at is not a number.');
  const number = BigInt(block.number);
  const answers = await chain.pool.collect((endpoint, abort) => chain.rpc(endpoint, abort).header(number), {
    want: quorum,
    kind: 'header',
    block: number,
    signal,
  });
  const [first, ...others] = answers.map(({ value }) => value);
  if (first === undefined) throw new Unreadable(`${chain.name} has no block ${number} yet.`);
  if (others.some((other) => other?.hash !== first.hash)) {
    throw new Unreadable(`The ${chain.name} endpoints disagree on block ${number}.`);
  }
  if (block.hash !== undefined && block.hash.toLowerCase() !== first.hash) {
    throw new Unreadable(`Block ${number} of ${chain.name} was replaced by another one.`);
  }
  return first;
}
