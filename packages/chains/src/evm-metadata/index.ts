import type {
  CodeAnswer,
  CollectionAnswer,
  ContractAnswer,
  ContractMetadata,
  ContractProbe,
  ControlAnswer,
  ProbeAnswer,
  StakingContract,
  TokenMetadataReader,
} from '@latchkey/core/ports';
import { parseTokenIds } from '@latchkey/kernel';
import { getContractAddress } from 'viem/utils';
import { EndpointsFailed } from '../endpoints/index.ts';
import { type ChainView, createChainView } from '../evm-holdings/chain-view.ts';
import { isErc721, isErc1155, kindOf } from '../evm-holdings/contract-kind.ts';
import { textAt, toNumber } from '../evm-holdings/decode-words.ts';
import { createEvmChains, type EvmChain, type EvmChainsOptions } from '../evm-holdings/evm-chain.ts';
import type { Hex } from '../evm-holdings/node-rpc.ts';
import { pinNewest } from '../evm-holdings/pin-block.ts';
import { createLogSearch } from '../evm-holdings/read-logs.ts';
import { createDescribeToken, type MetadataOptions } from '../evm-holdings/read-metadata.ts';
import {
  callData,
  type DescribeToken,
  findDecimals,
  type Reading,
  type Standard,
  toHexAddress,
  tryWords,
} from '../evm-holdings/reading.ts';
import { createStandards } from '../evm-holdings/standards-by-name.ts';
import { ContractRefused, ContractReverted, NotCallable, Unreadable } from '../evm-holdings/unreadable.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';

export interface EvmTokenMetadataOptions extends EvmChainsOptions {
  /** How documents behind token URIs are fetched. Without it, only metadata inside the URI is read. */
  metadata?: MetadataOptions | undefined;
  /** Staking contracts with a description of how to read them, as the reader of holdings has them. */
  stakingContracts?: readonly StakingContract[] | undefined;
}

type Unknown = { kind: 'unknown'; reason: string };

/** Reads the metadata of token contracts and their tokens at the newest block of their chain. */
export function createEvmTokenMetadata(options: EvmTokenMetadataOptions): TokenMetadataReader {
  const findChain = createEvmChains(options);
  const describe = createDescribeToken(options.metadata ?? {});
  const standards = createStandards(options.stakingContracts ?? []);
  return {
    reads: (chain) => findChain(chain) !== undefined,
    read: async (chain, contracts, signal) => {
      const answers = await look(findChain(chain), signal, (view) =>
        Promise.all(contracts.map((contract) => readContract(view, contract))),
      );
      return Array.isArray(answers) ? answers : contracts.map(() => answers);
    },
    readCode: async (chain, contracts, signal) => {
      const answers = await look(findChain(chain), signal, (view) =>
        Promise.all(contracts.map((contract) => readCode(view, contract))),
      );
      return Array.isArray(answers) ? answers : contracts.map(() => answers);
    },
    probe: async (chain, probes, signal) => {
      const found = findChain(chain);
      const quorum = Math.min(endpointsForCode, found?.pool.independent ?? 1);
      const read = (view: ChainView) =>
        Promise.all(probes.map((one) => probeContract(readingOf(view, one, describe), standards)));
      const answers = await look(found, signal, read, quorum);
      return Array.isArray(answers) ? answers : probes.map(() => answers);
    },
    readCollection: async (chain, contract, { limit, signal }) =>
      look(findChain(chain), signal, (view) => readCollection(view, describe, contract, limit)),
    readControl: async (chain, contract, accounts, signal) => {
      const address = toHexAddress(contract);
      if (address === undefined) return { kind: 'not-controlled' };
      return look(findChain(chain), signal, (view) => readControl(view, address, accounts));
    },
  };
}

async function look<T>(
  chain: EvmChain | undefined,
  signal: AbortSignal | undefined,
  read: (view: ChainView) => Promise<T>,
  quorum = 1,
): Promise<T | Unknown> {
  if (chain === undefined) return { kind: 'unknown', reason: 'No node is configured for this chain.' };
  try {
    const block = await pinNewest(chain, { quorum, signal });
    return await read(createChainView(chain, block, { quorum, signal }));
  } catch (error) {
    return unknownBecause(error);
  }
}

async function readContract(view: ChainView, contract: string): Promise<ContractAnswer> {
  const address = toHexAddress(contract);
  if (address === undefined) return { kind: 'read', metadata: {} };
  try {
    return { kind: 'read', metadata: await describeContract(view, address) };
  } catch (error) {
    return unknownBecause(error);
  }
}

