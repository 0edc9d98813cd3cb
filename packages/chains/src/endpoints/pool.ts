import { hostEnd } from '@latchkey/adapter-kit';
import { observed } from '@latchkey/kernel';
import type { CircuitOptions } from './circuit.ts';
import {
  createEndpoint,
  type Endpoint,
  type EndpointQuestion,
  type PooledEndpoint,
  type ReceivedAnswer,
} from './endpoint.ts';
import { EndpointFault, EndpointRefusal, EndpointsFailed } from './failures.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface EndpointPoolOptions {
  /** A display name of what it serves, such as `evm:1`. */
  name: string;
  urls: readonly string[];
  /** The timeout of one request to one endpoint. */
  timeoutMs: number;
  timers?: Timers | undefined;
  /** The minimum delay before a second endpoint is tried, however fast the first usually is. */
  hedgeAfterMs?: number | undefined;
  /** An endpoint whose newest block is further than this behind the best known one is not used. */
  maxBlocksBehind?: bigint | undefined;
  circuit?: CircuitOptions | undefined;
  /**
   * Verifies what an endpoint serves, and throws `EndpointFault` if it is something else. Runs before the first use and again after a
   * fault.
   */
  verify?: EndpointQuestion<void> | undefined;
}

export interface AskOptions {
  /** Groups requests that take about the same time. */
  kind?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Endpoints known to have this block are tried first. */
  block?: bigint | undefined;
  /** Also uses endpoints that were behind, to see whether they have caught up. */
  includeStale?: boolean | undefined;
}

export interface CollectOptions extends AskOptions {
  /** How many independent endpoints to query. */
  want: number;
  /** How many must respond; the others get a short grace period after that. Defaults to all. */
  atLeast?: number | undefined;
}

/** Several endpoints of one chain. Requests go to the healthy ones. */
export interface EndpointPool {
  /** The number of independent endpoints: those on different hosts. */
  independent: number;
  /** Sends a request to one endpoint, to a second one if it is slow, and to the next if it fails. Throws `EndpointsFailed`. */
  ask<T>(question: EndpointQuestion<T>, options?: AskOptions): Promise<T>;
  /** Sends the same request to several independent endpoints and returns one response from each. Throws `EndpointsFailed`. */
  collect<T>(question: EndpointQuestion<T>, options: CollectOptions): Promise<ReceivedAnswer<T>[]>;
  /** Reports the newest block that an endpoint claims to have. */
  sawBlock(endpoint: Endpoint, block: bigint): void;
  /** Returns the newest block that is believed to exist. */
  bestBlock(): bigint | undefined;
  isStale(endpoint: Endpoint): boolean;
  /** Returns the state of each endpoint, without its URL. */
  report(): EndpointReport[];
}

export interface EndpointReport {
  name: string;
  /** The last two labels of its host name: the labels before them can be a key. */
  host: string;
  state: 'closed' | 'open' | 'half-open';
  errorRate: number;
  newestBlock: bigint | undefined;
}

const leastHedgeMs = 200;
// Development chains are reset and restarted, so old observations must expire.
const rememberHighestMs = 120_000;

