import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

// Runs inside the test process and writes one JSON object per line to file descriptor 3, at once and not through a
// stream, so that the process that started the tests knows what happened even if this one is killed.
const resultsFd = 3;
const settleMs = 200;

/** @typedef {{ nesting: number, name: string, testId?: number, parentId?: number, file?: string, line?: number }} Place */
/** @typedef {{ duration_ms?: number, type?: string, passed?: boolean, error?: Error & { failureType?: string } }} Details */
/** @typedef {{ type: string, data: Place & { details: Details, skip?: unknown, todo?: unknown, message: string } }} TestEvent */

/** @param {AsyncIterable<TestEvent>} events */
export default async function* report(events) {
  let topLevelOpen = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let settled;
  for await (const { type, data } of events) {
    clearTimeout(settled);
    if (type === 'test:enqueue') write({ is: 'declared', ...place(data) });
    if (type === 'test:dequeue') write({ is: 'started', ...place(data) });
    if (type === 'test:complete') write({ is: 'ended', ...place(data), ...ending(data) });
    // A hook outside every suite has no test of its own, and Node counts its failure nowhere.
    if (type === 'test:fail' && data.testId === undefined) write({ is: 'ended', ...place(data), ...ending(data) });
    // An error thrown after its test had ended is only mentioned.
    if (type === 'test:diagnostic' && data.message.startsWith('Error: ')) write({ is: 'stray', text: data.message });
    if (type === 'test:summary') await writeLoadFailures().then(() => write({ is: 'finished' }));
    if (data.nesting === 0 && type === 'test:enqueue') topLevelOpen += 1;
    if (data.nesting === 0 && type === 'test:complete') topLevelOpen -= 1;
    // This timer does not keep the process alive, so it fires only if something else does.
    if (topLevelOpen === 0) settled = setTimeout(writeLeftOpen, settleMs).unref();
  }
}

/** @param {Place} data */
function place({ testId, parentId, nesting, name, file, line }) {
  return { id: testId, parent: parentId, nesting, name, file, line };
}

/** @param {TestEvent['data']} data */
function ending({ details, skip, todo }) {
  const { error, type, duration_ms: ms } = details;
  return {
    ms,
    suite: type === 'suite',
    skipped: skip !== undefined && skip !== false,
    todo: todo !== undefined && todo !== false,
    failure: error && { kind: error.failureType, text: describe(error.cause ?? error) },
  };
}

/**
 * Node forgets an error thrown by a test file after it has declared its first test. A second import answers with the
 * same error without running the file again.
 */
async function writeLoadFailures() {
  for (const file of process.argv.slice(1).map((path) => resolve(path)))
    await import(pathToFileURL(file).href).catch((error) => write({ is: 'unloaded', file, text: describe(error) }));
}

function writeLeftOpen() {
  write({ is: 'left-open', resources: process.getActiveResourcesInfo() });
}

/**
 * The message with its difference, then the places in our own files, then what caused it.
 * @param {unknown} error
 * @returns {string}
 */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const stack = stripVTControlCharacters(error.stack ?? '');
  const frames = stack.split('\n').filter((line) => /^ +at .*[/\\]/.test(line) && !/node:|node_modules/.test(line));
  const name = error.name === 'Error' || error.name === 'AssertionError' ? '' : `${error.name}: `;
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])].filter(Boolean);
  return [
    name + stripVTControlCharacters(error.message).trimEnd(),
    ...frames.map((line) => line.replace(/^ +/, '  ').replaceAll(`${process.cwd()}/`, '').replaceAll('file://', '')),
    ...causes.map((cause) => `because of ${describe(cause)}`),
  ].join('\n');
}

/** @param {Record<string, unknown>} line */
function write(line) {
  writeSync(resultsFd, `${JSON.stringify(line)}\n`);
}
