import { type Endpoint, EndpointFault, EndpointsFailed } from '../endpoints/index.ts';
import { readPackedCode } from './contracts/code.ts';
import {
  type CallOutcome,
  decodeAggregate3,
  decodeReadMany,
  type EvmCall,
  encodeAggregate3,
  encodeReadMany,
  type ManyOutcomes,
  word,
} from './encode-calls.ts';
import { packCalls, unpackOutcomes } from './encode-packed.ts';
import type { EvmChain } from './evm-chain.ts';
import type { BlockHeader, Hex, NodeRpc } from './node-rpc.ts';

/** The outcome of one read, or why it failed. */
export type CallResult = CallOutcome | { reason: string };

export interface RunOptions {
  block: BlockHeader;
  quorum: number;
  signal?: AbortSignal | undefined;
}

/**
 * How many reads are combined into one call. `packed` uses a state override to run our own code and sends little more than the accounts;
 * `multicall` calls Multicall3; `creation` simulates creating a contract that is thrown away.
 */
export type ReadMethod = 'packed' | 'multicall' | 'creation';

/** No node supports this method: it has no state overrides, or the chain has no Multicall3 at this block. */
export const noMethod = Symbol('no way');

// The key of this address is unknown, and no chain has code there.
const lentAddress: Hex = '0x1a7c4e00000000000000000000000000000000ca';

type Ask = (
  rpc: NodeRpc,
  chain: EvmChain,
  calls: readonly EvmCall[],
  block: bigint,
) => Promise<ManyOutcomes | typeof noMethod>;

const asks: Readonly<Record<ReadMethod, Ask>> = {
  packed: async (rpc, _chain, calls, block) => {
    const { data, order } = packCalls(calls);
    const answer = await rpc.call({ to: lentAddress, data }, block, { [lentAddress]: { code: readPackedCode } });
    return answer === '0x' ? noMethod : unpackOutcomes(answer, order);
  },
  multicall: async (rpc, { multicall }, calls, block) => {
    const answer = await rpc.call({ to: multicall, data: encodeAggregate3(multicall, calls) }, block);
    if (answer !== '0x') return decodeAggregate3(answer, calls.length);
    if ((await rpc.code(multicall, block)) !== '0x') throw new EndpointFault('sent an empty response');
    return noMethod;
  },
  creation: async (rpc, _chain, calls, block) =>
    decodeReadMany(await rpc.call({ data: encodeReadMany(calls) }, block), calls.length),
};

/** Sends many reads as one call to each of the required number of endpoints. Throws `EndpointsFailed`. */
export async function askChunk(
  chain: EvmChain,
  calls: readonly EvmCall[],
  method: ReadMethod,
  { block, quorum, signal }: RunOptions,
): Promise<CallResult[] | typeof noMethod> {
  const answers = await chain.pool.collect(
    async (endpoint: Endpoint, abort: AbortSignal) => {
      const many = await asks[method](chain.rpc(endpoint, abort), chain, calls, block.number);
      return many === noMethod ? noMethod : located(many, chain, block);
    },
    { want: quorum, kind: `${method} of size ${Math.ceil(Math.log2(calls.length + 1))}`, block: block.number, signal },
  );
  const values = answers.map(({ value }) => value);
  const lists = values.filter((value) => value !== noMethod);
  if (lists.length === 0) return noMethod;
  if (lists.length < values.length) return calls.map(() => disagreement(chain));
  return calls.map((_, index) => agree(lists, index, chain));
}

/** Refuses a response that was computed on another chain or at another block than requested. */
function located(many: ManyOutcomes, { chainId }: EvmChain, block: BlockHeader): CallOutcome[] {
  if (many.chainId.toString() !== chainId) throw new EndpointFault('answered for another chain');
  // Arbitrum-based chains give contracts the block number of the parent chain. The timestamp is their own.
  if (many.blockNumber !== block.number && many.timestampSeconds !== block.timestampSeconds) {
    throw new EndpointFault('answered for another block');
  }
  return many.outcomes;
}

/** The fallback for a single read that could not be part of a combined call. */
export async function askAlone(chain: EvmChain, { to, data }: EvmCall, options: RunOptions): Promise<CallResult> {
  const { block, quorum, signal } = options;
  try {
    const answers = await chain.pool.collect(
      async (endpoint, abort): Promise<CallOutcome[]> => {
        const rpc = chain.rpc(endpoint, abort);
        if (data === '0x') return [{ isReturned: true, data: word(await rpc.balance(to, block.number)) }];
        return [{ isReturned: true, data: (await rpc.call({ to, data }, block.number)).slice(2) }];
      },
      { want: quorum, kind: 'call', block: block.number, signal },
    );
    const lists = answers.map(({ value }) => value);
    return agree(lists, 0, chain);
  } catch (error) {
    if (!(error instanceof EndpointsFailed)) throw error;
    const isReverted = error.isRefused && error.refusals.every(({ code, details }) => isRevert(code, details));
    return isReverted ? { isReturned: false, data: '' } : { reason: error.message };
  }
}

function agree(lists: readonly (readonly CallOutcome[])[], index: number, chain: EvmChain): CallResult {
  const [first, ...others] = lists.map((list) => list[index]);
  if (first === undefined) return { reason: 'The node left out a result.' };
  const isSame = others.every((other) => other?.isReturned === first.isReturned && other.data === first.data);
  return isSame ? first : disagreement(chain);
}

function disagreement({ name }: EvmChain): CallResult {
  return { reason: `The ${name} endpoints disagree.` };
}

// Nodes report a revert in many ways: code 3 (geth), -32015 (Nethermind), or only in the message.
function isRevert(code: number, details: string): boolean {
  return code === 3 || code === -32015 || /revert|invalid opcode/i.test(details);
}
