import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainEnd, FileTally, takePart } from './file-tally.mjs';
import { followProcess } from './follow-process.mjs';
import { runFile } from './run-file.mjs';

const program = fileURLToPath(new URL('together.mjs', import.meta.url));

/** @typedef {import('./file-tally.mjs').Data} Data */
/** @typedef {{ root: string, paths: string[], signal: AbortSignal, limits: import('./run-file.mjs').Limits }} Order */
/** @typedef {Map<string, FileTally>} Tallies by path */

/**
 * Runs test files one after the other in one process, which loads what they have in common once. When something happens
 * that is no matter of one test (the process ends early, a file cannot be loaded or declares no test, something goes
 * astray after its test), each file is run by itself, so that the one at fault is named.
 * @param {Order} order
 * @returns {Promise<{ files: Tallies, cpuSeconds?: number }>} the processor time of the process that they shared
 */
export async function runTogether({ root, paths, signal, limits }) {
  const shared = tellApart(root, paths);
  const { error, silentMs, cpuSeconds } = await followProcess(
    {
      root,
      program,
      argv: paths.map((path) => join(root, path)),
      signal,
      limits,
    },
    shared.hear,
  );
  const trouble = explainEnd(shared.whole, error, silentMs) || shared.strayFailures();
  const isWhole = trouble === '' && [...shared.files.values()].every((file) => file.tests.size > 0);
  if (isWhole || signal.aborted) return { files: shared.files, cpuSeconds };
  return { files: await runApart({ root, paths, signal, limits }, trouble) };
}

/**
 * Sorts what the runner tells by the file that it is about.
 * @param {string} root
 * @param {string[]} paths
 */
function tellApart(root, paths) {
  const whole = new FileTally();
  /** @type {Tallies} */
  const files = new Map(paths.map((path) => [path, new FileTally()]));
  /** @type {Map<number, string>} the path of each test's file, by the test's id */
  const pathOf = new Map();
  /** @type {Map<number, string>} the same of the tests that only name a file */
  const names = new Map();
  let loading = '';
  let running = { path: '', since: performance.now() };

  /** @param {Data} data */
  const place = ({ testId, parentId, name, nesting }) => {
    if (testId === undefined) return;
    const named = nesting === 0 ? paths.find((path) => name === `file:${join(root, path)}`) : undefined;
    if (named === undefined) return pathOf.set(testId, (nesting > 0 && pathOf.get(parentId ?? 0)) || loading);
    names.set(testId, named);
    loading = named;
  };
  /** @param {string} path */
  const begin = (path) => {
    const file = files.get(running.path);
    if (file) file.tookMs = performance.now() - running.since;
    running = { path, since: performance.now() };
  };

  return {
    files,
    whole,
    /**
     * @param {string} type
     * @param {Data} data
     */
    hear(type, data) {
      const { testId } = data;
      if (type === 'test:enqueue') place(data);
      const named = names.get(testId ?? 0);
      if (named !== undefined) {
        if (type === 'test:complete') begin(named);
        return;
      }
      const path = pathOf.get(testId ?? 0) ?? '';
      const file = files.get(path);
      takePart(root, path, whole, type, data);
      if (file) takePart(root, path, file, type, data);
      if (type === 'test:summary') begin('');
    },
    strayFailures: () => {
      const ofFiles = [...files.values()].reduce((sum, { failures }) => sum + failures.length, 0);
      return ofFiles < whole.failures.length ? (whole.failures.at(-1)?.text ?? '') : '';
    },
  };
}

/**
 * @param {Order} order
 * @param {string} trouble what happened in the process that they shared
 * @returns {Promise<Tallies>}
 */
async function runApart({ root, paths, signal, limits }, trouble) {
  /** @type {Tallies} */
  const files = new Map();
  for (const path of paths) files.set(path, await runFile({ root, path, signal, limits }));
  const [first] = files.values();
  // Nobody is at fault alone: it is told all the same.
  if (first && ![...files.values()].some(({ failures }) => failures.length > 0)) {
    const text = `${trouble}\nEach file passes by itself. They share a process in this run: ${paths.join(', ')}.`;
    first.failures.push({ title: 'the files together', where: paths[0] ?? '', text });
  }
  return files;
}
