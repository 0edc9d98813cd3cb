import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, stripVTControlCharacters } from 'node:util';
import { seconds } from '../step.mjs';

const together = fileURLToPath(new URL('together.ts', import.meta.url));
/** See the comments at the top of each. */
const preloaded = ['short-resolve.mjs', 'untracked-promises.ts'].map(
  (name) => `--import=${new URL(name, import.meta.url).href}`,
);
const keptOutput = 4_000;

export interface ProcessOptions {
  root: string;
  /** The test files, relative to the root. */
  paths: string[];
  /** Runs only the tests whose title matches this pattern. */
  name?: string;
  signal: AbortSignal;
  /** How long no test may start or end before the process is stopped. */
  silenceLimitMs: number;
}

export interface Failure {
  title: string;
  where: string;
  text: string;
}

export class Outcome {
  passed = 0;
  /** Why tests were skipped, each reason once. */
  skipped: string[] = [];
  failures: Failure[] = [];
  diagnostics: string[] = [];
  tookMs = 0;
  /** For each file with tests: how many passed, and how long they took. */
  files = new Map<string, { passed: number; ms: number }>();
}

type TestError = Error & { failureType?: string; exitCode?: number | null; signal?: string | null };

/** Runs test files one after the other in one process, with Node's own runner. */
export async function runProcess({ root, paths, name, signal, silenceLimitMs }: ProcessOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = new Outcome();
  const program = paths.length === 1 ? join(root, paths[0] ?? '') : together;
  const silence = watchForSilence(silenceLimitMs);
  const events = run({
    cwd: root,
    files: [program],
    argv: program === together ? paths.map((path) => join(root, path)) : [],
    isolation: 'process',
    execArgv: preloaded,
    concurrency: 1,
    signal: AbortSignal.any([signal, silence.signal]),
    ...(name !== undefined && { testNamePatterns: [name] }),
  });
  const reported: string[] = [];
  const running: string[] = [];
  const strays: string[] = [];
  let output = '';
  let isComplete = false;
  let error: TestError | undefined;

  const placeOf = (file = '') => relative(root, file).replaceAll('\\', '/');
  const fileOf = (file?: string) => {
    const place = placeOf(file);
    const known = outcome.files.get(place) ?? { passed: 0, ms: 0 };
    outcome.files.set(place, known);
    return known;
  };
  /** Whether an event is about the program as a whole, not a hook outside every test; or about the test of together.ts. */
  const isProgram = (data: { nesting: number; name: string; file?: string; testId?: number }) =>
    data.nesting === 0 &&
    data.testId !== undefined &&
    (resolve(root, data.name) === data.file || data.file === together);

  events
    .on('test:start', (data) => {
      if (!isProgram(data)) reported.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
    })
    .on('test:dequeue', (data) => {
      if (!isProgram(data)) running.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
    })
    .on('test:complete', (data) => {
      if (!isProgram(data)) running.splice(data.nesting);
      else if (data.name !== 'loading') error = (data.details as { error?: TestError }).error;
    })
    .on('test:pass', (data) => {
      if (isProgram(data)) return;
      const reason = data.skip ?? data.todo;
      if (reason !== undefined) {
        outcome.skipped.push(String(reason));
        return;
      }
      if (data.nesting === 0) fileOf(data.file).ms += data.details.duration_ms;
      if (data.details.type !== 'suite') {
        outcome.passed += 1;
        fileOf(data.file).passed += 1;
      }
    })
    .on('test:fail', (data) => {
      if (isProgram(data)) return;
      if (data.nesting === 0) fileOf(data.file).ms += data.details.duration_ms;
      const { failureType } = data.details.error as TestError;
      if (data.todo !== undefined || failureType === 'subtestsFailed') return;
      const title = [...reported.slice(0, data.nesting), data.name].join(' › ');
      const where = `${placeOf(data.file)}:${data.line ?? 1}`;
      outcome.failures.push({ title, where, text: explainError(root, data.details.error) });
    })
    .on('test:diagnostic', (data) => {
      // Without a file it is a figure of the whole run, which is counted here.
      if (data.file !== undefined)
        (data.message.startsWith('Error: ') ? strays : outcome.diagnostics).push(data.message);
    })
    .on('test:summary', (data) => {
      if (data.file !== undefined) isComplete = true;
    });
  for await (const { type, data } of events) {
    silence.reset();
    if (type === 'test:stdout' || type === 'test:stderr') output = (output + data.message).slice(-keptOutput);
  }
  silence.stop();
  outcome.tookMs = performance.now() - startedAt;

  const during = running.length > 0 ? ` while this was running: ${running.join(' › ')}` : '';
  const printed = output.trim() && `\n${output.trim().replace(/^/gm, '  | ')}`;
  const explainEnd = () => {
    if (silence.signal.aborted)
      return `It was stopped because it had said nothing for ${seconds(silenceLimitMs)}${during || ', after its last test'}.`;
    if (error?.failureType === 'testAborted') return `It was stopped${during}.`;
    if (error?.signal) return `Its process was killed by ${error.signal}${during}.${printed}`;
    if (error && outcome.failures.length === 0) {
      const end =
        typeof error.exitCode === 'number' ? `with code ${error.exitCode}` : `early: ${explainError(root, error)}`;
      return [`Its process ended ${end}${during}.`, ...strays].join('\n') + printed;
    }
    if (error || isComplete) return strays.join('\n');
    return `Its process ended before its tests had, or it declares none${during}.${printed}`;
  };
  const text = explainEnd();
  const title = paths.length === 1 ? 'the file' : `the process of ${paths.join(', ')}`;
  if (text) outcome.failures.push({ title, where: paths[0] ?? '', text });
  return outcome;
}

function explainError(root: string, error: TestError): string {
  const cause = error.failureType === undefined ? error : (error.cause ?? error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
  const lines = stripVTControlCharacters(text).split('\n');
  const ours = lines.filter((line) => !/^ +at .*\bnode:/.test(line));
  return ours.join('\n').replaceAll(pathToFileURL(`${root}/`).href, '');
}

/**
 * Stops a process in which nothing happens: a test waits forever or keeps the CPU busy, or a file left something open after its last test.
 * A time limit of Node's runner would count the parts of a test together.
 */
function watchForSilence(limitMs: number) {
  const stopping = new AbortController();
  const timer = setTimeout(() => stopping.abort(), limitMs);
  return { signal: stopping.signal, reset: () => timer.refresh(), stop: () => clearTimeout(timer) };
}
