// Runs the checks and the tests of the clone it is started in. The last line printed is always `N passed, N failed`.
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Problem } from '../problem.mjs';
import { setUpChromium } from '../setup/chromium.mjs';
import { seconds } from '../step.mjs';
import { makeRunFolder, type RunFolder } from './run-folder.ts';
import { type Failure, type Outcome, runProcess } from './run-process.ts';
import { findTestFiles, groupTestFiles, isSlow, type Tier, takeFileTurns } from './test-files.ts';

interface Options {
  tier: Tier;
  /** Path fragments. */
  filters: string[];
  name?: string;
  seed?: string;
  turn?: string;
}

interface Check {
  name: string;
  program: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
}

const root = process.cwd();
const minuteMs = 60_000;
/**
 * How long no test of a process may start or end. A test with parts, a suite, a file or the run as a whole has no limit: on a busy machine
 * many short steps take as long as one that hangs.
 */
const silenceLimitMs = { check: 15 * minuteMs, test: 15 * minuteMs, deep: 60 * minuteMs };
/** More than there are CPUs, because tests also wait; but not many, because a file may start several servers. */
const processesAtOnce = Math.min(4, availableParallelism() + 2);

/** The compiler is a Go program; GOGC makes it collect garbage less often. `npm ci` deletes its cache. */
const types: Check = {
  name: 'Types',
  program: 'node_modules/typescript/bin/tsc',
  args: '-p tsconfig.json --checkers 1 --incremental --tsBuildInfoFile node_modules/.types.tsbuildinfo'.split(' '),
  env: { GOGC: '400' },
};
const lint: Check = {
  name: 'Lint',
  program: 'node_modules/@biomejs/biome/bin/biome',
  args: ['ci', '.', '--colors=off'],
};
/** Builds the documentation portal, unless it is up to date, for the tests that open it. */
const portal: Check = { name: 'Portal', program: 'apps/portal/build.ts', args: ['--unless-fresh'] };
const opensPortal = /^apps\/portal\/.*\.slow\.test\.ts$/;
/** Runs third-party OpenID Connect clients, some of them not from npm. */
const conformance: Check = { name: 'Conformance', program: 'scripts/conformance/run.ts', args: [] };

const totals = { passed: 0, failed: 0, skipped: new Map<string, number>() };
const stopping = new AbortController();
let interruptedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruptedBy ??= signal;
    stopping.abort();
  });
// A run started by a test would consider itself part of that test's run.
delete process.env.NODE_TEST_CONTEXT;

