import { hostEnd } from '@latchkey/adapter-kit';
import type { CircuitOptions } from './circuit.ts';
import {
  createEndpoint,
  type Endpoint,
  type EndpointQuestion,
  type GivenAnswer,
  type PooledEndpoint,
} from './endpoint.ts';
import { EndpointFault, EndpointRefusal, EndpointsFailed } from './failures.ts';
import { gather } from './gather.ts';
import { createLatencies } from './latencies.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface EndpointPoolOptions {
  /** What is served, for people: `evm:1`. */
  name: string;
  urls: readonly string[];
  /** The time for one question to one endpoint. */
  timeoutMs: number;
  timers?: Timers | undefined;
  /** A second endpoint is never asked sooner than this, however quick the first usually is. */
  hedgeAfterMs?: number | undefined;
  /** An endpoint whose newest block is further behind the best known one than this is not asked. */
  maxBlocksBehind?: bigint | undefined;
  circuit?: CircuitOptions | undefined;
  /**
   * Makes sure that an endpoint is what it should be, by an `EndpointFault` when it is not. Asked before its first use and
   * again after it failed.
   */
  verify?: EndpointQuestion<void> | undefined;
}

export interface AskOptions {
  /** Questions of one kind take about the same time. */
  kind?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Endpoints known to have this block are asked first. */
  block?: bigint | undefined;
  /** Also asks endpoints that were behind, to learn whether they still are. */
  includeStale?: boolean | undefined;
}

export interface GatherOptions extends AskOptions {
  /** So many independent endpoints are asked. */
  want: number;
  /** So many must answer; the others get a short grace after that. Default: all. */
  atLeast?: number | undefined;
}

/** Several endpoints of one chain, of which the healthy ones are asked. */
export interface EndpointPool {
  /** How many endpoints are independent of each other, being of different hosts. */
  independent: number;
  /** Asks one endpoint; a second one when it is slow, the next when it fails. Throws `EndpointsFailed`. */
  ask<T>(question: EndpointQuestion<T>, options?: AskOptions): Promise<T>;
  /** Asks several independent endpoints the same question; each answer is of another one. Throws `EndpointsFailed`. */
  gather<T>(question: EndpointQuestion<T>, options: GatherOptions): Promise<GivenAnswer<T>[]>;
  /** The newest block an endpoint said to have. */
  sawBlock(endpoint: Endpoint, block: bigint): void;
  /** The newest block believed to exist. */
  bestBlock(): bigint | undefined;
  isStale(endpoint: Endpoint): boolean;
  /** What is known of each endpoint, without its address. */
  report(): EndpointReport[];
}

export interface EndpointReport {
  name: string;
  /** The last two parts of its host name: what comes before may be a key. */
  host: string;
  state: 'closed' | 'open' | 'half-open';
  errorRate: number;
  newestBlock: bigint | undefined;
}

const leastHedgeMs = 200;
// Development chains are turned back and started anew, so what was once seen is not held against them for ever.
const rememberHighestMs = 120_000;

export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { name, urls, timeoutMs, timers = systemTimers, maxBlocksBehind = 16n } = options;
  const endpoints = urls.map((url, place) => createEndpoint(url, place, timers, options.circuit));
  const latencies = createLatencies();
  const independent = new Set(endpoints.map(({ host }) => host)).size;

  // A chain does not shrink: an endpoint that names a much lower block than a moment ago is behind itself.
  const highestOf = ({ newestBlock, highest }: PooledEndpoint) =>
    highest !== undefined && timers.nowMs() - highest.atMs < rememberHighestMs ? highest.block : newestBlock;
  const bestBlock = () => {
    const blocks = endpoints.flatMap((endpoint) => highestOf(endpoint) ?? []);
    const [highest, second] = blocks.sort((one, other) => (one > other ? -1 : 1));
    // One of several endpoints alone cannot make the others stale by naming a block that does not exist.
    return blocks.length >= 3 ? second : highest;
  };
  const isStale = ({ newestBlock }: PooledEndpoint) =>
    newestBlock !== undefined && (bestBlock() ?? 0n) - newestBlock > maxBlocksBehind;
  const find = ({ url }: Endpoint) => endpoints.find((endpoint) => endpoint.url === url);

  // It has a time limit of its own: the question that started it may be called off while others wait for it.
  async function verify(endpoint: PooledEndpoint): Promise<void> {
    const controller = new AbortController();
    const cancel = timers.after(timeoutMs, () => controller.abort());
    try {
      await options.verify?.(endpoint, controller.signal);
    } catch (error) {
      // Only a good outcome is remembered, or one refusal would put the endpoint out of use for good. And to refuse this
      // says something against the endpoint, unlike to refuse a question.
      endpoint.verification = undefined;
      throw error instanceof EndpointRefusal ? new EndpointFault('does not say what it is') : error;
    } finally {
      cancel();
    }
  }

  async function gatherFrom<T>(question: EndpointQuestion<T>, asked: GatherOptions): Promise<GivenAnswer<T>[]> {
    const { want, atLeast = want, kind = 'question', includeStale = false, signal, block } = asked;
    if (atLeast > independent) {
      const problem = `${atLeast} independent endpoints of ${name} must agree, and ${independent} are set.`;
      throw new EndpointsFailed(name, [], problem);
    }
    return gather({
      pool: name,
      endpoints: endpoints.filter((endpoint) => includeStale || !isStale(endpoint)),
      question: async (endpoint, abort) => {
        endpoint.verification ??= verify(endpoint);
        await endpoint.verification;
        return question(endpoint, abort);
      },
      want: Math.min(want, independent),
      atLeast,
      timers,
      timeoutMs,
      hedgeAfterMs: Math.max(options.hedgeAfterMs ?? leastHedgeMs, 1.2 * (latencies.usualMs(kind) ?? timeoutMs / 5)),
      signal,
      block,
      took: (elapsedMs) => latencies.add(kind, elapsedMs),
    });
  }

  return {
    independent,
    bestBlock,
    gather: gatherFrom,
    ask: async (question, asked = {}) => {
      const [first] = await gatherFrom(question, { ...asked, want: 1 });
      if (first === undefined) throw new EndpointsFailed(name, []);
      return first.value;
    },
    sawBlock: (endpoint, block) => {
      const pooled = find(endpoint);
      if (pooled === undefined) return;
      pooled.newestBlock = block;
      if (block >= (highestOf(pooled) ?? 0n)) pooled.highest = { block, atMs: timers.nowMs() };
    },
    isStale: (endpoint) => {
      const pooled = find(endpoint);
      return pooled !== undefined && isStale(pooled);
    },
    report: () =>
      endpoints.map(({ name: endpoint, host, circuit, newestBlock }) => ({
        name: endpoint,
        host: hostEnd(host),
        state: circuit.state(),
        errorRate: circuit.errorRate(),
        newestBlock,
      })),
  };
}
