import { AppError, type Log, observed } from '@latchkey/kernel';

/** How long a port may take before it counts as failed. */
export interface TimeLimits {
  /** One request, including the adapter's retries. */
  questionMs: number;
  /** A batch of requests, or a write that waits for the platform's rate limits. */
  batchMs: number;
}

/** Adapters have tighter timeouts of their own; these apply if an adapter hangs anyway. */
export const usualLimits: TimeLimits = { questionMs: 60_000, batchMs: 10 * 60_000 };

export interface GuardOptions {
  /** The name of the port in metrics and logs: `wallets.evm`. */
  name: string;
  log: Log;
  limits: TimeLimits;
}

type FailureKind = 'error' | 'timeout' | 'malformed' | 'unknown';

type Call<Args extends unknown[], Result> = (...args: Args) => Result;

/** Wraps one method, so that every kind of failure becomes the one that the port declares. */
export type MethodGuard<Args extends unknown[] = never[], Result = unknown> = (
  call: Call<Args, Result>,
  options: GuardOptions & { method: string },
) => Call<Args, Result>;

type MethodOf<Member> = Extract<Member, (...args: never[]) => unknown>;

/** A guard for each method of a port. A method that is added to a port does not compile without one. */
export type PortGuard<Port> = {
  [Name in keyof Port as MethodOf<Port[Name]> extends never ? never : Name]-?: MethodGuard<
    Parameters<MethodOf<Port[Name]>>,
    ReturnType<MethodOf<Port[Name]>>
  >;
};

/** Returns a port whose failures are all of the declared type: callers never mistake one for a result. */
export function guardPort<Port extends object>(port: Port, guard: PortGuard<Port>, options: GuardOptions): Port {
  const guarded: Port = Object.create(port);
  for (const [method, wrap] of Object.entries(guard) as [keyof Port & string, MethodGuard][]) {
    if (port[method] === undefined) continue;
    const value = wrap((...args) => Reflect.apply(port[method] as () => unknown, port, args), { ...options, method });
    Object.defineProperty(guarded, method, { value, enumerable: true, writable: true });
  }
  return guarded;
}

export interface Failing<Args extends unknown[], Answer> {
  /** Whether the port may return this value. */
  accepts(value: unknown, args: Args): boolean;
  /** Converts a failure to the declared one. It returns or throws. */
  failed(reason: string, args: Args): Answer;
  /** Errors that the port throws on purpose, which pass unchanged. */
  throws?: (error: unknown) => boolean;
  limit?: keyof TimeLimits;
  /** Replaces malformed parts of a result. */
  repair?: (value: Answer, args: Args) => Answer;
  /** Results that pass and are counted: nothing could be decided. */
  isUnknown?: (value: unknown) => boolean;
}

/** Guards a method that returns a promise. */
export function asyncMethod<Args extends unknown[], Answer>(
  declared: Failing<Args, NoInfer<Answer>>,
): MethodGuard<Args, Promise<Answer>> {
  const { accepts, failed, throws = () => false, limit = 'questionMs', repair, isUnknown } = declared;
  return (call, options) =>
    async (...args) => {
      try {
        const value = await inTime(() => call(...args), options.limits[limit]);
        if (!accepts(value, args)) throw new MalformedAnswer();
        if (isUnknown?.(value)) count(options, 'unknown');
        return repair === undefined ? value : repair(value, args);
      } catch (error) {
        if (throws(error)) throw error;
        if (!isCancelled(args)) report(options, error);
        return failed(reasonOf(error), args);
      }
    };
}

/** Guards a synchronous method. A failure is UNAVAILABLE for every caller. */
export function syncMethod<Args extends unknown[], Answer>(
  accepts: (value: unknown) => boolean,
): MethodGuard<Args, Answer> {
  return (call, options) =>
    (...args) => {
      try {
        const value = call(...args);
        if (!accepts(value)) throw new MalformedAnswer(value);
        return value;
      } catch (error) {
        if (error instanceof AppError) throw error;
        report(options, error);
        throw undecided(error);
      }
    };
}

