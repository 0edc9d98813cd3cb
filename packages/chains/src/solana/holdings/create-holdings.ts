import { setImmediate } from 'node:timers/promises';
import { answerEach, type Fetch, Malformed, namesTokens, ServiceFailed, unknown } from '@latchkey/adapter-kit';
import type { Answer, Egress, HoldingsReader, Question } from '@latchkey/core/ports';
import { answerByKind } from '../../answer-by-kind.ts';
import { createHttpReader, fromUnits, type Session, sumDecimals } from '../../http-holdings/index.ts';
import { known, type LookUp, lookUp } from '../../look-up.ts';
import { createDocumentReader, type ReadDocument } from '../../token-documents.ts';
import { parseSolanaAddress } from '../address.ts';
import { createAssetIndex, type ReadAssets } from './asset-index.ts';
import { type Collectible, counts, toHeldToken } from './collectible.ts';
import {
  associatedTokenAddress,
  editionAddress,
  metadataAddress,
  metadataProgram,
  token2022Program,
  tokenProgram,
} from './program-addresses.ts';
import { ByteReader } from './read-bytes.ts';
import { type Account, type AccountLookUp, type Commitment, createRpc, type SolanaRpc, service } from './rpc.ts';

export interface SolanaCluster {
  /** Independent nodes, the best first. */
  rpcUrls: readonly string[];
  /** An index that supports the Digital Asset Standard. Without it, compressed collectibles are not seen. */
  dasUrl?: string;
  /** The expected genesis hash. Built in for the public clusters; a node of another cluster is not trusted. */
  genesisHash?: string;
}

export interface SolanaHoldingsOptions {
  /** By the name in rules, `mainnet-beta` for `solana:mainnet-beta`. */
  clusters: ReadonlyMap<string, SolanaCluster>;
  /** The commitment level. Defaults to `confirmed`: two thirds of the stake voted for it. */
  commitment?: Commitment;
  /** Fetches the documents that tokens link to. */
  egress?: Egress;
  ipfsGateway?: string;
  arweaveGateway?: string;
  timeoutMs?: number;
  fetch: Fetch;
}

const standards = ['native', 'spl', 'metaplex', 'nft'];

const knownGenesis: Readonly<Record<string, string>> = {
  'mainnet-beta': '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
};

/**
 * Reads Solana: `native`, `spl` (the reference is a mint) and `metaplex`, also called `nft` (the reference is a key whose meaning is in
 * `details.by`). Nodes keep no historical state, so a requested block is only a minimum, and the answers of one batch were true at the slot
 * they name or moments later.
 */
export function createSolanaHoldings(options: SolanaHoldingsOptions): HoldingsReader {
  const { clusters, timeoutMs, fetch } = options;
  const urls = Object.fromEntries([...clusters].map(([name, { rpcUrls }]) => [`solana:${name}`, rpcUrls]));
  const http = { urls, ...(timeoutMs !== undefined && { timeoutMs }), fetch };
  const readerFrom = (floors: Map<string, bigint>, signal?: AbortSignal) => {
    const read = (questions: readonly Question[], session: Session) =>
      readBatch(questions, session, floors, { ...options, signal });
    return createHttpReader({ service, standards, hasHistory: false, read }, http);
  };
  return {
    reads: readerFrom(new Map()).reads,
    read: (questions, { blocks = new Map(), ...given } = {}) => {
      const floors = new Map([...blocks].map(([chain, { number }]) => [chain, slotOf(number)]));
      return readerFrom(floors, given.signal).read(questions, given);
    },
  };
}

async function readBatch(
  questions: readonly Question[],
  session: Session,
  floors: Map<string, bigint>,
  options: SolanaHoldingsOptions & { signal: AbortSignal | undefined },
): Promise<Answer[]> {
  const { chain } = session;
  const name = chain.slice(chain.indexOf(':') + 1);
  const { dasUrl, genesisHash = knownGenesis[name] } = options.clusters.get(name) ?? {};
  const rpc = createRpc(session, options.commitment ?? 'confirmed');
  const slot = await pinSlot(rpc, floors.get(chain) ?? 0n, genesisHash);
  // Another node that must confirm these answers may not use an older state.
  floors.set(chain, slot);
  const readAssets = dasUrl === undefined ? undefined : createAssetIndex(dasUrl, options);
  const batch = { rpc, slot, readAssets, readDocument: createDocumentReader(options) };
  const kindOf = (question: Question) => sort(question, dasUrl !== undefined);
  return answerByKind(service, questions, kindOf, {
    native: (requested) => readNative(requested, batch),
    spl: (requested) => readSpl(requested, batch),
    collectibles: (requested) => readCollectibles(requested, batch),
    malformed: async (requested) => requested.map(() => unknown('The account or asset is not a Solana address.')),
  });
}