export function createEndpointPool(options: EndpointPoolOptions): EndpointPool {
  const { name, urls, timeoutMs, timers = systemTimers, maxBlocksBehind = 16n } = options;
  const endpoints = urls.map((url, place) => createEndpoint(url, place, timers, options.circuit));
  const latencies = createLatencies();
  const independent = new Set(endpoints.map(({ host }) => host)).size;

  // A chain does not shrink: an endpoint that reports a much lower block than a moment ago is behind.
  const highestOf = ({ newestBlock, highest }: PooledEndpoint) =>
    highest !== undefined && timers.nowMs() - highest.atMs < rememberHighestMs ? highest.block : newestBlock;
  const bestBlock = () => {
    const blocks = endpoints.flatMap((endpoint) => highestOf(endpoint) ?? []);
    const [highest, second] = blocks.sort((one, other) => (one > other ? -1 : 1));
    // A single endpoint must not be able to make the others stale by reporting a block that does not exist.
    return blocks.length >= 3 ? second : highest;
  };
  const isStale = ({ newestBlock }: PooledEndpoint) =>
    newestBlock !== undefined && (bestBlock() ?? 0n) - newestBlock > maxBlocksBehind;
  const find = ({ url }: Endpoint) => endpoints.find((endpoint) => endpoint.url === url);

  // It has its own time limit: the request that started it may be aborted while others wait for the result.
  async function verify(endpoint: PooledEndpoint): Promise<void> {
    const controller = new AbortController();
    const cancel = timers.after(timeoutMs, () => controller.abort());
    try {
      await options.verify?.(endpoint, controller.signal);
    } catch (error) {
      // Only success is cached; otherwise one refusal would disable the endpoint for good. Unlike refusing a request, refusing to be
      // verified counts against the endpoint.
      endpoint.verification = undefined;
      throw error instanceof EndpointRefusal ? new EndpointFault('does not say what it is') : error;
    } finally {
      cancel();
    }
  }

  async function collectFrom<T>(question: EndpointQuestion<T>, request: CollectOptions): Promise<ReceivedAnswer<T>[]> {
    const { want, atLeast = want, kind = 'question', includeStale = false, signal, block } = request;
    if (atLeast > independent) {
      const problem = `${atLeast} independent endpoints of ${name} must agree, and ${independent} are set.`;
      throw new EndpointsFailed(name, [], problem);
    }
    return collect({
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
    collect: collectFrom,
    ask: async (question, request = {}) => {
      const [first] = await collectFrom(question, { ...request, want: 1 });
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

interface Latencies {
  add(kind: string, elapsedMs: number): void;
  /** The 95th percentile of recent requests of this kind; undefined while there are too few. */
  usualMs(kind: string): number | undefined;
}

const remembered = 64;
const leastSamples = 8;

/** Tracks latencies by kind of request: a header is fast where a thousand balances are not. */
function createLatencies(): Latencies {
  const samples = new Map<string, number[]>();
  return {
    add: (kind, elapsedMs) => void samples.set(kind, [...(samples.get(kind) ?? []), elapsedMs].slice(-remembered)),
    usualMs: (kind) => {
      const taken = samples.get(kind) ?? [];
      if (taken.length < leastSamples) return undefined;
      return taken.toSorted((one, other) => one - other)[Math.floor(taken.length * 0.95)];
    },
  };
}

interface Collection<T> {
  pool: string;
  endpoints: readonly PooledEndpoint[];
  question(endpoint: PooledEndpoint, signal: AbortSignal): Promise<T>;
  want: number;
  atLeast: number;
  timers: Timers;
  timeoutMs: number;
  hedgeAfterMs: number;
  signal?: AbortSignal | undefined;
  block?: bigint | undefined;
  took(elapsedMs: number): void;
}

const retryAfterMs = 100;
const triesOfOne = 3;
const triesOfSeveral = 2;

/** Collects responses from different endpoints: sends as many requests as are wanted, and one more for each that fails or is slow. */
function collect<T>(collection: Collection<T>): Promise<ReceivedAnswer<T>[]> {
  return new Promise((resolve, reject) => new Race(collection, resolve, reject).start());
}

class Race<T> {
  readonly #gathering: Collection<T>;
  readonly #resolve: (answers: ReceivedAnswer<T>[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #answers: (ReceivedAnswer<T> & { endpoint: PooledEndpoint })[] = [];
  readonly #failures: Error[] = [];
  readonly #running = new Map<PooledEndpoint, { controller: AbortController; startedMs: number }>();
  readonly #tries = new Map<PooledEndpoint, number>();
  readonly #refusing = new Set<PooledEndpoint>();
  readonly #cancels = new Set<() => void>();
  readonly #waiting = new Set<PooledEndpoint>();
  #hedges = 0;
  #isOver = false;

  constructor(
    collection: Collection<T>,
    resolve: (answers: ReceivedAnswer<T>[]) => void,
    reject: (error: Error) => void,
  ) {
    this.#gathering = collection;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { signal, want } = this.#gathering;
    const onAbort = () => this.#giveUp('The request was canceled.');
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort);
    this.#cancels.add(() => signal?.removeEventListener('abort', onAbort));
    for (let n = 0; n < want; n += 1) this.#launchNext();
    this.#concludeIfDone();
  }

  /** Tries the best remaining endpoint. One that failed is retried only after a pause. */
  #launchNext(isHedge = false): void {
    const next = this.#rank().find((endpoint) => {
      if (this.#triesOf(endpoint) > 0 && isHedge) return false;
      return this.#triesOf(endpoint) > 0 ? endpoint.circuit.state() !== 'open' : endpoint.circuit.take();
    });
    if (next === undefined) return;
    if (this.#triesOf(next) === 0) this.#launch(next);
    else this.#launchLater(next);
  }

  #launchLater(endpoint: PooledEndpoint): void {
    this.#waiting.add(endpoint);
    this.#after(retryAfterMs * 2 ** (this.#triesOf(endpoint) - 1), () => {
      this.#waiting.delete(endpoint);
      if (endpoint.circuit.take()) this.#launch(endpoint);
      this.#concludeIfDone();
    });
  }

  #hedge(): void {
    if (this.#hedges >= this.#gathering.want) return;
    this.#hedges += 1;
    this.#launchNext(true);
  }

  #rank(): PooledEndpoint[] {
    const { endpoints, block } = this.#gathering;
    const limit = endpoints.length === 1 ? triesOfOne : triesOfSeveral;
    const busy = [...this.#running.keys(), ...this.#waiting, ...this.#answers.map(({ endpoint }) => endpoint)];
    const taken = new Set(busy.map(({ host }) => host));
    const hasBlock = (endpoint: PooledEndpoint) =>
      block === undefined || (endpoint.newestBlock !== undefined && endpoint.newestBlock >= block);
    const cost = (endpoint: PooledEndpoint) =>
      1_000 * this.#triesOf(endpoint) +
      (endpoint.circuit.state() === 'closed' ? 0 : 500) +
      (hasBlock(endpoint) ? 0 : 200) +
      Math.round(10 * endpoint.circuit.errorRate());
    return endpoints
      .filter((endpoint) => !taken.has(endpoint.host) && !this.#refusing.has(endpoint))
      .filter((endpoint) => this.#triesOf(endpoint) < limit)
      .sort((one, other) => cost(one) - cost(other) || one.place - other.place);
  }

  #launch(endpoint: PooledEndpoint): void {
    const { timers, timeoutMs, hedgeAfterMs, question, took } = this.#gathering;
    const controller = new AbortController();
    const startedMs = timers.nowMs();
    this.#running.set(endpoint, { controller, startedMs });
    this.#tries.set(endpoint, this.#triesOf(endpoint) + 1);
    const cancelTimeout = this.#after(timeoutMs, () => {
      this.#fail(endpoint, controller, new EndpointFault('timed out'));
      controller.abort();
    });
    const cancelHedge = this.#after(hedgeAfterMs, () => this.#hedge());
    const finish = () => {
      cancelTimeout();
      cancelHedge();
    };
    Promise.resolve()
      .then(() => question(endpoint, controller.signal))
      .then(
        (value) => {
          finish();
          if (this.#running.get(endpoint)?.controller !== controller) return;
          took(timers.nowMs() - startedMs);
          endpoint.circuit.succeeded();
          this.#report(endpoint, 'success');
          this.#running.delete(endpoint);
          this.#answers.push({ endpoint, value });
          this.#concludeIfDone();
        },
        (error: unknown) => {
          finish();
          this.#fail(endpoint, controller, error);
        },
      );
  }

  #fail(endpoint: PooledEndpoint, controller: AbortController, error: unknown): void {
    if (this.#running.get(endpoint)?.controller !== controller) return;
    this.#running.delete(endpoint);
    if (error instanceof EndpointRefusal) {
      endpoint.circuit.succeeded();
      this.#report(endpoint, 'success');
      this.#refusing.add(endpoint);
      this.#failures.push(error);
    } else {
      endpoint.verification = undefined;
      const fault = error instanceof EndpointFault ? error : new EndpointFault('could not be reached');
      if (fault.isImpostor) endpoint.circuit.trip();
      else endpoint.circuit.failed();
      this.#report(endpoint, 'failure');
      this.#failures.push(fault);
    }
    if (this.#running.size + this.#waiting.size + this.#answers.length < this.#gathering.want) this.#launchNext();
    this.#concludeIfDone();
  }

  #report({ host }: PooledEndpoint, outcome: 'success' | 'failure'): void {
    observed.endpointRead.record({ service: this.#gathering.pool, host: hostEnd(host), outcome });
  }

  #concludeIfDone(): void {
    if (this.#isOver) return;
    const { want, atLeast, pool, hedgeAfterMs } = this.#gathering;
    const isIdle = this.#running.size === 0 && this.#waiting.size === 0;
    const count = this.#answers.length;
    if (count >= want || (count >= atLeast && isIdle)) this.#finish();
    else if (count >= atLeast) this.#after(hedgeAfterMs, () => this.#finish());
    else if (isIdle) {
      this.#end();
      this.#reject(new EndpointsFailed(pool, this.#failures));
    }
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#end();
    this.#resolve(this.#answers.slice(0, this.#gathering.want));
  }

  #giveUp(problem: string): void {
    if (this.#isOver) return;
    this.#end(Number.POSITIVE_INFINITY);
    this.#reject(new EndpointsFailed(this.#gathering.pool, [], problem));
  }

  /** An endpoint that is still running after this time lost to a faster one, and loses rank. */
  #end(slowAfterMs = this.#gathering.hedgeAfterMs): void {
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
    for (const [{ circuit }, { controller, startedMs }] of this.#running) {
      if (this.#gathering.timers.nowMs() - startedMs >= slowAfterMs) circuit.failed();
      else circuit.abandoned();
      controller.abort();
    }
    this.#running.clear();
  }

  #after(delayMs: number, act: () => void): () => void {
    const cancel = this.#gathering.timers.after(delayMs, () => {
      this.#cancels.delete(cancel);
      if (!this.#isOver) act();
    });
    this.#cancels.add(cancel);
    return cancel;
  }

  #triesOf(endpoint: PooledEndpoint): number {
    return this.#tries.get(endpoint) ?? 0;
  }
}