const endpointsForCode = 2;

/** Missing code is accepted only if every queried endpoint agrees: one that is behind does not have a new contract yet. */
async function readCode({ chain, block, signal }: ChainView, contract: string): Promise<CodeAnswer> {
  const address = toHexAddress(contract);
  if (address === undefined) return { kind: 'read', hasCode: false };
  try {
    const answers = await chain.pool.collect(
      (endpoint, abort) => chain.rpc(endpoint, abort).code(address, block.number),
      { want: Math.min(endpointsForCode, chain.pool.independent), kind: 'code', block: block.number, signal },
    );
    return { kind: 'read', hasCode: answers.some(({ value }) => value !== '0x') };
  } catch (error) {
    return unknownBecause(error);
  }
}

// Not the zero address, which many contracts refuse. Nobody has the key of this one.
const probed: Hex = '0x1a7c4e00000000000000000000000000000000cb';

/**
 * Whether a contract answers the reader of its standard. Every contract of a standard answers for any account. Other functions may refuse
 * the account alone, with a reason: those are there, as far as can be seen.
 */
async function probeContract(reading: Reading, standards: ReadonlyMap<string, Standard>): Promise<ProbeAnswer> {
  const { standard } = reading.question;
  try {
    await standards.get(standard)?.(reading);
    return { kind: 'read', isAnswered: true };
  } catch (error) {
    if (error instanceof ContractReverted && standard === 'call') return { kind: 'read', isAnswered: true };
    if (error instanceof ContractRefused || error instanceof NotCallable) return { kind: 'read', isAnswered: false };
    return unknownBecause(error);
  }
}

async function readCollection(
  view: ChainView,
  describe: DescribeToken,
  contract: string,
  limit: number,
): Promise<CollectionAnswer> {
  const address = toHexAddress(contract);
  const list = address && (await listTokens(view, address, limit));
  if (address === undefined || list === undefined) return { kind: 'none' };
  const reading = readingOf(view, { standard: '', reference: address }, describe);
  const tokens = await Promise.all(
    list.ids.map((id) => describe(reading, { id: id.toString(), amount: '1' }, list.uriFunction)),
  );
  const documents = tokens.flatMap(({ metadata }) => metadata ?? []);
  return { kind: 'read', documents, missing: tokens.length - documents.length, left: list.left };
}

/** What the holdings reader reads, here for an account of no member. */
function readingOf(view: ChainView, { tokenIds, ...asked }: ContractProbe, describe: DescribeToken): Reading {
  const ids = tokenIds === undefined ? undefined : parseTokenIds(tokenIds);
  const question = { chain: view.chain.name, ...asked, account: probed, needs: 'amount' } as const;
  return { view, question, account: probed, ids, searchLogs: createLogSearch(view), describe };
}

// Unexpected errors are not quoted: they may contain a URL with a key in it.
function unknownBecause(error: unknown): Unknown {
  const isForeseen = error instanceof Unreadable || error instanceof EndpointsFailed;
  return { kind: 'unknown', reason: isForeseen ? error.message : 'The node sent an unusable response.' };
}

const maxNameLength = 200;

/** A contract's metadata. Its reads are batched with those of other contracts. */
async function describeContract(view: ChainView, contract: Hex): Promise<ContractMetadata> {
  const [name, symbol, decimals, standard] = await Promise.all([
    readText(view, contract, 'name()'),
    readText(view, contract, 'symbol()'),
    findDecimals(view, contract),
    kindOf(view, contract),
  ]);
  return {
    ...(standard !== undefined && { standard }),
    ...(name !== undefined && { name }),
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  };
}

async function readText(view: ChainView, contract: Hex, getter: string): Promise<string | undefined> {
  const words = await tryWords(view, contract, callData(getter));
  if (words === undefined) return undefined;
  // Some early tokens return 32 bytes instead of a string.
  const text = words.length === 1 ? Buffer.from(words[0] ?? '', 'hex').toString('utf8') : textAt(words, 0);
  // Names are displayed, so characters that cannot be displayed are removed.
  const shown = text?.replace(/[\p{C}�]/gu, '').trim();
  return shown === undefined || shown === '' ? undefined : shown.slice(0, maxNameLength);
}

const maxAccounts = 20;
const deploymentsTried = 1_000n;
const defaultAdminRole = 0n;

/**
 * Whether one of the accounts controls a contract: its owner (ERC-173), a holder of its default admin role, or its deployer if it has no
 * owner. A deployer is recognized by the contract's address, which is a hash of the creating account and its nonce.
 */
