import { hostEnd } from '@latchkey/adapter-kit';
import { observed } from '@latchkey/kernel';
import type { GivenAnswer, PooledEndpoint } from './endpoint.ts';
import { EndpointFault, EndpointRefusal, EndpointsFailed } from './failures.ts';
import type { Timers } from './timers.ts';

export interface Gathering<T> {
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

/** Collects answers of different endpoints: launches as many as are wanted, and one more for each that fails or dawdles. */
export function gather<T>(gathering: Gathering<T>): Promise<GivenAnswer<T>[]> {
  return new Promise((resolve, reject) => new Race(gathering, resolve, reject).start());
}

class Race<T> {
  readonly #gathering: Gathering<T>;
  readonly #resolve: (answers: GivenAnswer<T>[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #answers: (GivenAnswer<T> & { endpoint: PooledEndpoint })[] = [];
  readonly #failures: Error[] = [];
  readonly #running = new Map<PooledEndpoint, { controller: AbortController; startedMs: number }>();
  readonly #tries = new Map<PooledEndpoint, number>();
  readonly #refusing = new Set<PooledEndpoint>();
  readonly #cancels = new Set<() => void>();
  readonly #waiting = new Set<PooledEndpoint>();
  #hedges = 0;
  #isOver = false;

  constructor(gathering: Gathering<T>, resolve: (answers: GivenAnswer<T>[]) => void, reject: (error: Error) => void) {
    this.#gathering = gathering;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { signal, want } = this.#gathering;
    const onAbort = () => this.#giveUp('The question was called off.');
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort);
    this.#cancels.add(() => signal?.removeEventListener('abort', onAbort));
    for (let n = 0; n < want; n += 1) this.#launchNext();
    this.#concludeIfDone();
  }

  /** Asks the best endpoint that may still be asked; a failed one only after a pause. */
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
      this.#fail(endpoint, controller, new EndpointFault('did not answer in time'));
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
          this.#tell(endpoint, 'success');
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
      this.#tell(endpoint, 'success');
      this.#refusing.add(endpoint);
      this.#failures.push(error);
    } else {
      endpoint.verification = undefined;
      const fault = error instanceof EndpointFault ? error : new EndpointFault('could not be asked');
      if (fault.isImpostor) endpoint.circuit.trip();
      else endpoint.circuit.failed();
      this.#tell(endpoint, 'failure');
      this.#failures.push(fault);
    }
    if (this.#running.size + this.#waiting.size + this.#answers.length < this.#gathering.want) this.#launchNext();
    this.#concludeIfDone();
  }

  #tell({ host }: PooledEndpoint, outcome: 'success' | 'failure'): void {
    observed.endpointRead.tell({ service: this.#gathering.pool, host: hostEnd(host), outcome });
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

  /** An endpoint that is still running after this time has lost against a quicker one, and trust with it. */
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
