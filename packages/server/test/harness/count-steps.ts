import { Session } from 'node:inspector/promises';

/** Code that runs for a request: the product and its libraries, but not what the tests themselves run. */
const counted = /\/(packages\/(?!emulators|test-kit)[\w-]+\/src|node_modules)\//;

export interface StepCounter {
  /** Returns how many blocks of code ran. Unlike time, it does not depend on the machine. */
  count(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** Counts with V8's coverage, which knows how often each function and loop body ran. */
export async function startCounting(): Promise<StepCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  // Reading them resets them to zero.
  const take = async () => (await session.post('Profiler.takePreciseCoverage')).result;
  await take();
  return {
    count: async (work) => {
      await work();
      let steps = 0;
      for (const { url, functions } of await take()) {
        if (!counted.test(url)) continue;
        for (const { ranges } of functions) for (const { count } of ranges) steps += count;
      }
      return steps;
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}
