/** A lookup by key that concurrent callers share. */
export type SharedRead<Value> = (key: string) => Promise<Value | undefined>;

/** A read that takes longer than this may hang, so later callers do not wait for it. */
const patienceMs = 50;

type Waiting<Value> = Map<string, PromiseWithResolvers<Value | undefined>>;

/**
 * Combines concurrent lookups, and those made while one is in flight, so that many callers cost one statement. Nothing
 * is cached: every result comes from a read that started after the call, so a change that was committed before is
 * always seen.
 */
export function shareReads<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): SharedRead<Value> {
  let waiting: Waiting<Value> = new Map();
  /** The read that new callers wait for. */
  let latest: symbol | undefined;
  let late: NodeJS.Timeout | undefined;

  /** Starts the read after all current callers have added their keys. */
  function begin(): void {
    const begun = Symbol('read');
    latest = begun;
    process.nextTick(readWaiting, begun);
  }

  async function readWaiting(begun: symbol): Promise<void> {
    const batch = waiting;
    waiting = new Map();
    clearTimeout(late);
    late = undefined;
    try {
      const found = await read([...batch.keys()]);
      goOn(begun);
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      goOn(begun);
      for (const { reject } of batch.values()) reject(error);
    }
  }

  function goOn(ended: symbol): void {
    if (latest !== ended) return;
    latest = undefined;
    if (waiting.size > 0) begin();
  }

  return (key) => {
    const request = waiting.get(key) ?? Promise.withResolvers<Value | undefined>();
    waiting.set(key, request);
    if (latest === undefined) begin();
    else late ??= setTimeout(begin, patienceMs);
    return request.promise;
  };
}

/** Creates one value per owner object, such as a connection pool, for as long as the owner is in use. */
export function oneFor<Owner extends object, Made>(make: (owner: Owner) => Made): (owner: Owner) => Made {
  const made = new WeakMap<Owner, Made>();
  return (owner) => {
    const present = made.get(owner);
    if (present !== undefined) return present;
    const fresh = make(owner);
    made.set(owner, fresh);
    return fresh;
  };
}
