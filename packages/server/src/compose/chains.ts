import { combineReaders } from '@latchkey/chains';
import {
  createEvmFollower,
  createEvmHoldings,
  type EvmChainSettings,
  type EvmChainsOptions,
  type FetchJson,
} from '@latchkey/chains/evm-holdings';
import { createEvmTokenMetadata } from '@latchkey/chains/evm-metadata';
import { createEnsNames } from '@latchkey/chains/evm-names';
import { stakingContracts } from '@latchkey/core';
import type {
  ChainFollower,
  Egress,
  EndpointHealth,
  HoldingsReader,
  NameService,
  TokenMetadataReader,
} from '@latchkey/core/ports';
import type { ScoreHoldingsOptions } from '@latchkey/integrations/score';
import type { Clock } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';

export interface Chains {
  holdings: HoldingsReader;
  follower: ChainFollower;
  tokenMetadata: TokenMetadataReader;
  names: NameService | undefined;
}

export interface ComposedChains {
  chains: Chains;
  /** The health of the EVM endpoints, as seen by this process. */
  endpoints(): EndpointHealth[];
}

type ChainConfig = Pick<Config, 'evmRpcUrls' | 'chainUrls' | 'serviceKeys' | 'ipfsGateway'>;

const timeoutMs = 10_000;

/** Creates the adapters of every configured chain and service. */
export async function composeChains(
  config: ChainConfig,
  { clock, egress }: { clock: Clock; egress: Egress },
): Promise<ComposedChains> {
  const metadata = { fetchJson: createFetchJson(egress), ipfsGateway: config.ipfsGateway };
  const chains = new Map([...config.evmRpcUrls].map(([chain, urls]): [string, EvmChainSettings] => [chain, { urls }]));
  const watch = createEndpointWatch();
  const evm = { chains, clock, timeoutMs, watch: watch.add, fetch: fetchTo([...config.evmRpcUrls.values()].flat()) };
  const evmHoldings = createEvmHoldings({ ...evm, metadata, stakingContracts });
  return {
    chains: {
      holdings: combineReaders([
        evmHoldings,
        ...(await otherChains(config, egress)),
        ...(await services(config, evmHoldings)),
      ]),
      follower: createEvmFollower(evm),
      tokenMetadata: createEvmTokenMetadata({ ...evm, metadata, stakingContracts }),
      names: createEnsNames({ ...evm, egress }),
    },
    endpoints: watch.read,
  };
}

/** Returns the entries whose name starts with the prefix, by the rest of the name: `solana:` gives `mainnet-beta`. */
function under(config: ChainConfig, prefix: string): [name: string, urls: readonly string[]][] {
  return [...config.chainUrls].flatMap(([name, urls]): [string, readonly string[]][] =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), urls]] : [],
  );
}

// Load only what is configured: all adapters together need as much memory as the rest of an idle worker.

async function otherChains(config: ChainConfig, egress: Egress): Promise<HoldingsReader[]> {
  const keyOf = (name: string) => config.serviceKeys.get(name)?.[0];
  const fetch = fetchTo([...config.chainUrls.values()].flat());
  const http = (prefix: string, chainOf = (name: string) => `${prefix}${name}`) => {
    const apiKey = keyOf(prefix.replace(/:$/, ''));
    return {
      urls: Object.fromEntries(under(config, prefix).map(([name, urls]) => [chainOf(name), urls])),
      timeoutMs,
      fetch,
      ...(apiKey !== undefined && { apiKey }),
    };
  };
  const bitcoin = (service: string) => http(`${service}:`, (name) => `bitcoin:${name}`);
  const documents = {
    egress,
    timeoutMs,
    fetch,
    ...(config.ipfsGateway !== undefined && { ipfsGateway: config.ipfsGateway }),
  };
  const das = new Map(under(config, 'solana-das:'));
  const rmrk = new Map(under(config, 'rmrk:'));
  const readers: Readonly<Record<string, () => Promise<HoldingsReader>>> = {
    'solana:': async () =>
      (await import('@latchkey/chains/solana/holdings')).createSolanaHoldings({
        ...documents,
        clusters: new Map(
          under(config, 'solana:').map(([name, rpcUrls]) => {
            const dasUrl = das.get(name)?.[0];
            return [name, { rpcUrls, ...(dasUrl !== undefined && { dasUrl }) }];
          }),
        ),
      }),
    'polkadot:': async () =>
      (await import('@latchkey/chains/polkadot/holdings')).createPolkadotHoldings({
        ...documents,
        networks: new Map(
          under(config, 'polkadot:').map(([name, rpcUrls]) => {
            const rmrkUrls = rmrk.get(name);
            return [name, { rpcUrls, ...(rmrkUrls !== undefined && { rmrkUrls }) }];
          }),
        ),
      }),
    'tezos:': async () => (await import('@latchkey/chains/tezos/holdings')).createTezosHoldings(http('tezos:')),
    'flow:': async () => (await import('@latchkey/chains/flow/holdings')).createFlowHoldings(http('flow:')),
    'near:': async () => (await import('@latchkey/chains/near/holdings')).createNearHoldings(http('near:')),
    'xrpl:': async () => (await import('@latchkey/chains/xrpl/holdings')).createXrplHoldings(http('xrpl:')),
    'ton:': async () => (await import('@latchkey/chains/ton/holdings')).createTonHoldings(http('ton:')),
    'immutable_x:': async () =>
      (await import('@latchkey/chains/immutable-x/holdings')).createImmutableXHoldings(http('immutable_x:')),
    'loopring:': async () =>
      (await import('@latchkey/chains/loopring/holdings')).createLoopringHoldings(http('loopring:')),
    'esplora:': async () => (await bitcoinReaders()).createEsploraHoldings(bitcoin('esplora')),
    'ord:': async () => (await bitcoinReaders()).createOrdHoldings(bitcoin('ord')),
    'brc20:': async () => (await bitcoinReaders()).createBrc20Holdings(bitcoin('brc20')),
    'stamps:': async () => (await bitcoinReaders()).createStampHoldings(bitcoin('stamps')),
  };
  const configured = Object.entries(readers).filter(([prefix]) => under(config, prefix).length > 0);
  return Promise.all(configured.map(([, make]) => make()));
}

