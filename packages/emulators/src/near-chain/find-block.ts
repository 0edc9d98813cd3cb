import type { Block } from './block.ts';
import type { Chain } from './chain.ts';
import { handlerError, parseError } from './rpc-error.ts';

export type RpcParams = Readonly<Record<string, unknown>>;

/** Returns the block that a request specifies by height, hash or finality. */
export function findBlock(chain: Chain, params: RpcParams): Block {
  const { block_id: id, finality, sync_checkpoint: checkpoint } = params;
  if (id === undefined || id === null) {
    if (checkpoint === 'genesis' || checkpoint === 'earliest_available') return chain.genesis;
    if (finality === 'final' || finality === 'near-final') return chain.final;
    if (finality === 'optimistic') return chain.head;
    throw parseError('Failed parsing args: missing field `finality`');
  }
  const block = typeof id === 'number' ? chain.blockAt(id) : typeof id === 'string' ? chain.blockOf(id) : undefined;
  if (typeof id !== 'number' && typeof id !== 'string') throw parseError('Failed parsing args: block_id');
  if (block === undefined) {
    const message =
      typeof id === 'number' ? `DB Not Found Error: BLOCK HEIGHT: ${id}` : `DB Not Found Error: BLOCK HEADER: ${id}`;
    throw handlerError('UNKNOWN_BLOCK', {}, message);
  }
  return block;
}