const startedAt = performance.now();
try {
  await runAll(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Problem ? error.message : error);
  totals.failed += 1;
}
printSkipped();
console.log(`Total time: ${seconds(performance.now() - startedAt)}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;

function readOptions([tier, ...args]: string[]): Options {
  const options: Options = { tier: tier as Tier, filters: [] };
  for (const arg of args) {
    const [, flag, value] = /^--(name|seed|turn)=(.*)$/.exec(arg) ?? [];
    if (flag === 'name' || flag === 'seed' || flag === 'turn') options[flag] = value;
    else if (arg.startsWith('-'))
      throw new Problem(`Unknown flag ${arg}. Use --name=PATTERN, --seed=TEXT or --turn=NUMBER.`);
    else options.filters.push(arg);
  }
  if (options.turn !== undefined && !/^\d{1,6}$/.test(options.turn))
    throw new Problem(`--turn is a whole number below a million, not ${options.turn}.`);
  return options;
}

async function runAll(options: Options): Promise<void> {
  const { tier, filters } = options;
  const found = findTestFiles(root, tier, filters);
  const isChosen = filters.length > 0;
  if (found.length === 0 && isChosen)
    throw new Problem(
      `No ${tier === 'deep' ? 'deep ' : ''}test file has a path that contains ${filters.join(' or ')}.`,
    );
  const files = chooseTurn(options, found);
  if (files.some(isSlow)) process.env.LATCHKEY_CHROMIUM = await findBrowser();
  Object.assign(process.env, chooseVolume(options));
  const checks = [
    ...(isChosen || tier === 'deep' ? [] : [types, lint]),
    ...(files.some((file) => opensPortal.test(file)) ? [portal] : []),
    ...(tier === 'deep' && !isChosen ? [conformance] : []),
  ];
  const folder = makeRunFolder();
  Object.assign(process.env, folder.env);
  try {
    if (checks.length > 0) console.log(`Checks: ${checks.map((check) => check.name).join(', ')}`);
    const running = checks.map((check) => ({ check, ended: runCheck(check, tier === 'deep') }));
    // Tests open the portal, and a deep run measures; types and lint continue in parallel.
    let runnable = files;
    for (const { check, ended } of running) {
      if (check === conformance) await ended;
      // Without the site, each of them would wait for a page that never loads.
      if (check === portal && !(await ended)) runnable = files.filter((file) => !opensPortal.test(file));
    }
    console.log(`Tests: ${runnable.length} ${runnable.length === 1 ? 'file' : 'files'}`);
    if (runnable.length < files.length)
      console.log(`Not run: ${files.length - runnable.length} files that open the portal, which could not be built.`);
    await runFiles(runnable, options, folder);
    await Promise.all(running.map(({ ended }) => ended));
  } finally {
    await folder.sweepUp();
  }
}

/** Without a browser the tests of the pages are skipped; everything else runs. */
async function findBrowser(): Promise<string> {
  try {
    return await setUpChromium(root);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`${error.message} All other tests run without it.`);
    return '';
  }
}

/** A deep run picks a random seed, so that every run covers something else. */
function chooseVolume({ tier, seed = process.env.LATCHKEY_TEST_SEED }: Options): NodeJS.ProcessEnv {
  if (tier !== 'deep') return seed === undefined ? {} : { LATCHKEY_TEST_SEED: seed };
  const drawn = seed ?? randomBytes(4).toString('hex');
  console.log(`Seed: ${drawn}. To repeat this run: npm run test:deep -- --seed=${drawn}`);
  return { LATCHKEY_TEST_SEED: drawn, LATCHKEY_TEST_VOLUME: process.env.LATCHKEY_TEST_VOLUME ?? 'deep' };
}

/** In a run over all files, expensive suites take turns: each runs one share of its tests. Returns the files of this turn. */
function chooseTurn({ tier, filters, name, turn }: Options, files: string[]): string[] {
  delete process.env.LATCHKEY_TEST_TURN;
  const isOverAll = tier !== 'deep' && filters.length === 0 && name === undefined;
  if (!isOverAll && turn === undefined) return files;
  const chosen = turn ?? String(randomInt(1000));
  process.env.LATCHKEY_TEST_TURN = chosen;
  const shares = takeFileTurns(files, Number(chosen));
  for (const [reason, count] of shares.left) totals.skipped.set(reason, count);
  return shares.files;
}

/** Prints which tests were not run and why: those of other shares suite by suite, others by their reason. */
function printSkipped(): void {
  const otherShares = /^share \d+ of \d+ of /;
  const ofOthers = [...totals.skipped].filter(([reason]) => otherShares.test(reason));
  for (const [reason, tests] of totals.skipped)
    if (!otherShares.test(reason)) console.log(`Not run: ${tests} (${reason}).`);
  if (ofOthers.length === 0) return;
  const turn = process.env.LATCHKEY_TEST_TURN;
  const tests = ofOthers.reduce((sum, [, count]) => sum + count, 0);
  console.log(`Not run in turn ${turn}: ${tests} files, suites or tests of the expensive ones, which take turns. Run:`);
  for (const [reason, count] of ofOthers.sort()) console.log(`  ${reason}, ${count} not run`);
  console.log(`To repeat it: npm test -- --turn=${turn}. npm run test:deep runs every share.`);
}

/** Counts a check as one test, and prints its output in one piece when it has ended, because others end meanwhile. */
async function runCheck({ name, program, args, env }: Check, isAlwaysShown: boolean): Promise<boolean> {
  const begunAt = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stopping.signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  child.once('error', (error) => (output += error.message));
  const hasPassed = await new Promise<boolean>((resolve) => child.once('close', (code) => resolve(code === 0)));
  totals[hasPassed ? 'passed' : 'failed'] += 1;
  console.log(`${name} … ${hasPassed ? 'passed' : 'failed'} in ${seconds(performance.now() - begunAt)}`);
  if (!hasPassed || isAlwaysShown) console.log(output.trimEnd());
  return hasPassed;
}

async function runFiles(files: string[], { tier, name }: Options, folder: RunFolder): Promise<void> {
  const cluster = shareCluster(folder);
  // A test selected by name, or measured, gets its own process.
  const groups = tier === 'deep' || name !== undefined ? files.map((path) => [path]) : groupTestFiles(root, files);
  const waiting = groups.values();
  let ended = 0;
  const workThrough = async () => {
    for (const paths of waiting) {
      if (stopping.signal.aborted) return;
      const limits = { signal: stopping.signal, silenceLimitMs: silenceLimitMs[tier] };
      const outcome = await runProcess({ root, paths, name, ...limits });
      ended += paths.length;
      totals.passed += outcome.passed;
      totals.failed += outcome.failures.length;
      for (const reason of outcome.skipped) totals.skipped.set(reason, (totals.skipped.get(reason) ?? 0) + 1);
      console.log(describe(paths, outcome, `${ended} of ${files.length}`, tier === 'deep'));
    }
  };
  await Promise.all(Array.from({ length: processesAtOnce }, workThrough));
  await (await cluster)?.().catch(() => undefined);
  if (interruptedBy) {
    totals.failed += 1;
    console.log(`The run was interrupted by ${interruptedBy}; ${files.length - ended} files were not run.`);
  }
}

/** Starts the database server that the files share, while the first of them already run. */
async function shareCluster({ path, databases }: RunFolder): Promise<undefined | (() => Promise<void>)> {
  const program = join(root, 'packages/db/src/testing/shared-cluster.ts');
  if (!existsSync(program)) return undefined;
  const file = join(path, 'shared-cluster.json');
  process.env.LATCHKEY_TEST_CLUSTER = file;
  const { shareCluster: share } = await import(pathToFileURL(program).href);
  // A test that needs a database gets the reason why there is none.
  return share(databases, file).catch(() => undefined);
}

function describe(paths: string[], outcome: Outcome, progress: string, showsDiagnostics: boolean): string {
  const { passed, skipped, failures, files, diagnostics, tookMs } = outcome;
  const counts = [
    `${passed} passed`,
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} not run`] : []),
  ].join(', ');
  const title = paths.length === 1 ? paths[0] : `${paths.length} files of ${paths[0]?.split('/', 2).join('/')}`;
  const line = `${failures.length > 0 ? 'FAILED' : 'ok    '} ${seconds(tookMs).padStart(6)}  ${title}: ${counts}  (${progress})`;
  const eachFile = [...files].map(
    ([path, file]) => `       ${seconds(file.ms).padStart(6)}    ${path}: ${file.passed} passed`,
  );
  return [
    line,
    ...(paths.length === 1 ? [] : eachFile),
    ...failures.map(formatFailure),
    ...(showsDiagnostics || failures.length > 0 ? diagnostics.map((text) => text.replace(/^/gm, ' '.repeat(15))) : []),
  ].join('\n');
}

function formatFailure({ title, where, text }: Failure): string {
  return `\n  FAILED ${where}\n    ${title}\n${text.replace(/^(?=.)/gm, '      ')}\n`;
}
