import { within } from '@latchkey/adapter-kit';
import { type Egress, EgressFailed, EgressRefused, type NameAnswer, type NameService } from '@latchkey/core/ports';
import { decodeErrorResult, encodeAbiParameters, isHex, parseAbi } from 'viem/utils';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from '../evm-holdings/chain-view.ts';
import { toAddress } from '../evm-holdings/decode-words.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from '../evm-holdings/evm-chain.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { pinNewest } from '../evm-holdings/pin-block.ts';
import { callData, tryWords } from '../evm-holdings/reading.ts';
import { Unreadable } from '../evm-holdings/unreadable.ts';

export interface EnsNamesOptions extends EvmChainsOptions {
  /** Sends requests to gateways, which the owners of names choose. */
  egress: Egress;
  /** The chain of the registry; defaults to Ethereum. */
  chain?: string;
}

// The ENS registry, where every lookup starts.
const registry: Hex = '0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e';
const nobody: Hex = `0x${'0'.repeat(40)}`;

// Users wait for these lookups, so gateways get no more time than this.
const lookUpMs = 10_000;
const extendedResolver = '0x9061b923';

/**
 * Resolves ENS names. A resolver may redirect lookups to another server, which the owner of the name chooses, so that server is called
 * through the egress guard and within narrow limits. Returns undefined without a node for the chain.
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
  if (hashed === undefined) return none('This is not a valid ENS name.');
  try {
    const block = await pinNewest(chain, { quorum: 1, signal });
    const gateways = { egress, signal: within(lookUpMs, signal) };
    return await lookUp(createChainView(chain, block, { quorum: 1, signal }), hashed, gateways);
  } catch (error) {
    // Unexpected errors are not quoted: they may contain a URL with a key in it.
    const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
    return { kind: 'unknown', reason: isForeseen ? error.message : 'The node sent an unusable response.' };
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

/** Returns the resolver of a name, or that of the nearest parent name that resolves its subnames (ENSIP-10). */
async function findResolver(view: ChainView, { node, above }: HashedName) {
  const found = await Promise.all(
    [node, ...above].map((hash) => tryWords(view, registry, callData('resolver(bytes32)', hash))),
  );
  if (found[0] === undefined) throw new Unreadable(`ENS is not available on ${view.chain.name}.`);
  const resolvers = found.map((words) => toAddress(words?.[0] ?? '') ?? nobody);
  const place = resolvers.findIndex((resolver) => resolver !== nobody);
  const address = resolvers[place];
  if (address === undefined) return undefined;
  const requested: Hex = `${callData('supportsInterface(bytes4)')}${extendedResolver.slice(2).padEnd(64, '0')}`;
  const [isExtended = ''] = (await tryWords(view, address, requested)) ?? [];
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
  /** The parent names, nearest first. */
  above: readonly bigint[];
  /** In DNS wire format. */
  packet: Hex;
}

/** Returns the hashes of a name and its parents; undefined for names that ENSIP-15 does not allow. */
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
  return { kind: 'none', reason: `${reason} Use the address instead.` };
}

/** The gateway access for one name. */
interface Gateways {
  egress: Egress;
  /** Aborts after the time that one name may take, whatever its gateways do. */
  signal: AbortSignal;
}

// The owner of a name chooses its resolver, and with it what is called here. ENS itself needs one round, or two where a resolver delegates
// to another one.
const maxRounds = 4;
const maxUrlsPerRound = 3;
const maxUrlLength = 2_000;
const maxAnswerBytes = 65_536;
const maxQuestionBytes = 16_384;

const abi = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);
const lookupSelector = '556f1830';

/**
 * Reads from a contract that may redirect the reader to a gateway and then expects to be called with its response (EIP-3668, CCIP-read).
 * Returns undefined if the contract refuses. Throws `Unreadable` if a gateway fails or a limit is reached.
 */
async function readFollowing(
  view: ChainView,
  call: { to: Hex; data: Hex },
  gateways: Gateways,
): Promise<Hex | undefined> {
  let { data } = call;
  for (let round = 0; ; round += 1) {
    const result = await view.call(call.to, data);
    if ('reason' in result) throw new Unreadable(result.reason);
    if (result.isReturned) return `0x${result.data}`;
    if (!result.data.startsWith(lookupSelector)) return undefined;
    const lookup = readLookup(`0x${result.data}`);
    if (lookup === undefined || lookup.sender.toLowerCase() !== call.to) return undefined;
    if (round === maxRounds) throw new Unreadable(`The name needs more than ${maxRounds} lookups.`);
    const answer = await askGateways(lookup, gateways);
    const bytes = [{ type: 'bytes' }, { type: 'bytes' }] as const;
    data = `${lookup.callback}${encodeAbiParameters(bytes, [answer, lookup.extraData]).slice(2)}`;
  }
}

interface Lookup {
  sender: Hex;
  urls: readonly string[];
  question: Hex;
  callback: Hex;
  extraData: Hex;
}

function readLookup(data: Hex): Lookup | undefined {
  try {
    const { args } = decodeErrorResult({ abi, data });
    const [sender, urls, question, callback, extraData] = args;
    return { sender, urls, question, callback, extraData };
  } catch {
    return undefined;
  }
}

/** Returns the response of the first gateway that gives one. */
async function askGateways(lookup: Lookup, { egress, signal }: Gateways): Promise<Hex> {
  if ((lookup.question.length - 2) / 2 > maxQuestionBytes)
    throw new Unreadable('The request to this name’s gateway is too large.');
  for (const url of lookup.urls.slice(0, maxUrlsPerRound)) {
    const answer = await askGateway(egress, url, lookup, signal).catch((error: unknown) => {
      if (signal.aborted) throw new Unreadable('This name’s gateway timed out.');
      if (error instanceof EgressRefused || error instanceof EgressFailed) return undefined;
      throw error;
    });
    if (answer !== undefined) return answer;
  }
  throw new Unreadable('The gateway that this name points to cannot be used.');
}

async function askGateway(
  egress: Egress,
  template: string,
  { sender, question }: Lookup,
  signal: AbortSignal,
): Promise<Hex | undefined> {
  if (!template.startsWith('https://') || template.length > maxUrlLength) return undefined;
  const isGet = template.includes('{data}');
  const url = template.replace('{sender}', sender.toLowerCase()).replace('{data}', question);
  const post = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: question, sender }) };
  const { status, body } = await egress.send({
    method: isGet ? 'GET' : 'POST',
    url,
    ...(!isGet && post),
    maxResponseBytes: maxAnswerBytes,
    signal,
  });
  return status === 200 ? readAnswer(Buffer.from(body).toString('utf8')) : undefined;
}

function readAnswer(text: string): Hex | undefined {
  try {
    const { data } = Object(JSON.parse(text));
    return isHex(data) && data.length % 2 === 0 ? data : undefined;
  } catch {
    return undefined;
  }
}
