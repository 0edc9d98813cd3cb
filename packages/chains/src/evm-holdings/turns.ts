/** Does a task when it is its turn. */
export type Turns = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets so many tasks run at a time. The others wait, and come in the order they were given. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
