import {
  answerEach,
  type Fetch,
  type Fields,
  namesTokens,
  ServiceFailed,
  toAnswers,
  unknown,
} from '@latchkey/adapter-kit';
import type { Answer, Egress, HeldToken, HoldingsReader, Question } from '@latchkey/core/ports';
import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { answerByKind } from '../../answer-by-kind.ts';
import { combineReaders } from '../../combine-readers.ts';
import { createHttpReader, fromUnits, type Session } from '../../http-holdings/index.ts';
import { known, lookUp } from '../../look-up.ts';
import { createDocumentReader, type ReadDocument } from '../../token-documents.ts';
import { knownNetworks, type PolkadotNetwork, parseAccount } from '../account.ts';
import { readRmrk } from './rmrk-index.ts';
import { pinRpc, type SubstrateRpc, service } from './rpc.ts';
import type { ScaleReader } from './scale.ts';

export interface PolkadotHoldingsNetwork {
  /** Independent nodes, the best first. */
  rpcUrls: readonly string[];
  /** RMRK indexes, for Kusama. Without them, `rmrk` cannot be read. */
  rmrkUrls?: readonly string[];
  /** The account format, for chains that are not known by name. */
  accounts?: PolkadotNetwork;
  /** The prefix of the genesis block hash. Built in for the chains that are known by name. */
  genesisHash?: string;
}

export interface PolkadotHoldingsOptions {
  /** By the name in rules: `kusama` for `polkadot:kusama`, `polkadot-asset-hub`, or the CAIP-2 reference. */
  networks: ReadonlyMap<string, PolkadotHoldingsNetwork>;
  /** Fetches the documents that tokens link to. */
  egress?: Egress;
  ipfsGateway?: string;
  timeoutMs?: number;
  fetch: Fetch;
}

const nodeStandards = ['native', 'assets', 'uniques', 'nfts'];

// The prefix of the genesis block hash, which is also the CAIP-2 reference of these chains.
const knownGenesis: Readonly<Record<string, string>> = {
  polkadot: '91b171bb158e2d3848fa23a9f1c25182',
  'polkadot-asset-hub': '68d56f15f85d3136970ec16946040bc1',
  kusama: 'b0a8d493285c2df73290dfb7e61f870f',
  'kusama-asset-hub': '48239ef607d7928874027a43a6768920',
  astar: '9eb76c5184c4ab8679d2d5d819fdf90b',
  acala: 'fc41b9bd8ef8fe53d58c7ea67c794c7e',
  westend: 'e143f23803ac50e8f6f8e62695d1ce9e',
  moonbeam: 'fe58ea77779b7abda7da4ec526d14db9',
  moonriver: '401a1f9dca3da46f5c4091016c8a2f26',
};

/**
 * Reads Polkadot, Kusama and their parachains at one finalized block: `native`, `assets`, `uniques` and `nfts` from a node's storage, and
 * `rmrk` from an index. The Nfts pallet could not be tested against a runtime that has it; its layout follows its published source.
 */
export function createPolkadotHoldings(options: PolkadotHoldingsOptions): HoldingsReader {
  const { networks, timeoutMs, fetch } = options;
  const http = { ...(timeoutMs !== undefined && { timeoutMs }), fetch };
  const urlsOf = (pick: (network: PolkadotHoldingsNetwork) => readonly string[]) =>
    Object.fromEntries(
      [...networks].map(([name, network]) => [`polkadot:${name}`, pick(network)]).filter(([, urls]) => urls?.length),
    );
  const readDocument = createDocumentReader(options);
  const node = createHttpReader(
    {
      service,
      standards: nodeStandards,
      hasHistory: true,
      read: (questions, session) => readNode(questions, session, networks.get(nameOf(session.chain)), readDocument),
    },
    { urls: urlsOf(({ rpcUrls }) => rpcUrls), ...http },
  );
  const rmrk = createHttpReader(
    {
      service: 'The RMRK index',
      standards: ['rmrk'],
      hasHistory: false,
      read: (questions, session) => readRmrk(questions, session, readDocument),
    },
    { urls: urlsOf(({ rmrkUrls = [] }) => rmrkUrls), ...http },
  );
  return combineReaders([node, rmrk]);
}

async function readNode(
  questions: readonly Question[],
  session: Session,
  network: PolkadotHoldingsNetwork | undefined,
  readDocument: ReadDocument,
): Promise<Answer[]> {
  const name = nameOf(session.chain);
  const form = network?.accounts ?? knownNetworks[name];
  const rpc = await pinRpc(session, network?.genesisHash ?? knownGenesis[name] ?? genesisIn(name));
  const accounts = new Map(questions.map((each) => [each, form && parseAccount(each.account, form)?.bytes]));
  const accountOf: AccountOf = (question) => {
    const bytes = accounts.get(question);
    if (bytes === undefined) throw new Error('This question was sorted out before.');
    return bytes;
  };
  const kindOf = (question: Question) => sort(question, accounts.get(question) !== undefined);
  return answerByKind(service, questions, kindOf, {
    native: (requested) => readNative(requested, rpc, accountOf),
    assets: (requested) => readAssets(requested, rpc, accountOf),
    collectibles: (requested) => readCollectibles(requested, rpc, { accountOf, readDocument }),
    malformed: async (requested) =>
      requested.map(() => unknown('The account is not on this chain, or the asset is not a number.')),
  });
}

