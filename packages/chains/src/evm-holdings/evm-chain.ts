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

/** How one chain is reached. */
export interface EvmChainSettings {
  /** JSON-RPC over HTTP; several of different hosts make reads survive an outage and removals need their agreement. */
  urls: readonly string[];
  /** Where Multicall3 stands, if not where nearly every chain has it. */
  multicall?: Hex | undefined;
  /** A newest block older than this is not believed to be the newest. Not set: any age is believed. */
  maxHeadAgeSeconds?: number | undefined;
  maxBlocksBehind?: bigint | undefined;
  /** So many blocks are searched for logs at once, at first; fewer when the node wants it. Default: all. */
  logBlocks?: bigint | undefined;
}

export interface EvmChainsOptions {
  /** By number: `1`, `137`. */
  chains: ReadonlyMap<string, EvmChainSettings>;
  clock: Clock;
  /** The time for one question to one node. */
  timeoutMs?: number | undefined;
  hedgeAfterMs?: number | undefined;
  timers?: Timers | undefined;
  circuit?: CircuitOptions | undefined;
  fetch: RpcFetch;
  /** So many reads go into one call, at first; fewer when the node wants it. */
  callsPerRequest?: number | undefined;
  /** So many answers are remembered for their block. */
  cachedCalls?: number | undefined;
  /** So many calls one search through logs may take. */
  maxLogCalls?: number | undefined;
  /** Called for each chain, with a function that reports its nodes' health. */
  watch?: ((chain: string, report: EndpointPool['report']) => void) | undefined;
}

/** One chain with its nodes and what was learnt about them. */
export interface EvmChain {
  name: string;
  chainId: string;
  settings: EvmChainSettings;
  pool: EndpointPool;
  clock: Clock;
  multicall: Hex;
  /** Up to which block its nodes are known not to take a way of asking. */
  closedUntil: Map<string, bigint>;
  maxCalls: number;
  /** How many reads its nodes take in one call, as far as is known. */
  callsPerRequest: number;
  logBlocks: bigint | undefined;
  maxLogCalls: number;
  calls: LRUCache<string, Promise<unknown>>;
  /** Facts of contracts that never change. */
  constants: LRUCache<string, Promise<unknown>>;
  rpc(endpoint: Endpoint, signal: AbortSignal): NodeRpc;
}

const usualMulticall = '0xca11bde05977b3631167028862be2a173976ca11';
const otherMulticalls: Readonly<Record<string, Hex>> = {
  '324': '0xf9cda624fbc7e059355ce98a31693d299facd963',
  '300': '0xf9cda624fbc7e059355ce98a31693d299facd963',
};

/** The configured chains, each with a pool of its nodes. Answers undefined for chains that are not configured. */
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
    // A limit by size, since one by count allocates all entries at once.
    calls: new LRUCache({ maxSize: cachedCalls, sizeCalculation: () => 1 }),
    constants: new LRUCache({ max: 10_000 }),
    rpc,
  };
}

/** Names that rules and wallets use for EVM chains besides their numbers. */
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

/** The number of an EVM chain as CAIP-2 or our rules write it: `evm:1`, `evm:mainnet`, `eip155:1`. */
function chainIdOf(chain: string): string | undefined {
  const [, reference = ''] = /^(?:evm|eip155):(.+)$/i.exec(chain) ?? [];
  if (/^[1-9]\d{0,15}$/.test(reference)) return reference;
  return Object.hasOwn(chainIds, reference.toLowerCase()) ? chainIds[reference.toLowerCase()] : undefined;
}
