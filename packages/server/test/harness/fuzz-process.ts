import { type FuzzOptions, type FuzzReport, fuzzOperation } from './fuzz-operation.ts';
import { endOutsideWorld } from './outside-world.ts';
import { served } from './served.ts';
import { openWorld, type World } from './set-up-world.ts';

/** Requests of the tests to this process, one at a time. */
export type FuzzQuestion =
  | { about: 'world'; environment: Record<string, string> }
  | { about: 'operation'; route: string; options: FuzzOptions }
  | { about: 'errors' }
  | { about: 'end' };

/** A report, the errors in the log, or nothing; or what went wrong. */
export type FuzzAnswer = { report?: FuzzReport; errors?: string[]; problem?: string };

const errorLevel = 50;
let world: World | undefined;

function openedWorld(): World {
  if (world === undefined) throw new Error('There is no world yet.');
  return world;
}

async function answer(question: FuzzQuestion): Promise<FuzzAnswer> {
  switch (question.about) {
    case 'world':
      world = await openWorld(question.environment);
      return {};
    case 'operation': {
      const operation = served.find(({ route }) => route === question.route);
      if (operation === undefined) throw new Error(`${question.route} is not served.`);
      return { report: await fuzzOperation(openedWorld(), operation, question.options) };
    }
    case 'errors':
      return { errors: openedWorld().server.logLines.filter((line) => JSON.parse(line).level >= errorLevel) };
    case 'end':
      await world?.server.close();
      await endOutsideWorld();
      return {};
  }
}

process.on('message', async (question: FuzzQuestion) => {
  const given = await answer(question).catch((error: Error) => ({ problem: error.stack ?? error.message }));
  process.send?.(given);
  if (question.about === 'end') process.disconnect();
});

// The parent is gone: open handles would keep this process alive needlessly.
process.once('disconnect', () => process.exit());
