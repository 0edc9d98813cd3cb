import {
  combineReaders,
  createBrc20Holdings,
  createEnsNames,
  createEsploraHoldings,
  createEvmFollower,
  createEvmHoldings,
  createEvmTokenMetadata,
  createFlowHoldings,
  createImmutableXHoldings,
  createLoopringHoldings,
  createNearHoldings,
  createOrdHoldings,
  createPolkadotHoldings,
  createSolanaHoldings,
  createStampHoldings,
  createTezosHoldings,
  createTonHoldings,
  createXrplHoldings,
  type EvmChainSettings,
} from '@latchkey/chains';
import { stakingContracts } from '@latchkey/core';
import type {
  ChainFollower,
  Egress,
  EndpointHealth,
  HoldingsReader,
  NameService,
  TokenMetadataReader,
} from '@latchkey/core/ports';
import {
  createGalxeHoldings,
  createNiftyHoldings,
  createOpenSeaHoldings,
  createPassportHoldings,
  createPoapHoldings,
  createRollHoldings,
  createScoreHoldings,
  createTwitterHoldings,
} from '@latchkey/integrations';
import type { Clock } from '@latchkey/kernel';
import type { Config } from '../config.ts';
import { createEndpointWatch } from './endpoint-watch.ts';
import { createFetchJson } from './fetch-json.ts';

export interface Chains {
  holdings: HoldingsReader;
  follower: ChainFollower;
  tokenMetadata: TokenMetadataReader;
  names: NameService | undefined;
}

export interface ComposedChains {
  chains: Chains;
  /** How well the nodes of EVM chains answer this process. */
  endpoints(): EndpointHealth[];
}

type ChainConfig = Pick<Config, 'evmRpcUrls' | 'chainUrls' | 'serviceKeys' | 'ipfsGateway'>;

const timeoutMs = 10_000;

/** Every chain and service that is configured, behind its ports. */
export function composeChains(
  config: ChainConfig,
  { clock, egress }: { clock: Clock; egress: Egress },
): ComposedChains {
  const metadata = { fetchJson: createFetchJson(egress), ipfsGateway: config.ipfsGateway };
  const chains = new Map([...config.evmRpcUrls].map(([chain, urls]): [string, EvmChainSettings] => [chain, { urls }]));
  const watch = createEndpointWatch();
  const evm = { chains, clock, timeoutMs, watch: watch.add };
  const evmHoldings = createEvmHoldings({ ...evm, metadata, stakingContracts });
  return {
    chains: {
      holdings: combineReaders([evmHoldings, ...otherChains(config, egress), ...services(config, evmHoldings)]),
      follower: createEvmFollower(evm),
      tokenMetadata: createEvmTokenMetadata({ ...evm, metadata }),
      names: createEnsNames(evm),
    },
    endpoints: watch.read,
  };
}

/** The addresses under names that begin so, by the rest of the name: `solana:` gives `mainnet-beta`. */
function under(config: ChainConfig, prefix: string): [name: string, urls: readonly string[]][] {
  return [...config.chainUrls].flatMap(([name, urls]): [string, readonly string[]][] =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), urls]] : [],
  );
}

function otherChains(config: ChainConfig, egress: Egress): HoldingsReader[] {
  const keyOf = (name: string) => config.serviceKeys.get(name)?.[0];
  const http = (prefix: string, chainOf = (name: string) => `${prefix}${name}`) => {
    const apiKey = keyOf(prefix.replace(/:$/, ''));
    return {
      urls: Object.fromEntries(under(config, prefix).map(([name, urls]) => [chainOf(name), urls])),
      timeoutMs,
      ...(apiKey !== undefined && { apiKey }),
    };
  };
  const bitcoin = (service: string) => http(`${service}:`, (name) => `bitcoin:${name}`);
  const documents = { egress, timeoutMs, ...(config.ipfsGateway !== undefined && { ipfsGateway: config.ipfsGateway }) };
  const das = new Map(under(config, 'solana-das:'));
  const rmrk = new Map(under(config, 'rmrk:'));
  return [
    createSolanaHoldings({
      ...documents,
      clusters: new Map(
        under(config, 'solana:').map(([name, rpcUrls]) => {
          const dasUrl = das.get(name)?.[0];
          return [name, { rpcUrls, ...(dasUrl !== undefined && { dasUrl }) }];
        }),
      ),
    }),
    createPolkadotHoldings({
      ...documents,
      networks: new Map(
        under(config, 'polkadot:').map(([name, rpcUrls]) => {
          const rmrkUrls = rmrk.get(name);
          return [name, { rpcUrls, ...(rmrkUrls !== undefined && { rmrkUrls }) }];
        }),
      ),
    }),
    createTezosHoldings(http('tezos:')),
    createFlowHoldings(http('flow:')),
    createNearHoldings(http('near:')),
    createXrplHoldings(http('xrpl:')),
    createTonHoldings(http('ton:')),
    createImmutableXHoldings(http('immutable_x:')),
    createLoopringHoldings(http('loopring:')),
    createEsploraHoldings(bitcoin('esplora')),
    createOrdHoldings(bitcoin('ord')),
    createBrc20Holdings(bitcoin('brc20')),
    createStampHoldings(bitcoin('stamps')),
  ];
}

function services(config: ChainConfig, tokens: HoldingsReader): HoldingsReader[] {
  type Make = (options: { url: string; timeoutMs: number; apiKey?: string }) => HoldingsReader;
  const makers: Readonly<Record<string, Make>> = {
    poap: createPoapHoldings,
    opensea: createOpenSeaHoldings,
    galxe: createGalxeHoldings,
    nifty: createNiftyHoldings,
    twitter: createTwitterHoldings,
    gitcoin: (options) =>
      createPassportHoldings({ ...options, scorerId: config.serviceKeys.get('gitcoin-scorer')?.[0] ?? '' }),
    roll: (options) => createRollHoldings({ ...options, tokens }),
    trustswap: (options) =>
      createScoreHoldings({ ...options, service: 'TrustSwap', chain: 'evm:1', standard: 'trustswap' }),
    moca: (options) => createScoreHoldings({ ...options, service: 'MOCA', chain: 'evm:1', standard: 'moca' }),
  };
  return Object.entries(makers).flatMap(([name, make]) => {
    const url = config.chainUrls.get(name)?.[0];
    const apiKey = config.serviceKeys.get(name)?.[0];
    return url === undefined ? [] : [make({ url, timeoutMs, ...(apiKey !== undefined && { apiKey }) })];
  });
}