function sort({ standard, reference }: Question, hasAccount: boolean) {
  const isNumber = /^\d{1,10}$/.test(reference) && Number(reference) < 2 ** 32;
  if (!hasAccount || (standard !== 'native' && !isNumber)) return 'malformed';
  return standard === 'native' || standard === 'assets' ? standard : 'collectibles';
}

function nameOf(chain: string): string {
  return chain.slice(chain.indexOf(':') + 1);
}

function genesisIn(name: string): string | undefined {
  return /^[0-9a-f]{32}$/.test(name) ? name : undefined;
}

/** The names of a collectibles pallet's storage maps, and the fields before the URI in its metadata. */
interface Pallet {
  name: string;
  collections: string;
  metadata: string;
  skipDeposit(metadata: ScaleReader): ScaleReader;
}

const balanceLength = 16;

const pallets: Readonly<Record<string, Pallet>> = {
  uniques: {
    name: 'Uniques',
    collections: 'Class',
    metadata: 'InstanceMetadataOf',
    skipDeposit: (metadata) => metadata.skip(balanceLength),
  },
  nfts: {
    name: 'Nfts',
    collections: 'Collection',
    metadata: 'ItemMetadataOf',
    // Here the deposit also includes its payer, unless the owner of the collection paid it.
    skipDeposit: (metadata) => (metadata.u8() === 0 ? metadata : metadata.skip(32)).skip(balanceLength),
  },
};

interface CollectibleOptions {
  accountOf: AccountOf;
  readDocument: ReadDocument;
}

/**
 * Reads collectibles of the pallets Uniques and Nfts. The reference is the collection id. The pallets keep a list for each owner and
 * collection, so each question takes one request.
 */
async function readCollectibles(
  questions: readonly Question[],
  rpc: SubstrateRpc,
  { accountOf, readDocument }: CollectibleOptions,
): Promise<Answer[]> {
  const collections = await rpc.readStorage(questions.map(collectionPlace));
  return answerEach(service, questions, async (question) => {
    const { name } = palletOf(question);
    const collection = numberKey(Number(question.reference));
    if (collections(collectionPlace(question)) === undefined) {
      throw new ServiceFailed(`${service} does not have collection ${question.reference}.`);
    }
    const start = storageKey(name, 'Account', accountOf(question), collection);
    const places = await rpc.listPlaces(start);
    const ids = places.flatMap((place) => lastNumber(place, start) ?? []);
    if (ids.length !== places.length) throw new ServiceFailed(`${service} sent an unexpected list.`);
    const answer: Answer = { kind: 'read', amount: String(ids.length), block: rpc.block };
    if (!namesTokens(question)) return answer;
    const tokens = ids.map((id) => ({ id: id.toString(), amount: '1' }));
    return {
      ...answer,
      tokens: question.needs === 'metadata' ? await describe(tokens, question, rpc, readDocument) : tokens,
    };
  });
}

async function describe(
  tokens: readonly HeldToken[],
  question: Question,
  rpc: SubstrateRpc,
  readDocument: ReadDocument,
) {
  const { name, metadata, skipDeposit } = palletOf(question);
  const placeOf = ({ id }: HeldToken) =>
    storageKey(name, metadata, numberKey(Number(question.reference)), numberKey(Number(id)));
  const stored = await rpc.readStorage(tokens.map(placeOf));
  const uris = new Map(
    tokens.map((token) => {
      const reply = stored(placeOf(token));
      return [token, reply === undefined ? '' : skipDeposit(reply).text()];
    }),
  );
  const documents = await lookUp(
    [...uris.values()].filter((uri) => uri !== ''),
    readDocument,
  );
  return tokens.map((token): HeldToken => {
    const uri = uris.get(token);
    if (!uri) return { ...token, metadata: {} };
    const document: Fields | undefined = known(documents, uri);
    return { ...token, uri, ...(document && { metadata: document }) };
  });
}

function collectionPlace(question: Question): string {
  const { name, collections } = palletOf(question);
  return storageKey(name, collections, numberKey(Number(question.reference)));
}

function palletOf({ standard }: Question): Pallet {
  const pallet = pallets[standard];
  if (pallet === undefined) throw new Error(`The chain has no pallet for ${standard}.`);
  return pallet;
}