function sort(question: Question, hasIndex: boolean) {
  const { standard, reference, account, details } = question;
  const isAddress = (text: string) => parseSolanaAddress(text) !== undefined;
  if (!isAddress(account) || (standard !== 'native' && !isAddress(reference))) return 'malformed';
  if (standard === 'native' || standard === 'spl') return standard;
  // A mint that cannot be compressed is read like any other token, 100 wallets per request.
  return details?.by === 'mint' && !namesTokens(question) && !hasIndex ? 'spl' : 'collectibles';
}

async function pinSlot(rpc: SolanaRpc, atLeast: bigint, genesisHash: string | undefined): Promise<bigint> {
  const [slot, genesis] = await Promise.all([rpc.readSlot(atLeast), genesisHash && rpc.readGenesisHash()]);
  if (genesis !== genesisHash) throw new ServiceFailed(`${service} belongs to another cluster.`);
  return slot;
}

function slotOf(number: string): bigint {
  return /^\d{1,15}$/.test(number) ? BigInt(number) : 0n;
}

interface CollectibleBatch extends Batch {
  /** Compressed collectibles and those of Metaplex Core are not in token accounts, so only an index has them. */
  readAssets: ReadAssets | undefined;
  readDocument: ReadDocument;
}

/**
 * Reads Metaplex collectibles: those in the token accounts of each owner, and those in an index if one is configured. `details.by` says
 * what the reference is: `creators`, `masterEditions` (the original or a print of it), `mint` or `collection`. Only creators that signed
 * and collections that confirmed count.
 */
async function readCollectibles(questions: readonly Question[], batch: CollectibleBatch): Promise<Answer[]> {
  const { slot, readAssets, readDocument } = batch;
  const owners = questions.map(({ account }) => account);
  const owned = await lookUp(owners, (owner) => readOwned(owner, batch));
  const indexed = await lookUp(owners, async (owner) => (await readAssets?.(owner, slot)) ?? []);
  const mints = owners.flatMap((owner) => [...(known(owned, owner)?.keys() ?? [])]);
  const withEditions = questions.some(({ details }) => details?.by === 'masterEditions');
  const described = await describe(mints, withEditions, batch);
  return answerEach(service, questions, async (question) => {
    const { account, needs } = question;
    const onChain = [...owned(account)].map(([mint, units]) => ({ units, collectible: described(mint) }));
    const others = indexed(account).map((collectible) => ({ units: 1n, collectible }));
    const isCounted = counts(question);
    const counted = [...onChain, ...others].flatMap(({ units, collectible }) =>
      collectible && isCounted(collectible) ? [{ collectible, amount: units.toString() }] : [],
    );
    const amount = sumDecimals(counted.map((each) => each.amount));
    const block = { number: slot.toString() };
    if (!namesTokens(question)) return { kind: 'read', amount, block };
    const uris = counted.flatMap(({ collectible: { uri, document } }) => (uri && !document ? uri : []));
    const documents = needs === 'metadata' ? await lookUp(uris, readDocument) : undefined;
    const tokens = counted.map((each) => toHeldToken(each.collectible, each.amount, documents));
    return { kind: 'read', amount, tokens, block };
  });
}

/** Returns how much an owner has of each mint, across all token accounts. */
async function readOwned(owner: string, { rpc, slot }: Batch): Promise<Map<string, bigint>> {
  const programs = [tokenProgram, token2022Program];
  const accounts = await Promise.all(programs.map((programId) => rpc.readTokenAccounts(owner, { programId }, slot)));
  const held = new Map<string, bigint>();
  for (const account of accounts.flat()) {
    const token = readTokenAccount(account);
    if (token?.owner !== owner || token.amount === 0n) continue;
    held.set(token.mint, (held.get(token.mint) ?? 0n) + token.amount);
  }
  return held;
}