async function readControl(view: ChainView, contract: Hex, accounts: readonly string[]): Promise<ControlAnswer> {
  const candidates = accounts.slice(0, maxAccounts).flatMap((account) => toHexAddress(account) ?? []);
  const [owner, admin] = await Promise.all([readOwner(view, contract), findAdmin(view, contract, candidates)]);
  const by = owner === undefined ? (admin ?? (await findDeployer(contract, candidates))) : admin;
  if (owner !== undefined && candidates.includes(owner)) return { kind: 'controlled', by: owner };
  if (by !== undefined) return { kind: 'controlled', by };
  return { kind: 'not-controlled', ...(owner !== undefined && { owner }) };
}

/** Returns undefined if the contract has no owner, or ownership was renounced. */
async function readOwner(view: ChainView, contract: Hex): Promise<Hex | undefined> {
  const [first, ...rest] = (await tryWords(view, contract, callData('owner()'))) ?? [];
  if (first === undefined || rest.length > 0 || !first.startsWith('0'.repeat(24))) return undefined;
  const owner = toHexAddress(`0x${first.slice(24)}`);
  return owner === undefined || BigInt(owner) === 0n ? undefined : owner;
}

async function findAdmin(view: ChainView, contract: Hex, candidates: readonly Hex[]): Promise<Hex | undefined> {
  const answers = await Promise.all(
    candidates.map((account) =>
      tryWords(view, contract, callData('hasRole(bytes32,address)', defaultAdminRole, account)),
    ),
  );
  return candidates.find((_, index) => {
    const words = answers[index];
    return words?.length === 1 && BigInt(`0x${words[0]}`) === 1n;
  });
}

async function findDeployer(contract: Hex, candidates: readonly Hex[]): Promise<Hex | undefined> {
  for (const from of candidates) {
    for (let nonce = 0n; nonce < deploymentsTried; nonce++)
      if (getContractAddress({ from, nonce }).toLowerCase() === contract) return from;
    await yieldToEventLoop();
  }
  return undefined;
}

/** Some tokens of a collection, and the function that returns their metadata URIs. */
interface TokenList {
  ids: readonly bigint[];
  uriFunction: 'tokenURI(uint256)' | 'uri(uint256)';
  /** How many tokens there are beyond those listed, as far as the collection reports. */
  left: number;
}

/** Returns the first tokens of a collection; undefined if it cannot list them. */
async function listTokens(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  if (await isErc721(view, contract)) return listUnique(view, contract, limit);
  if (await isErc1155(view, contract)) return listMulti(view, contract, limit);
  return undefined;
}

async function listUnique(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  const supply = await readNumber(view, contract, callData('totalSupply()'));
  const count = supply === undefined ? limit : Number(supply < BigInt(limit) ? supply : BigInt(limit));
  const left = supply === undefined ? 0 : Number(supply - BigInt(count));
  const uriFunction = 'tokenURI(uint256)';
  const enumerated = await Promise.all(
    numbers(count).map((index) => readNumber(view, contract, callData('tokenByIndex(uint256)', index))),
  );
  const listed = enumerated.filter((id) => id !== undefined);
  if (listed.length > 0 || count === 0) return { ids: listed, uriFunction, left };
  // Nearly all collections without enumeration number their tokens from 0 or 1. Ids that do not exist are left out.
  const ids = await keepIf(numbers(count + 1), async (id) =>
    tryWords(view, contract, callData('ownerOf(uint256)', id)).then((words) => words !== undefined),
  );
  return ids.length === 0 ? undefined : { ids: ids.slice(0, limit), uriFunction, left };
}

/** Only collections that count their supply per token can be listed. */
async function listMulti(view: ChainView, contract: Hex, limit: number): Promise<TokenList | undefined> {
  const ids = await keepIf(numbers(limit), async (id) => {
    const supply = await readNumber(view, contract, callData('totalSupply(uint256)', id));
    return supply !== undefined && supply > 0n;
  });
  return ids.length === 0 ? undefined : { ids, uriFunction: 'uri(uint256)', left: 0 };
}

async function readNumber(view: ChainView, contract: Hex, data: Hex): Promise<bigint | undefined> {
  const [first] = (await tryWords(view, contract, data)) ?? [];
  return first === undefined ? undefined : toNumber(first);
}

function numbers(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(index));
}

async function keepIf(ids: readonly bigint[], isKept: (id: bigint) => Promise<boolean>): Promise<bigint[]> {
  const kept = await Promise.all(ids.map(isKept));
  return ids.filter((_, index) => kept[index]);
}
