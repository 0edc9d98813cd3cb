import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FuzzOptions, FuzzReport } from './fuzz-operation.ts';
import type { FuzzAnswer, FuzzQuestion } from './fuzz-process.ts';
import { shortResolve } from './processes.ts';

const program = fileURLToPath(new URL('fuzz-process.ts', import.meta.url));

/** A world with its fuzz in a process of its own. */
export interface Fuzz {
  operation(route: string, options: FuzzOptions): Promise<FuzzReport>;
  /** What the server has logged as errors. */
  errors(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Starts the fuzz apart from the tests: their runner follows every promise of its process to know whose it is, which
 * would make each of the many requests a good deal dearer.
 */
export async function startFuzz(environment: Record<string, string>): Promise<Fuzz> {
  const child = fork(program, { execArgv: [shortResolve], serialization: 'advanced' });
  const exited: Promise<FuzzAnswer> = once(child, 'exit').then(([code, signal]) => ({
    problem: `It ended with ${signal ?? code}.`,
  }));
  const put = async (question: FuzzQuestion): Promise<FuzzAnswer> => {
    const answered: Promise<FuzzAnswer> = once(child, 'message').then(([answer]) => answer);
    if (child.connected) child.send(question);
    const { problem, ...answer } = await Promise.race([answered, exited]);
    if (problem !== undefined) throw new Error(`The process of the fuzz could not answer. ${problem}`);
    return answer;
  };
  let last: Promise<unknown> = Promise.resolve();
  // A test that was given up must not leave its answer to the next one.
  const ask = (question: FuzzQuestion): Promise<FuzzAnswer> => {
    const answer = last.catch(() => undefined).then(() => put(question));
    last = answer;
    return answer;
  };
  try {
    await ask({ about: 'world', environment });
  } catch (error) {
    if (child.connected) child.disconnect();
    throw error;
  }
  return {
    operation: async (route, options) => {
      const { report } = await ask({ about: 'operation', route, options });
      if (report === undefined) throw new Error(`There is no report about ${route}.`);
      return report;
    },
    errors: async () => (await ask({ about: 'errors' })).errors ?? [],
    close: async () => {
      await ask({ about: 'end' });
      await exited;
    },
  };
}