const bitcoinReaders = () => import('@latchkey/chains/bitcoin/holdings');

async function services(config: ChainConfig, tokens: HoldingsReader): Promise<HoldingsReader[]> {
  type Options = { url: string; timeoutMs: number; fetch: typeof globalThis.fetch; apiKey?: string };
  type Make = (options: Options) => Promise<HoldingsReader>;
  const makers: Readonly<Record<string, Make>> = {
    poap: async (options) => (await import('@latchkey/integrations/poap')).createPoapHoldings(options),
    opensea: async (options) => (await import('@latchkey/integrations/opensea')).createOpenSeaHoldings(options),
    galxe: async (options) => (await import('@latchkey/integrations/galxe')).createGalxeHoldings(options),
    nifty: async (options) => (await import('@latchkey/integrations/nifty-gateway')).createNiftyHoldings(options),
    twitter: async (options) => (await import('@latchkey/integrations/twitter')).createTwitterHoldings(options),
    gitcoin: async (options) => {
      const { createPassportHoldings } = await import('@latchkey/integrations/gitcoin-passport');
      return createPassportHoldings({ ...options, scorerId: config.serviceKeys.get('gitcoin-scorer')?.[0] ?? '' });
    },
    roll: async (options) => (await import('@latchkey/integrations/roll')).createRollHoldings({ ...options, tokens }),
    trustswap: (options) => scores({ ...options, service: 'TrustSwap', chain: 'evm:1', standard: 'trustswap' }),
    moca: (options) => scores({ ...options, service: 'MOCA', chain: 'evm:1', standard: 'moca' }),
  };
  const wanted = Object.entries(makers).flatMap(([name, make]) => {
    const url = config.chainUrls.get(name)?.[0];
    const apiKey = config.serviceKeys.get(name)?.[0];
    return url === undefined
      ? []
      : [make({ url, timeoutMs, fetch: fetchTo([url]), ...(apiKey !== undefined && { apiKey }) })];
  });
  return Promise.all(wanted);
}

async function scores(options: ScoreHoldingsOptions): Promise<HoldingsReader> {
  return (await import('@latchkey/integrations/score')).createScoreHoldings(options);
}

/** Fetches documents that tokens link to. Anyone can mint a token, so the URL goes through guarded egress. */
function createFetchJson(egress: Egress): FetchJson {
  return async (url, { maxBytes, timeoutMs, signal }) => {
    const response = await egress.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      maxResponseBytes: maxBytes,
      timeoutMs,
      ...(signal && { signal }),
    });
    if (response.status !== 200) throw new Error(`The document returned ${response.status}.`);
    return JSON.parse(Buffer.from(response.body).toString('utf8'));
  };
}

type Watch = NonNullable<EvmChainsOptions['watch']>;

/** Merges the health that several users of the same endpoints report: the worst state and the newest block. */
function createEndpointWatch(): { add: Watch; read(): EndpointHealth[] } {
  const watched: { chain: string; report: Parameters<Watch>[1] }[] = [];
  return {
    add: (chain, report) => void watched.push({ chain, report }),
    read: () => {
      const seen = watched.flatMap(({ chain, report }) =>
        report().map(({ name, ...known }): EndpointHealth => ({ chain, endpoint: name, ...known })),
      );
      const byEndpoint = Map.groupBy(seen, ({ chain, endpoint }) => `${chain} ${endpoint}`);
      return [...byEndpoint.values()].map((reports) => reports.reduce(worse));
    },
  };
}

const gravity = { closed: 0, 'half-open': 1, open: 2 } as const;

function worse(one: EndpointHealth, other: EndpointHealth): EndpointHealth {
  const [a = 0n, b = 0n] = [one.newestBlock, other.newestBlock];
  return {
    ...one,
    state: gravity[one.state] >= gravity[other.state] ? one.state : other.state,
    errorRate: Math.max(one.errorRate, other.errorRate),
    newestBlock: one.newestBlock === undefined && other.newestBlock === undefined ? undefined : a > b ? a : b,
  };
}
