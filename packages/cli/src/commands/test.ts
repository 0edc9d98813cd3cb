import { type TestResult, testCommunity } from '../file/run-tests.ts';
import type { Terminal } from '../terminal.ts';
import { type Options, openCommunities } from './open.ts';

/** Runs the tests in the files, without a server. Returns 1 if one fails. */
export async function runTest(terminal: Terminal, options: Options): Promise<number> {
  const results: TestResult[] = [];
  for (const community of await openCommunities(terminal, options)) results.push(...(await testCommunity(community)));
  const failed = results.filter(({ failures }) => failures.length > 0);
  if (options.json)
    terminal.print(JSON.stringify({ tests: results.map(({ verdicts: _verdicts, ...one }) => one) }, undefined, 2));
  else {
    for (const { name, place, failures } of failed)
      for (const failure of failures) terminal.print(`${place}: ${name}: ${failure}`);
    terminal.print(`${results.length} ${results.length === 1 ? 'test' : 'tests'}, ${failed.length} failed.`);
  }
  return failed.length > 0 ? 1 : 0;
}
