import type { Clock } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import {
  type CircuitOptions,
  createEndpointPool,
  type Endpoint,
  EndpointFault,
  type EndpointPool,
  type RpcFetch,
  type Timers,
} from '../endpoints/index.ts';
import { createNodeRpc, type Hex, type NodeRpc } from './node-rpc.ts';

/** The connection settings of one chain. */
export interface EvmChainSettings {
  /** JSON-RPC over HTTP. With several on different hosts, reads survive an outage and removals require their agreement. */
  urls: readonly string[];
  /** The address of Multicall3, if it differs from the one that nearly every chain has. */
  multicall?: Hex | undefined;
  /** A newest block older than this is not accepted as the newest. If unset, any age is accepted. */
  maxHeadAgeSeconds?: number | undefined;
  maxBlocksBehind?: bigint | undefined;
  /** How many blocks of logs to request at first; fewer if the node requires it. Defaults to all. */
  logBlocks?: bigint | undefined;
}

export interface EvmChainsOptions {
  /** By chain id: `1`, `137`. */
  chains: ReadonlyMap<string, EvmChainSettings>;
  clock: Clock;
  /** The timeout of one request to one node. */
  timeoutMs?: number | undefined;
  hedgeAfterMs?: number | undefined;
  timers?: Timers | undefined;
  circuit?: CircuitOptions | undefined;
  fetch: RpcFetch;
  /** How many reads to combine into one call at first; fewer if the node requires it. */
  callsPerRequest?: number | undefined;
  /** How many results are cached for their block. */
  cachedCalls?: number | undefined;
  /** The maximum number of calls for one log search. */
  maxLogCalls?: number | undefined;
  /** Called for each chain, with a function that reports its nodes' health. */
  watch?: ((chain: string, report: EndpointPool['report']) => void) | undefined;
}

/** One chain, with its nodes and what is known about them. */
export interface EvmChain {
  name: string;
  chainId: string;
  settings: EvmChainSettings;
  pool: EndpointPool;
  clock: Clock;
  multicall: Hex;
  /** For each read method that its nodes do not support: the block until which it is not tried again. */
  closedUntil: Map<string, bigint>;
  maxCalls: number;
  /** How many reads its nodes accept in one call, as far as is known. */
  callsPerRequest: number;
  logBlocks: bigint | undefined;
  maxLogCalls: number;
  calls: LRUCache<string, Promise<unknown>>;
  /** Properties of contracts that never change. */
  constants: LRUCache<string, Promise<unknown>>;
  rpc(endpoint: Endpoint, signal: AbortSignal): NodeRpc;
}

const usualMulticall = '0xca11bde05977b3631167028862be2a173976ca11';
const otherMulticalls: Readonly<Record<string, Hex>> = {
  '324': '0xf9cda624fbc7e059355ce98a31693d299facd963',
  '300': '0xf9cda624fbc7e059355ce98a31693d299facd963',
};

/** Creates the configured chains, each with a pool of its nodes. Returns undefined for chains that are not configured. */
export function createEvmChains(options: EvmChainsOptions): (chain: string) => EvmChain | undefined {
  const chains = new Map<string, EvmChain>();
  for (const [chainId, settings] of options.chains) {
    if (settings.urls.length > 0) chains.set(chainId, createEvmChain(chainId, settings, options));
  }
  return (chain) => chains.get(chainIdOf(chain) ?? '');
}

function createEvmChain(chainId: string, settings: EvmChainSettings, options: EvmChainsOptions): EvmChain {
  const { timeoutMs = 10_000, callsPerRequest = 4_000, cachedCalls = 100_000, maxLogCalls = 40 } = options;
  const name = `evm:${chainId}`;
  const rpc: EvmChain['rpc'] = (endpoint, signal) => createNodeRpc(endpoint, signal, options.fetch);
  const pool = createEndpointPool({
    name,
    urls: settings.urls,
    timeoutMs,
    hedgeAfterMs: options.hedgeAfterMs,
    timers: options.timers,
    circuit: options.circuit,
    maxBlocksBehind: settings.maxBlocksBehind,
    verify: async (endpoint, signal) => {
      if ((await rpc(endpoint, signal).chainId()) !== chainId) {
        throw new EndpointFault('is on another chain', { isImpostor: true });
      }
    },
  });
  options.watch?.(name, pool.report);
  return {
    name,
    chainId,
    settings,
    pool,
    clock: options.clock,
    multicall: settings.multicall ?? otherMulticalls[chainId] ?? usualMulticall,
    closedUntil: new Map(),
    maxCalls: callsPerRequest,
    callsPerRequest,
    logBlocks: settings.logBlocks,
    maxLogCalls,
    // Limited by size, because a limit by count would allocate all entries at once.
    calls: new LRUCache({ maxSize: cachedCalls, sizeCalculation: () => 1 }),
    constants: new LRUCache({ max: 10_000 }),
    rpc,
  };
}

/** Names that rules and wallets use for EVM chains besides their chain ids. */
const chainIds: Readonly<Record<string, string>> = {
  mainnet: '1',
  ethereum: '1',
  homestead: '1',
  goerli: '5',
  optimism: '10',
  bsc: '56',
  binance: '56',
  gnosis: '100',
  xdai: '100',
  polygon: '137',
  matic: '137',
  fantom: '250',
  zksync: '324',
  ronin: '2020',
  base: '8453',
  'immutable-zkevm': '13371',
  arbitrum: '42161',
  celo: '42220',
  avalanche: '43114',
  mumbai: '80001',
  amoy: '80002',
  sepolia: '11155111',
};

/** Returns the id of an EVM chain from its CAIP-2 name or the one in our rules: `evm:1`, `evm:mainnet`, `eip155:1`. */
function chainIdOf(chain: string): string | undefined {
  const [, reference = ''] = /^(?:evm|eip155):(.+)$/i.exec(chain) ?? [];
  if (/^[1-9]\d{0,15}$/.test(reference)) return reference;
  return Object.hasOwn(chainIds, reference.toLowerCase()) ? chainIds[reference.toLowerCase()] : undefined;
}
