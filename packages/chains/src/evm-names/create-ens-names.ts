import type { NameAnswer, NameService } from '@latchkey/core/ports';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from '../evm-holdings/chain-view.ts';
import { toAddress } from '../evm-holdings/decode-words.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from '../evm-holdings/evm-chain.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { pinNewest } from '../evm-holdings/pin-block.ts';
import { callData, tryWords } from '../evm-holdings/reading.ts';
import { Unreadable } from '../evm-holdings/unreadable.ts';

export interface EnsNamesOptions extends EvmChainsOptions {
  /** The chain of the registry; Ethereum unless told. */
  chain?: string;
}

// The registry of ENS, which every name is looked up in first.
const registry: Hex = '0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e';
const nobody: Hex = `0x${'0'.repeat(40)}`;

/**
 * The names of ENS, as far as they are resolved on the chain itself. Resolvers that send their askers to a server elsewhere
 * are not followed: whoever owns a name would choose what this server calls. Undefined without a node of the chain.
 */
export function createEnsNames({ chain = 'evm:1', ...options }: EnsNamesOptions): NameService | undefined {
  const found = createEvmChains(options)(chain);
  return found && { namespace: 'evm', resolve: (name, signal) => resolve(found, name, signal) };
}

async function resolve(chain: EvmChain, name: string, signal: AbortSignal | undefined): Promise<NameAnswer> {
  const node = await nodeOf(name);
  if (node === undefined) return none('This is spelled like no name of ENS.');
  try {
    const block = await pinNewest(chain, { quorum: 1, signal });
    return await lookUp(createChainView(chain, block, { quorum: 1, signal }), node);
  } catch (error) {
    // Errors nobody foresaw are not quoted: they may hold an address with a key in it.
    const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
    return { kind: 'unknown', reason: isForeseen ? error.message : 'The answer of the node could not be used.' };
  }
}

async function lookUp(view: ChainView, node: bigint): Promise<NameAnswer> {
  const resolvers = await tryWords(view, registry, callData('resolver(bytes32)', node));
  if (resolvers === undefined) throw new Unreadable(`There is no ENS on ${view.chain.name}.`);
  const resolver = toAddress(resolvers[0] ?? '');
  if (resolver === undefined || resolver === nobody) return none('This name has no address on the chain itself.');
  const [word = ''] = (await tryWords(view, resolver, callData('addr(bytes32)', node))) ?? [];
  const address = toAddress(word);
  if (address === undefined || address === nobody) return none('This name has no address on the chain itself.');
  return { kind: 'found', address };
}

/** The hash that a name is kept under; undefined for what ENSIP-15 does not allow as a name. */
async function nodeOf(name: string): Promise<bigint | undefined> {
  const { namehash, normalize } = await import('viem/ens');
  try {
    return BigInt(namehash(normalize(name)));
  } catch {
    return undefined;
  }
}

function none(reason: string): NameAnswer {
  return { kind: 'none', reason: `${reason} Write the address that is meant.` };
}
