import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { readYaml } from '@latchkey/test-kit';
import { portalFolder } from '../config/folders.ts';
import { checkCommands } from '../samples/check-commands.ts';
import { checkSettings, checkSql } from '../samples/check-files.ts';
import { checkHttp, checkJson } from '../samples/check-http.ts';
import { readInfo } from '../samples/info.ts';
import { compileSamples } from '../samples/programs.ts';
import { type Problem, problemAt, readAllSamples, type Sample, showProblems } from '../samples/read-samples.ts';
import { recordRun } from '../samples/recorded-run.ts';
import { runSample } from '../samples/run-sample.ts';
import { quickStart } from '../src/home/quick-start.ts';
import { startSampleServer } from './settle-page.ts';

/** The commands of the home page, which is not Markdown. */
const first = Object.entries(quickStart).map(([name, text]) => ({
  ...readInfo('bash', name === 'rule' ? 'run' : ''),
  file: 'src/home/quick-start.ts',
  line: 1,
  text,
  tabs: [],
}));
const samples: readonly Sample[] = [...readAllSamples(portalFolder), ...first];
const pages = new Set(samples.map(({ file }) => file));

const kinds = {
  ts: samples.filter(({ language }) => language === 'ts' || language === 'tsx'),
  json: samples.filter(({ language }) => language === 'json'),
  http: samples.filter(({ language }) => language === 'http'),
  commands: samples.filter(({ language, runs, follows }) => language === 'bash' && !runs && !follows),
  /** packages/server/test/journeys/tutorial-in-git.slow.test.ts follows them. */
  follows: samples.filter(({ language, follows }) => language === 'bash' && follows),
  settings: samples.filter(({ language }) => language === 'env'),
  sql: samples.filter(({ language }) => language === 'sql'),
  yaml: samples.filter(({ language }) => language === 'yaml'),
  runs: samples.filter(({ language, runs }) => language === 'bash' && runs),
  /** samples/python-samples.test.ts and *-programs.slow.test.ts run them. */
  python: samples.filter(({ language }) => language === 'py'),
  /** Nothing here can compile or run them. */
  waiting: samples.filter(({ language }) => language === 'solidity'),
  text: samples.filter(({ language }) => language === 'text'),
  /** api-programs.slow.test.ts opens it in a browser. */
  html: samples.filter(({ language }) => language === 'html'),
};
/** Set to write down which samples ran, for their status lines. */
const isRecording = process.env.LATCHKEY_RECORD_SAMPLES !== undefined;

/** An empty list would pass every check. */
function expectNone(t: TestContext, checked: readonly Sample[], problems: readonly Problem[], what: string): void {
  assert.notEqual(checked.length, 0);
  assert.equal(problems.length, 0, `\n${showProblems(problems)}`);
  t.diagnostic(`${checked.length} samples on ${new Set(checked.map(({ file }) => file)).size} pages ${what}`);
}

describe('the samples of the portal', () => {
  test('are each of a kind that is checked', (t) => {
    const known = new Set<Sample>(Object.values(kinds).flat());
    const others = samples.filter((sample) => !known.has(sample));
    assert.deepEqual(others, []);
    const { text, waiting } = kinds;
    t.diagnostic(`${samples.length} samples on ${pages.size} pages, of which ${text.length} are text`);
    t.diagnostic(`waiting: ${waiting.map(({ file, line, language }) => `${language} ${file}:${line}`).join(', ')}`);
  });

  test('pages for members and admins keep commands and requests in tabs for operators and programmers', (t) => {
    const forPeople = samples.filter(({ file }) =>
      /^help-docs\/(command-center|errors|marketplace|set-up-the-bot|wallets)\//.test(file),
    );
    const technical = forPeople.filter(
      ({ language, schema }) => ['bash', 'http', 'ts', 'py'].includes(language) || schema !== undefined,
    );
    const astray = technical.filter(({ tabs }) => !tabs.some((label) => /^For (operators|programmers)$/.test(label)));
    expectNone(
      t,
      technical,
      astray.map((sample) => problemAt(sample, 'stands outside of the tabs "For operators" and "For programmers"')),
      'are in tabs',
    );
  });

  /** The compiler's output for all samples and a broken one, started at once because it is slow to start. */
  let compiled: Promise<Problem[]> | undefined;
  const broken: Sample = {
    ...readInfo('ts', ''),
    file: 'docs/a.md',
    line: 10,
    tabs: [],
    text: "import { createClient } from '@latchkey/client';\nconst client: number = createClient;",
  };
  const compile = () => {
    compiled ??= compileSamples([...kinds.ts, broken]);
    return compiled;
  };

  test('those in TypeScript compile under the options of the project', async (t) => {
    const problems = (await compile()).filter(({ file }) => file !== broken.file);
    expectNone(t, kinds.ts, problems, 'compiled');
  });

  test('one that does not compile is reported with its line', async () => {
    const [problem, ...others] = (await compile()).filter(({ file }) => file === broken.file);
    assert.deepEqual([problem?.line, others], [11, []]);
    assert.match(problem?.text ?? '', /not assignable to type 'number'/);
  });

  test('those in JSON match what an operation accepts or returns', (t) => {
    const held = kinds.json.filter(({ schema }) => schema !== undefined);
    expectNone(t, kinds.json, kinds.json.flatMap(checkJson), `parsed, ${held.length} of them held to an operation`);
  });

  test('written-out requests match operations, with valid bodies', (t) => {
    expectNone(t, kinds.http, kinds.http.flatMap(checkHttp), 'are requests to operations');
  });

  test('commands exist and accept their arguments', (t) => {
    expectNone(t, kinds.commands, kinds.commands.flatMap(checkCommands), 'are commands there are');
  });

  test('files for operators set existing settings, and match the files of the project', (t) => {
    const { settings, sql, yaml } = kinds;
    const unreadable = yaml.filter(({ text }) => readYaml(text).length !== 1);
    const problems = [
      ...settings.flatMap(checkSettings),
      ...sql.flatMap(checkSql),
      ...unreadable.map((sample) => problemAt(sample, 'is not one document')),
    ];
    assert.ok(settings.length > 0 && sql.length > 0 && yaml.length > 0);
    expectNone(t, [...settings, ...sql, ...yaml], problems, 'are such files');
  });

  test('those that run get the expected responses from a server', async (t) => {
    const byPage = Map.groupBy(kinds.runs, ({ file }) => file);
    await using server = await startSampleServer(byPage.size);
    const problems: Problem[] = [];
    for (const parts of byPage.values()) {
      const variables = await server.settlePage();
      for (const sample of parts) problems.push(...(await runSample(sample, variables)));
    }
    const failed = new Set(problems.map((problem) => problem.file));
    if (isRecording) recordRun(kinds.runs.filter(({ file }) => !failed.has(file)).map(({ text }) => text));
    expectNone(t, kinds.runs, problems, 'ran');
  });
});
