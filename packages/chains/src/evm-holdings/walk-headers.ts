import type { ChainCursor } from '@latchkey/core/ports';
import { EndpointFault } from '../endpoints/index.ts';
import type { BlockHeader, NodeRpc } from './node-rpc.ts';

/** Cached headers, by number. One is trusted only where the chain of hashes leads to it. */
export type SeenHeaders = Map<bigint, BlockHeader>;

/** Returns the headers above a block up to the newest one, oldest first, each the parent of the next. */
export async function walkDown(rpc: NodeRpc, seen: SeenHeaders, newest: BlockHeader, above: bigint) {
  const headers = [newest];
  for (let header = newest; header.number > above + 1n; ) {
    header = await parentOf(rpc, seen, header);
    headers.unshift(header);
  }
  return headers;
}

/**
 * Returns the newest of the passed blocks (newest first) that is an ancestor of the given one; undefined if none is. Walks down only as far
 * as the passed blocks reach.
 */
export async function findAncestor(
  rpc: NodeRpc,
  seen: SeenHeaders,
  from: BlockHeader,
  passed: readonly ChainCursor[],
): Promise<ChainCursor | undefined> {
  let header = from;
  for (const cursor of passed) {
    const number = BigInt(cursor.number);
    if (number > header.number) continue;
    header = number === header.number ? header : await headerBelow(rpc, seen, header, number);
    if (header.hash === cursor.hash.toLowerCase()) return cursor;
  }
  return undefined;
}

// Blocks just below are reached by their hashes. Over a wide gap, the node has to be trusted.
async function headerBelow(rpc: NodeRpc, seen: SeenHeaders, from: BlockHeader, number: bigint): Promise<BlockHeader> {
  if (from.number - number > 64n) return readHeader(rpc, number);
  let header = from;
  while (header.number > number) header = await parentOf(rpc, seen, header);
  return header;
}

// Development nodes that mine many blocks at once do not link them.
const leftOut = `0x${'0'.repeat(64)}`;

/** Whether the block right above a passed one has it as parent. */
export async function standsOn(rpc: NodeRpc, { number, parentHash }: BlockHeader, { hash }: ChainCursor) {
  const below = parentHash === leftOut ? (await readHeader(rpc, number - 1n)).hash : parentHash;
  return below === hash.toLowerCase();
}

async function parentOf(rpc: NodeRpc, seen: SeenHeaders, { number, parentHash }: BlockHeader): Promise<BlockHeader> {
  const known = seen.get(number - 1n);
  if (known?.hash === parentHash) return known;
  const parent = await readHeader(rpc, number - 1n);
  if (parent.hash !== parentHash && parentHash !== leftOut) throw new EndpointFault('reorganized during the request');
  seen.set(parent.number, parent);
  return parent;
}

export async function readHeader(rpc: NodeRpc, number: bigint): Promise<BlockHeader> {
  const header = await rpc.header(number);
  if (header === undefined) throw new EndpointFault('is missing a block');
  return header;
}

export function toCursor({ number, hash }: Pick<BlockHeader, 'number' | 'hash'>): ChainCursor {
  return { number: number.toString(), hash };
}

const rememberedBlocks = 128n;

/** Deletes cached headers that are far from a block. */
export function forgetHeaders(seen: SeenHeaders, number: bigint): void {
  for (const old of seen.keys()) if (old + rememberedBlocks < number) seen.delete(old);
}