/**
 * Runs a verifier that is not a port. A failure is counted and logged, and becomes UNAVAILABLE: it says nothing about
 * the input.
 */
export async function verifying<Verdict>(
  { log }: { log: Log },
  name: string,
  verify: () => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await inTime(verify, usualLimits.questionMs);
  } catch (error) {
    if (error instanceof AppError) throw error;
    report({ name, method: 'verify', log, limits: usualLimits }, error);
    throw undecided(error);
  }
}

/**
 * Returns the result of an evaluation, even if that is a refusal. Throws if nothing was decided, because something
 * failed.
 */
export async function verdictOf<Verdict>(decide: () => Promise<Verdict>): Promise<Verdict | AppError> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

function undecided(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'Part of this server failed. Nothing was changed; try again shortly.', {
    retryAfterSeconds: 30,
    cause,
  });
}

/** Guards a method that returns pages. Each page has the timeout of a batch. */
export function paging<Args extends unknown[], Page, End>(
  declared: Pick<Failing<Args, never>, 'accepts' | 'failed' | 'throws'> & { ends(value: unknown): boolean },
): MethodGuard<Args, AsyncIterable<Page, End>> {
  const { accepts, ends, failed, throws = () => false } = declared;
  return (call, options) =>
    async function* (...args) {
      try {
        const answer = call(...args);
        if (answer?.[Symbol.asyncIterator] === undefined) throw new MalformedAnswer(answer);
        const pages = answer[Symbol.asyncIterator]();
        try {
          for (;;) {
            const step = await inTime(() => pages.next(), options.limits.batchMs);
            if (!(step.done ? ends(step.value) : accepts(step.value, args))) throw new MalformedAnswer();
            if (step.done) return step.value;
            yield step.value;
          }
        } finally {
          // Not awaited: pages that hang would hang here too.
          void Promise.resolve(pages.return?.()).catch(() => undefined);
        }
      } catch (error) {
        if (throws(error)) throw error;
        if (!isCancelled(args)) report(options, error);
        return failed(reasonOf(error), args);
      }
    };
}

class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';

  constructor(value?: unknown) {
    super('It sent a malformed response.');
    // An unexpected promise: nothing else awaits it, and its failure must not end the process.
    if (value instanceof Promise) value.catch(() => undefined);
  }
}

class TooLate extends Error {
  override readonly name = 'TooLate';

  constructor(limitMs: number) {
    super(`It did not respond within ${limitMs / 1000} seconds.`);
  }
}

async function inTime<Value>(ask: () => PromiseLike<Value> | Value, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooLate(limitMs)), limitMs);
  });
  try {
    return await Promise.race([ask(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the caller gave up waiting, which is not a failure of the port. */
function isCancelled(args: readonly unknown[]): boolean {
  return args.some((arg) => {
    const signal: unknown = typeof arg === 'object' && arg !== null && 'signal' in arg ? arg.signal : arg;
    return signal instanceof AbortSignal && signal.aborted;
  });
}

function reasonOf(error: unknown): string {
  return error instanceof TooLate || error instanceof MalformedAnswer ? error.message : 'It failed unexpectedly.';
}

function report(options: GuardOptions & { method: string }, error: unknown): void {
  count(options, error instanceof TooLate ? 'timeout' : error instanceof MalformedAnswer ? 'malformed' : 'error');
  const { name: dependency, method, log } = options;
  log.error('A dependency failed; nothing was changed.', { dependency, method, ...describe(error) });
}

function count({ name: dependency }: GuardOptions, kind: FailureKind): void {
  observed.dependencyFailure.record({ dependency, kind });
}

/** Describes an error without the URLs in it: those of nodes contain keys. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { reason: `It threw ${typeof error}.` };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const at = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6);
  return {
    error: error.name,
    reason: error.message.replaceAll(/\b\w+:\/\/\S+/g, '[address]').slice(0, 500),
    ...code,
    at,
  };
}
