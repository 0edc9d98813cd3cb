// What browsers run: the file that `pull` writes, and the tests in files, by the same code as the commands. No file system, no network.

import { isObject } from '@latchkey/kernel';
import { newFile } from './file/new-document.ts';
import { readCommunities, repeatedCommunities } from './file/read-communities.ts';
import { namesIn, outcomeOf, reasonLines } from './file/reason-lines.ts';
import { testCommunity } from './file/run-tests.ts';
import { BadFiles, type FileProblem, UsageError } from './problems.ts';

export type { FileProblem } from './problems.ts';
export { newFile };

/** A test of a file, with the reasons of every role that it names. */
export interface RunTest {
  community: string;
  name: string;
  /** What was expected and not decided; empty if the test passed. */
  failures: readonly string[];
  line: number;
  roles: readonly { role: string; outcome: string; reasons: readonly string[] }[];
}

/** What was found in a file: its tests, or what keeps it from being read. */
export type TestRun = { tests: readonly RunTest[] } | { problems: readonly FileProblem[] };

/** Runs the tests of a file. A file that includes others is refused, because a browser cannot open them. */
export async function runTests(file: string, text: string): Promise<TestRun> {
  try {
    return { tests: await testAll(file, text) };
  } catch (error) {
    if (error instanceof BadFiles) return { problems: error.problems };
    if (error instanceof UsageError)
      return { problems: [{ place: { file, line: 1, column: 1 }, message: error.message }] };
    throw error;
  }
}

async function testAll(file: string, text: string): Promise<RunTest[]> {
  const problems: FileProblem[] = [];
  const nothing = { given: {}, inherited: {}, inheritedTokens: new Map() };
  const { communities, read } = readCommunities(file, text, nothing, problems);
  problems.push(...repeatedCommunities(communities));
  if (isObject(read?.value) && Array.isArray(read.value.include) && read.value.include.length > 0)
    problems.push({
      place: read.placeOf('/include'),
      message: 'A browser cannot open the files that this one includes. Run “latchkey rules test” instead.',
    });
  if (problems.length > 0) throw new BadFiles(problems);
  const tests: RunTest[] = [];
  for (const community of communities) {
    const names = namesIn(community);
    for (const [index, { verdicts, community: title, name, failures }] of (await testCommunity(community)).entries())
      tests.push({
        community: title,
        name,
        failures,
        line: community.placeOf(`/tests/${index}`).line,
        roles: verdicts.map(({ roleId, truth, reason }) => ({
          role: names.role(roleId),
          outcome: outcomeOf[truth],
          reasons: reason.rules.flatMap((rule) => [
            `${rule.id}: ${outcomeOf[rule.truth]}`,
            ...(rule.reason === undefined ? [] : reasonLines(rule.reason, names, 1)),
          ]),
        })),
      });
  }
  return tests;
}
