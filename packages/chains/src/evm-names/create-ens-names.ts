import { within } from '@latchkey/adapter-kit';
import type { Egress, NameAnswer, NameService } from '@latchkey/core/ports';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from '../evm-holdings/chain-view.ts';
import { toAddress } from '../evm-holdings/decode-words.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from '../evm-holdings/evm-chain.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { pinNewest } from '../evm-holdings/pin-block.ts';
import { callData, tryWords } from '../evm-holdings/reading.ts';
import { Unreadable } from '../evm-holdings/unreadable.ts';
import { type Gateways, readFollowing } from './follow-lookup.ts';

export interface EnsNamesOptions extends EvmChainsOptions {
  /** The way to gateways, which the owners of names choose. */
  egress: Egress;
  /** The chain of the registry; Ethereum unless told. */
  chain?: string;
}

// The registry of ENS, which every name is looked up in first.
const registry: Hex = '0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e';
const nobody: Hex = `0x${'0'.repeat(40)}`;

// The names of one account are looked up by people who wait; gateways get no more of that time.
const lookUpMs = 10_000;
const extendedResolver = '0x9061b923';

/**
 * The names of ENS. A resolver may send its readers to a server elsewhere, and whoever owns a name chooses that server: it
 * is asked through the guard and within narrow limits. Undefined without a node of the chain.
 */
export function createEnsNames({ chain = 'evm:1', egress, ...options }: EnsNamesOptions): NameService | undefined {
  const found = createEvmChains(options)(chain);
  return found && { namespace: 'evm', resolve: (name, signal) => resolve(found, egress, name, signal) };
}

async function resolve(
  chain: EvmChain,
  egress: Egress,
  name: string,
  signal: AbortSignal | undefined,
): Promise<NameAnswer> {
  const hashed = await hashName(name);
  if (hashed === undefined) return none('This is spelled like no name of ENS.');
  try {
    const block = await pinNewest(chain, { quorum: 1, signal });
    const gateways = { egress, signal: within(lookUpMs, signal) };
    return await lookUp(createChainView(chain, block, { quorum: 1, signal }), hashed, gateways);
  } catch (error) {
    // Errors nobody foresaw are not quoted: they may hold an address with a key in it.
    const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
    return { kind: 'unknown', reason: isForeseen ? error.message : 'The answer of the node could not be used.' };
  }
}

async function lookUp(view: ChainView, name: HashedName, gateways: Gateways): Promise<NameAnswer> {
  const resolver = await findResolver(view, name);
  const data = callData('addr(bytes32)', name.node);
  const word =
    resolver &&
    (resolver.isExtended
      ? await askExtended(view, resolver.address, { name: name.packet, data }, gateways)
      : await readFollowing(view, { to: resolver.address, data }, gateways));
  const address = toAddress(word?.slice(2, 66) ?? '');
  if (address === undefined || address.length !== 42 || address === nobody) return none('This name has no address.');
  return { kind: 'found', address };
}

/** The resolver of a name, or that of the nearest name above it if it answers for names below (ENSIP-10). */
async function findResolver(view: ChainView, { node, above }: HashedName) {
  const found = await Promise.all(
    [node, ...above].map((hash) => tryWords(view, registry, callData('resolver(bytes32)', hash))),
  );
  if (found[0] === undefined) throw new Unreadable(`There is no ENS on ${view.chain.name}.`);
  const resolvers = found.map((words) => toAddress(words?.[0] ?? '') ?? nobody);
  const place = resolvers.findIndex((resolver) => resolver !== nobody);
  const address = resolvers[place];
  if (address === undefined) return undefined;
  const asked: Hex = `${callData('supportsInterface(bytes4)')}${extendedResolver.slice(2).padEnd(64, '0')}`;
  const [isExtended = ''] = (await tryWords(view, address, asked)) ?? [];
  if (/^0{63}1$/.test(isExtended)) return { address, isExtended: true };
  return place === 0 ? { address, isExtended: false } : undefined;
}

async function askExtended(view: ChainView, to: Hex, question: { name: Hex; data: Hex }, gateways: Gateways) {
  const { decodeAbiParameters, encodeFunctionData, parseAbi } = await import('viem/utils');
  const abi = parseAbi(['function resolve(bytes name, bytes data) view returns (bytes)']);
  const args = [question.name, question.data] as const;
  const answer = await readFollowing(view, { to, data: encodeFunctionData({ abi, args }) }, gateways);
  try {
    return answer && decodeAbiParameters([{ type: 'bytes' }], answer)[0];
  } catch {
    return undefined;
  }
}

interface HashedName {
  node: bigint;
  /** The names above it, nearest first. */
  above: readonly bigint[];
  /** As DNS writes it. */
  packet: Hex;
}

/** The hashes that a name and those above it are kept under; undefined for what ENSIP-15 does not allow as a name. */
async function hashName(name: string): Promise<HashedName | undefined> {
  const { namehash, normalize, packetToBytes } = await import('viem/ens');
  try {
    const normal = normalize(name);
    if (Buffer.byteLength(normal) > 255) return undefined;
    const labels = normal.split('.');
    const above = labels.slice(1).map((_, index) => BigInt(namehash(labels.slice(index + 1).join('.'))));
    const packet: Hex = `0x${Buffer.from(packetToBytes(normal)).toString('hex')}`;
    return { node: BigInt(namehash(normal)), above, packet };
  } catch {
    return undefined;
  }
}

function none(reason: string): NameAnswer {
  return { kind: 'none', reason: `${reason} Write the address that is meant.` };
}