/** Returns the metadata of each mint; undefined for currencies and for mints without Metaplex metadata. */
async function describe(
  mints: readonly string[],
  withEditions: boolean,
  { rpc, slot }: Batch,
): Promise<LookUp<Collectible | undefined>> {
  const metadataAt = new Map(mints.map((mint) => [mint, metadataAddress(mint)]));
  const editionAt = new Map(withEditions ? mints.map((mint) => [mint, editionAddress(mint)]) : []);
  const [accounts, editions] = await Promise.all([
    rpc.readAccounts(metadataAt.values(), slot),
    rpc.readAccounts(editionAt.values(), slot),
  ]);
  const metadataOf = (mint: string): TokenMetadata | undefined => {
    const account = accounts(metadataAt.get(mint) ?? '');
    const metadata = account && readMetadata(account);
    return metadata?.mint === mint ? metadata : undefined;
  };
  // Old metadata does not say whether its mint is a currency; the mint's decimals do.
  const silent = mints.filter((mint) => saysNoStandard(known(metadataOf, mint)));
  const mintAccounts = await rpc.readAccounts(silent, slot, mintLength);
  return (mint) => {
    const metadata = metadataOf(mint);
    if (metadata === undefined) return undefined;
    const { isFungible = isCurrency(mintAccounts(mint)), ...rest } = metadata;
    if (isFungible) return undefined;
    const address = editionAt.get(mint);
    const edition = address === undefined ? undefined : editions(address);
    return { ...rest, ...(edition && address !== undefined && { masterEdition: readOriginal(edition) ?? address }) };
  };
}

function saysNoStandard(metadata: TokenMetadata | undefined): boolean {
  return metadata !== undefined && metadata.isFungible === undefined;
}

function isCurrency(mint: Account | undefined): boolean {
  return mint === undefined || readMint(mint).decimals > 0;
}

/** The on-chain metadata of a Metaplex token. */
interface TokenMetadata {
  mint: string;
  name: string;
  symbol: string;
  uri: string;
  /** Creators who signed for it. Anyone can be listed without consent, so others do not count. */
  creators: readonly string[];
  /** The collection that confirmed it. An unconfirmed claim does not count. */
  collection?: string;
  /** Whether the program marks it as unique or as a currency; undefined if it does neither. */
  isFungible?: boolean;
}

const metadataKey = 4;
const editionKey = 1;
const fungible = 2;

/** Parses a metadata account; undefined for any other account. */
function readMetadata({ program, data }: Account): TokenMetadata | undefined {
  const reader = new ByteReader(data);
  if (program !== metadataProgram || reader.isAtEnd || reader.u8() !== metadataKey) return undefined;
  const mint = reader.skip(32).address();
  const [name, symbol, uri] = [reader.text(), reader.text(), reader.text()];
  const feeLength = 2;
  const named = reader.skip(feeLength).optional(() => reader.list(() => readCreator(reader))) ?? [];
  const flagsLength = 2;
  reader.skip(flagsLength);
  const creators = named.filter(({ isVerified }) => isVerified).map(({ address }) => address);
  return { mint, name, symbol, uri, creators, ...readAdditions(reader) };
}

function readCreator(reader: ByteReader) {
  const creator = { address: reader.address(), isVerified: reader.bool() };
  const shareLength = 1;
  reader.skip(shareLength);
  return creator;
}

// Fields that later versions of the program appended. Accounts of older versions have zeros there.
function readAdditions(reader: ByteReader): Pick<TokenMetadata, 'collection' | 'isFungible'> {
  if (reader.isAtEnd) return {};
  reader.optional(() => reader.u8());
  const standard = reader.isAtEnd ? undefined : reader.optional(() => reader.u8());
  const collection = reader.isAtEnd
    ? undefined
    : reader.optional(() => ({ isVerified: reader.bool(), key: reader.address() }));
  return {
    ...(standard !== undefined && { isFungible: standard === fungible }),
    ...(collection?.isVerified && { collection: collection.key }),
  };
}

/** Returns the original that this account is a print of; undefined if it is not a print. */
function readOriginal({ program, data }: Account): string | undefined {
  const reader = new ByteReader(data);
  if (program !== metadataProgram || reader.isAtEnd || reader.u8() !== editionKey) return undefined;
  return reader.address();
}

const solDecimals = 9;

/** One batch of questions to one node, at one slot. */
interface Batch {
  rpc: SolanaRpc;
  slot: bigint;
}

