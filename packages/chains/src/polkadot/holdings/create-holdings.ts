import { type Fetch, unknown } from '@latchkey/adapter-kit';
import type { Answer, Egress, HoldingsReader, Question } from '@latchkey/core/ports';
import { answerByKind } from '../../answer-by-kind.ts';
import { combineReaders } from '../../combine-readers.ts';
import { createHttpReader, type Session } from '../../http-holdings/index.ts';
import { createDocumentReader, type ReadDocument } from '../../token-documents.ts';
import { parseAccount } from '../account.ts';
import { knownNetworks, type PolkadotNetwork } from '../networks.ts';
import { type AccountOf, readAssets, readNative } from './read-coins.ts';
import { readCollectibles } from './read-collectibles.ts';
import { readRmrk } from './rmrk-index.ts';
import { pinRpc, service } from './rpc.ts';

export interface PolkadotHoldingsNetwork {
  /** Independent nodes, the best first. */
  rpcUrls: readonly string[];
  /** Indexes of RMRK, for Kusama. Without them `rmrk` cannot be asked. */
  rmrkUrls?: readonly string[];
  /** How accounts are written, for chains that are not known by name. */
  accounts?: PolkadotNetwork;
  /** What the hash of the first block starts with. Known for the chains that are known by name. */
  genesisHash?: string;
}

export interface PolkadotHoldingsOptions {
  /** By the name in rules: `kusama` for `polkadot:kusama`, `polkadot-asset-hub`, or the CAIP-2 reference. */
  networks: ReadonlyMap<string, PolkadotHoldingsNetwork>;
  /** The way to the documents that tokens point to. */
  egress?: Egress;
  ipfsGateway?: string;
  timeoutMs?: number;
  fetch: Fetch;
}

const nodeStandards = ['native', 'assets', 'uniques', 'nfts'];

// The start of the hash of the first block, which is also what CAIP-2 calls these chains.
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
 * Reads Polkadot, Kusama and their parachains at one final block: `native`, `assets`, `uniques` and `nfts` from a node's
 * storage, and `rmrk` from an index. The pallet Nfts could not be tried against a runtime that has it; its layout is that of
 * its published source.
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
    native: (asked) => readNative(asked, rpc, accountOf),
    assets: (asked) => readAssets(asked, rpc, accountOf),
    collectibles: (asked) => readCollectibles(asked, rpc, { accountOf, readDocument }),
    malformed: async (asked) => asked.map(() => unknown('The account is none of this chain, or the asset no number.')),
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