/** Returns the account bytes of a question. */
type AccountOf = (question: Question) => Uint8Array;

/** Reads the total balance of the native currency, including what is reserved, staked or otherwise locked. */
async function readNative(questions: readonly Question[], rpc: SubstrateRpc, accountOf: AccountOf) {
  const placeOf = (question: Question) => storageKey('System', 'Account', accountOf(question));
  const [decimals, stored] = await Promise.all([rpc.readDecimals(), rpc.readStorage(questions.map(placeOf))]);
  return toAnswers(service, questions, (question): Answer => {
    const account = stored(placeOf(question));
    const countersLength = 16;
    const units = account === undefined ? 0n : account.skip(countersLength).u128() + account.u128();
    return { kind: 'read', amount: fromUnits(units, decimals), block: rpc.block };
  });
}

/** Reads tokens of the Assets pallet. The reference is the asset id. */
async function readAssets(questions: readonly Question[], rpc: SubstrateRpc, accountOf: AccountOf) {
  const idOf = ({ reference }: Question) => numberKey(Number(reference));
  const places = (question: Question) => ({
    asset: storageKey('Assets', 'Asset', idOf(question)),
    metadata: storageKey('Assets', 'Metadata', idOf(question)),
    account: storageKey('Assets', 'Account', idOf(question), accountOf(question)),
  });
  const placesOf = new Map(questions.map((question) => [question, places(question)]));
  const stored = await rpc.readStorage([...placesOf.values()].flatMap((each) => Object.values(each)));
  return toAnswers(service, questions, (question): Answer => {
    const { asset, metadata, account } = placesOf.get(question) ?? places(question);
    if (stored(asset) === undefined) throw new ServiceFailed(`${service} does not have asset ${question.reference}.`);
    const described = stored(metadata);
    const depositLength = 16;
    // An asset without metadata has whole units only.
    const decimals = described === undefined ? 0 : described.skip(depositLength).skipBytes().skipBytes().u8();
    return { kind: 'read', amount: fromUnits(stored(account)?.u128() ?? 0n, decimals), block: rpc.block };
  });
}

/** Returns the storage key of a map entry, in hex. With fewer keys than the map has, returns the prefix of all matching entries. */
export function storageKey(pallet: string, item: string, ...keys: readonly Uint8Array[]): string {
  const names = [twox128(utf8ToBytes(pallet)), twox128(utf8ToBytes(item))];
  return `0x${bytesToHex(concatBytes(...names, ...keys.map(hashed)))}`;
}

// Every map that is read here hashes its keys this way and appends the key to the hash.
function hashed(key: Uint8Array): Uint8Array {
  return concatBytes(blake2b(key, { dkLen: hashLength }), key);
}

const hashLength = 16;

/** Encodes a number as a key: 4 bytes, little-endian. */
function numberKey(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** Returns the last key of an entry as a number, given the prefix of its other keys. */
function lastNumber(place: string, start: string): bigint | undefined {
  const rest = place.slice(start.length + 2 * hashLength);
  if (!place.startsWith(start) || !/^[0-9a-f]{8}$/.test(rest)) return undefined;
  return BigInt(`0x${rest.match(/../g)?.reverse().join('')}`);
}

const mask = 2n ** 64n - 1n;
const [prime1, prime2, prime3, prime4, prime5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
];

/** Hashes the name of a pallet or storage item: XXH64 with the seeds 0 and 1, concatenated. */
function twox128(name: Uint8Array): Uint8Array {
  const hash = new Uint8Array(16);
  const view = new DataView(hash.buffer);
  view.setBigUint64(0, xxh64(name, 0n), true);
  view.setBigUint64(8, xxh64(name, 1n), true);
  return hash;
}

/** XXH64 of up to 31 bytes. Longer input needs another algorithm, and no name is that long. */
function xxh64(bytes: Uint8Array, seed: bigint): bigint {
  if (bytes.length > 31) throw new Error('Only names of up to 31 bytes can be hashed.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = (seed + prime5 + BigInt(bytes.length)) & mask;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const lane = (rotate((view.getBigUint64(at, true) * prime2) & mask, 31n) * prime1) & mask;
    hash = (rotate(hash ^ lane, 27n) * prime1 + prime4) & mask;
  }
  if (at + 4 <= bytes.length) {
    hash = (rotate(hash ^ ((BigInt(view.getUint32(at, true)) * prime1) & mask), 23n) * prime2 + prime3) & mask;
    at += 4;
  }
  for (; at < bytes.length; at += 1) {
    hash = (rotate(hash ^ ((BigInt(view.getUint8(at)) * prime5) & mask), 11n) * prime1) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * prime2) & mask;
  hash = ((hash ^ (hash >> 29n)) * prime3) & mask;
  return hash ^ (hash >> 32n);
}

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & mask;
}