/** Reads SOL, 100 accounts per request. */
async function readNative(questions: readonly Question[], { rpc, slot }: Batch): Promise<Answer[]> {
  const addresses = questions.map(({ account }) => account);
  const accounts = await rpc.readAccounts(addresses, slot, 0);
  return answerEach(service, questions, async ({ account }) => {
    const lamports = accounts(account)?.lamports ?? 0n;
    return { kind: 'read', amount: fromUnits(lamports, solDecimals), block: { number: slot.toString() } };
  });
}

/**
 * Reads SPL Token and Token-2022 balances. Associated accounts are read first, 100 per call; other accounts are requested only if a
 * wallet's associated account is missing or empty. Tokens in further accounts next to a non-empty associated account are not counted, since
 * that would take one call per wallet.
 */
async function readSpl(questions: readonly Question[], { rpc, slot }: Batch): Promise<Answer[]> {
  const references = questions.map(({ reference }) => reference);
  const mints = await rpc.readAccounts(references, slot, mintLength);
  const associated = await associate(questions, mints);
  const addresses = [...associated.values()].filter((address) => address !== undefined);
  const accounts = await rpc.readAccounts(addresses, slot, tokenAccountLength);
  return answerEach(service, questions, async (question) => {
    const { account, reference } = question;
    const { decimals } = mintOf(reference, mints);
    const address = associated.get(question);
    const usual = address === undefined ? 0n : balanceIn(accounts(address), question);
    const units = usual > 0n ? usual : sumOf(await rpc.readTokenAccounts(account, { mint: reference }, slot), question);
    return { kind: 'read', amount: fromUnits(units, decimals), block: { number: slot.toString() } };
  });
}

function mintOf(reference: string, mints: AccountLookUp): Mint {
  const account = mints(reference);
  if (account === undefined) throw new ServiceFailed(`${service} does not have mint ${reference}.`);
  return readMint(account);
}

// Deriving an address takes a fraction of a millisecond; thousands in a row would block the event loop.
async function associate(questions: readonly Question[], mints: AccountLookUp) {
  const addresses = new Map<Question, string | undefined>();
  for (const question of questions) {
    addresses.set(question, findAssociated(question, mints));
    if (addresses.size % 100 === 0) await setImmediate();
  }
  return addresses;
}

function findAssociated({ account, reference }: Question, mints: AccountLookUp): string | undefined {
  try {
    return associatedTokenAddress(account, reference, mintOf(reference, mints).program);
  } catch {
    // A problem with the mint occurs again, and is reported, when the question is answered.
    return undefined;
  }
}

// An associated account can change owner, and a node can be wrong: only an account with this owner and this mint counts.
function balanceIn(account: Account | undefined, question: Pick<Question, 'account' | 'reference'>): bigint {
  const held = account && readTokenAccount(account);
  return held?.owner === question.account && held.mint === question.reference ? held.amount : 0n;
}

function sumOf(accounts: readonly Account[], question: Question): bigint {
  return accounts.reduce((sum, account) => sum + balanceIn(account, question), 0n);
}

interface TokenAccount {
  mint: string;
  owner: string;
  /** In the smallest unit of the mint. */
  amount: bigint;
}

interface Mint {
  program: string;
  decimals: number;
}

/** The first bytes of a token account, and of a mint, which are the same in both programs. The rest is not read. */
const tokenAccountLength = 109;
const mintLength = 46;

const tokenPrograms: readonly string[] = [tokenProgram, token2022Program];

/** Parses a token account; undefined for an account that is not an initialized token account. */
function readTokenAccount({ program, data }: Account): TokenAccount | undefined {
  if (!tokenPrograms.includes(program) || data.length < tokenAccountLength) return undefined;
  const reader = new ByteReader(data);
  const account = { mint: reader.address(), owner: reader.address(), amount: reader.u64() };
  const delegateLength = 36;
  const state = reader.skip(delegateLength).u8();
  // 1 is initialized, 2 is frozen, which programmable collectibles always are.
  return state === 1 || state === 2 ? account : undefined;
}

function readMint({ program, data }: Account): Mint {
  if (!tokenPrograms.includes(program)) throw new Malformed('the mint belongs to no token program');
  const authorityAndSupplyLength = 44;
  const reader = new ByteReader(data).skip(authorityAndSupplyLength);
  const decimals = reader.u8();
  if (!reader.bool()) throw new Malformed('the mint was never set up');
  return { program, decimals };
}
