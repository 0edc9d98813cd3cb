import { relative } from 'node:path';

/** @typedef {{ id?: number, parent?: number, nesting: number, name: string, file?: string, line?: number }} Place */
/** @typedef {{ ms?: number, suite: boolean, skipped: boolean, todo: boolean, failure?: { kind?: string, text: string } }} Ending */
/**
 * @typedef {{ is: 'declared' | 'started' } & Place
 *   | { is: 'ended' } & Place & Ending
 *   | { is: 'stray', text: string }
 *   | { is: 'unloaded', file: string, text: string }
 *   | { is: 'left-open', resources: string[] }
 *   | { is: 'finished' }} Line what the reporter writes
 */
/** @typedef {{ title: string, where: string, text: string }} Failure */
/** @typedef {{ title: string, where: string, ms: number }} Timing */

/** Counts what the test process reports: leaf tests only, so that nothing is counted twice. */
export class Tally {
  passed = 0;
  skipped = 0;
  /** @type {Failure[]} */
  failures = [];
  /** @type {Timing[]} */
  timings = [];
  /** @type {string[]} what kept the process alive after the last test */
  leftOpen = [];
  finished = false;

  /** @type {Map<number, Place>} */
  #tests = new Map();
  /** @type {Set<number>} */
  #parents = new Set();
  /** @type {Map<number, Place>} */
  #open = new Map();
  /** @type {Set<number>} */
  #started = new Set();
  /** @type {Set<string>} */
  #seenFiles = new Set();
  /** @type {Set<string>} */
  #failedFiles = new Set();
  /** @type {Map<string, number>} */
  #fileMs = new Map();

  /**
   * @param {string} root
   * @param {string[]} files
   * @param {(passed: boolean) => void} [onFile] called when the last test of a file has ended
   */
  constructor(root, files, onFile = () => {}) {
    this.root = root;
    this.files = files;
    this.onFile = onFile;
  }

  /** @param {Line} line */
  take(line) {
    if (line.is === 'declared') this.#declare(line);
    if (line.is === 'started' && line.id !== undefined) this.#started.add(line.id);
    if (line.is === 'ended') this.#end(line);
    if (line.is === 'stray') this.fail('an error after the end of a test', 'the run', line.text);
    if (line.is === 'left-open') this.leftOpen = line.resources;
    if (line.is === 'finished') this.finished = true;
    if (line.is === 'unloaded' && !this.#failedFiles.has(this.#inside(line.file)))
      this.fail('the file could not be loaded to its end', this.#inside(line.file), line.text);
  }

  /**
   * @param {string} title
   * @param {string} where
   * @param {string} text
   */
  fail(title, where, text) {
    this.failures.push({ title, where, text });
  }

  /** Whether every test that was declared has ended. */
  get idle() {
    return this.#tests.size > 0 && this.#open.size === 0;
  }

  /** How long the tests and suites of each file took. */
  get fileTimings() {
    return [...this.#fileMs].map(([file, ms]) => ({ file, ms }));
  }

  /** The files with tests that have not ended, and the tests that were running. */
  unfinished() {
    const open = [...this.#open.values()].map(({ file }) => this.#inside(file));
    const unseen = this.files.filter((file) => !this.#seenFiles.has(file));
    const running = [...this.#open].filter(([id]) => this.#started.has(id) && !this.#parents.has(id));
    return {
      files: [...new Set(open.length > 0 ? open : unseen)],
      running: running.map(([, test]) => this.#title(test)),
    };
  }

  /** @param {Place} test */
  #declare(test) {
    if (test.id === undefined) return;
    this.#tests.set(test.id, test);
    this.#open.set(test.id, test);
    this.#seenFiles.add(this.#inside(test.file));
    if (test.parent) this.#parents.add(test.parent);
  }

  /** @param {Place & Ending} test */
  #end(test) {
    const file = this.#inside(test.file);
    const failuresBefore = this.failures.length;
    if (test.id !== undefined) this.#open.delete(test.id);
    this.#judge(test, file);
    if (test.nesting === 0) this.#fileMs.set(file, (this.#fileMs.get(file) ?? 0) + (test.ms ?? 0));
    if (this.failures.length > failuresBefore) this.#failedFiles.add(file);
    if (test.nesting === 0 && this.#topLevelOpen(file) === 0) this.onFile(!this.#failedFiles.has(file));
  }

  /**
   * @param {Place & Ending} test
   * @param {string} file
   */
  #judge(test, file) {
    const where = `${file}:${test.line ?? 1}`;
    const isLeaf = !test.suite && (test.id === undefined || !this.#parents.has(test.id));
    if (test.failure && !test.todo) {
      if (isLeaf || test.failure.kind !== 'subtestsFailed') this.fail(this.#title(test), where, test.failure.text);
    } else if (isLeaf && (test.skipped || test.todo)) this.skipped += 1;
    else if (isLeaf && test.name === file) this.fail('the file declares no test', file, 'Add one or remove the file.');
    else if (isLeaf) {
      this.passed += 1;
      this.timings.push({ title: this.#title(test), where, ms: test.ms ?? 0 });
    }
  }

  /** @param {string} file */
  #topLevelOpen(file) {
    return [...this.#open.values()].filter((test) => test.nesting === 0 && this.#inside(test.file) === file).length;
  }

  /** @param {Place} test */
  #title(test) {
    if (test.id === undefined) return 'a hook outside every test';
    const names = [test.name];
    for (let above = this.#tests.get(test.parent ?? 0); above; above = this.#tests.get(above.parent ?? 0))
      names.unshift(above.name);
    return names.join(' › ');
  }

  /** @param {string | undefined} file */
  #inside(file) {
    return file === undefined ? 'unknown file' : relative(this.root, file);
  }
}
