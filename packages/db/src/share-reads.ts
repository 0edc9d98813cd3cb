/** A look-up by key that others may take part in. */
export type SharedRead<Value> = (key: string) => Promise<Value | undefined>;

/** A read that takes longer than this may hang, so who comes later does not wait for its end. */
const patienceMs = 50;

type Waiting<Value> = Map<string, PromiseWithResolvers<Value | undefined>>;

/**
 * Joins concurrent lookups, and those made while one is in flight, so that many callers cost one statement.
 * Nothing is kept: every answer is from a read that began after it was asked for, so a change that was committed before
 * is always seen.
 */
export function shareReads<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): SharedRead<Value> {
  let waiting: Waiting<Value> = new Map();
  /** The read whose end those who come now wait for. */
  let latest: symbol | undefined;
  let late: NodeJS.Timeout | undefined;

  /** Reads when all that goes on at this moment has asked. */
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
    const asked = waiting.get(key) ?? Promise.withResolvers<Value | undefined>();
    waiting.set(key, asked);
    if (latest === undefined) begin();
    else late ??= setTimeout(begin, patienceMs);
    return asked.promise;
  };
}

/** One of something for each object that it is made of, such as a pool of connections, for as long as that is used. */
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
