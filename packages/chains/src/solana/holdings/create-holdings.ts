import { type Fetch, namesTokens, ServiceFailed, unknown } from '@latchkey/adapter-kit';
import type { Answer, Egress, HoldingsReader, Question } from '@latchkey/core/ports';
import { answerByKind } from '../../answer-by-kind.ts';
import { createHttpReader, type Session } from '../../http-holdings/index.ts';
import { createDocumentReader } from '../../token-documents.ts';
import { parseSolanaAddress } from '../address.ts';
import { createAssetIndex } from './asset-index.ts';
import { readNative, readSpl } from './read-coins.ts';
import { readCollectibles } from './read-collectibles.ts';
import { type Commitment, createRpc, type SolanaRpc, service } from './rpc.ts';

export interface SolanaCluster {
  /** Independent nodes, the best first. */
  rpcUrls: readonly string[];
  /** An index that speaks the Digital Asset Standard. Without it compressed collectibles are not seen. */
  dasUrl?: string;
  /** What the first block must hash to. The public clusters are known; a node of another one is not trusted. */
  genesisHash?: string;
}

export interface SolanaHoldingsOptions {
  /** By the name in rules, `mainnet-beta` for `solana:mainnet-beta`. */
  clusters: ReadonlyMap<string, SolanaCluster>;
  /** What counts as happened. Default `confirmed`: two thirds of the stake voted for it. */
  commitment?: Commitment;
  /** The way to the documents that tokens point to. */
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
 * Reads Solana: `native`, `spl` (the reference is a mint) and `metaplex`, also called `nft` (the reference is a key whose
 * meaning `details.by` says). Nodes keep no state of the past, so a block that is asked for is the oldest that will do,
 * and the answers of one batch were true at the slot they name or moments after it.
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
  // Another node that must confirm these answers may not do so from an older state.
  floors.set(chain, slot);
  const readAssets = dasUrl === undefined ? undefined : createAssetIndex(dasUrl, options);
  const batch = { rpc, slot, readAssets, readDocument: createDocumentReader(options) };
  const kindOf = (question: Question) => sort(question, dasUrl !== undefined);
  return answerByKind(service, questions, kindOf, {
    native: (asked) => readNative(asked, batch),
    spl: (asked) => readSpl(asked, batch),
    collectibles: (asked) => readCollectibles(asked, batch),
    malformed: async (asked) => asked.map(() => unknown('The account or the asset is no address of Solana.')),
  });
}

function sort(question: Question, hasIndex: boolean) {
  const { standard, reference, account, details } = question;
  const isAddress = (text: string) => parseSolanaAddress(text) !== undefined;
  if (!isAddress(account) || (standard !== 'native' && !isAddress(reference))) return 'malformed';
  if (standard === 'native' || standard === 'spl') return standard;
  // A mint that cannot be a compressed one is found like any other token, 100 wallets in a question.
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
