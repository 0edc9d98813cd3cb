import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { seconds } from '../step.mjs';

const keptOutput = 4_000;

/** @typedef {{ title: string, where: string, text: string }} Failure */
/** @typedef {{ name: string, parentId?: number }} Place */
/** @typedef {Error & { failureType?: string, cause?: unknown, exitCode?: number | null, signal?: string | null }} TestError */
/**
 * @typedef {Place & {
 *   nesting: number, file?: string, line?: number, testId?: number, skip?: unknown, todo?: unknown, message: string,
 *   details: { type?: string, error?: TestError },
 * }} Data
 */

/** What is known of one file. */
export class FileTally {
  passed = 0;
  /** @type {string[]} why tests were not run */
  skipped = [];
  /** @type {Failure[]} */
  failures = [];
  /** @type {string[]} what its tests tell */
  told = [];
  output = '';
  hasSummary = false;
  tookMs = 0;
  /** @type {number | undefined} seconds of processor time, of its process and of those that it waited for */
  cpuSeconds;
  /** @type {Map<number, Place>} */
  tests = new Map();
  /** @type {Set<number>} */
  running = new Set();
}

/**
 * Counts one thing that the runner tells.
 * @param {string} root
 * @param {string} path
 * @param {FileTally} file
 * @param {string} type
 * @param {Data} data
 */
export function takePart(root, path, file, type, data) {
  const { testId: id, details } = data;
  if (type === 'test:enqueue' && id !== undefined) file.tests.set(id, data);
  if (type === 'test:dequeue' && id !== undefined) file.running.add(id);
  if (type === 'test:complete' && id !== undefined) file.running.delete(id);
  if (type === 'test:stdout' || type === 'test:stderr') file.output = (file.output + data.message).slice(-keptOutput);
  if (type === 'test:summary' && data.file !== undefined) file.hasSummary = true;
  // Without a file it is what Node says of the run, which is counted here.
  if (type === 'test:diagnostic' && data.file !== undefined) file.told.push(data.message);
  // A suite that is left out does not announce its tests.
  if (type === 'test:pass' && (data.skip ?? data.todo) !== undefined) file.skipped.push(String(data.skip ?? data.todo));
  else if (type === 'test:pass' && details.type !== 'suite') file.passed += 1;
  if (type === 'test:fail' && data.todo === undefined && details.error?.failureType !== 'subtestsFailed') {
    const title = id === undefined ? 'a hook outside every test' : titleOf(file, id);
    file.failures.push({ title, where: `${path}:${data.line ?? 1}`, text: explainError(root, details.error) });
  }
}

/**
 * @param {string} root
 * @param {TestError | undefined} error
 */
function explainError(root, error) {
  const cause = error?.failureType === undefined ? error : (error.cause ?? error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const lines = stripVTControlCharacters(text).split('\n');
  // Where in Node's own code it happened tells nothing.
  const ours = lines.filter((line) => !/^ +at .*\bnode:/.test(line));
  return ours.join('\n').replaceAll(pathToFileURL(`${root}/`).href, '');
}

/**
 * Says why a file failed as a whole, beyond the failures of its tests.
 * @param {FileTally} file
 * @param {TestError | undefined} error
 * @param {number | undefined} silentMs
 */
export function explainEnd(file, error, silentMs) {
  const printed = file.output.trim() && `\n${file.output.trim().replace(/^/gm, '  | ')}`;
  const strays = file.told.filter((line) => line.startsWith('Error: ')).join('\n');
  const open = [...file.running].map((id) => titleOf(file, id));
  const during = open.length > 0 ? ` while this was running: ${open.join('; ')}` : '';
  if (silentMs !== undefined)
    return `It was stopped because it had said nothing for ${seconds(silentMs)}${during || ', after its last test'}.`;
  if (error?.failureType === 'testAborted') return `It was stopped${during}.`;
  if (error?.signal) return `Its process was killed by ${error.signal}${during}.${printed}`;
  if (error && file.failures.length === 0)
    return `Its process ended with code ${error.exitCode}${during}.${strays && `\n${strays}`}${printed}`;
  if (error || file.hasSummary) return strays;
  return `Its process ended before its tests had, or it declares none${during}.${printed}`;
}

/**
 * @param {FileTally} file
 * @param {number} id
 */
function titleOf(file, id) {
  const names = [];
  for (let test = file.tests.get(id); test; test = file.tests.get(test.parentId ?? 0)) names.unshift(test.name);
  return names.join(' › ');
}
