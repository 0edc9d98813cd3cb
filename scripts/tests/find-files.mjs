import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const homes = ['apps', 'packages', 'scripts', 'bench'];
const asksForVolume = /\b(volume|bound)\(/;

/** @typedef {'check' | 'test' | 'deep'} Tier */

/**
 * Lists the test files of a clone as paths relative to it. Slow ones come first, so that the run does not end with
 * one processor idle.
 * @param {string} root
 * @param {Tier} tier check: without `*.slow.test.ts`; deep: only files that ask the test kit for a volume, or hold a bound, themselves or in a suite
 * @param {string[]} filters parts of a path
 * @returns {string[]}
 */
export function findTestFiles(root, tier, filters) {
  const parts = filters.map((filter) => tidy(root, filter));
  const files = homes
    .flatMap((home) => walk(join(root, home)))
    .map((path) => tidy(root, path))
    .filter((path) => path.endsWith('.test.ts') && (tier !== 'check' || !isSlow(path)))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .filter((path) => tier !== 'deep' || asks(join(root, path)))
    .sort();
  return [...files.filter(isSlow), ...files.filter((path) => !isSlow(path))];
}

/** The suites that a file runs beside tests of its own. */
const runsSuite = /\bfrom '(\.[^']*\.suite\.ts)';$/gm;

/**
 * @param {string} path
 * @returns {boolean} whether a file, or a suite that it runs, asks for a volume or holds a bound
 */
function asks(path) {
  const text = readFileSync(path, 'utf8');
  if (asksForVolume.test(text)) return true;
  return [...text.matchAll(runsSuite)].some(([, suite = '']) => asks(join(dirname(path), suite)));
}

/** Enough that little is loaded twice, and few enough that the processors end together. */
const filesTogether = 12;
/**
 * What slow files begin with that costs more than many of them do afterwards: a server, a chain and the services around
 * it, the libraries of all chains, the core, the portal in a browser.
 */
const costlyStarts = [
  '[./]*(test)?/harness/(settle-world|test-server|outside-world|gated-world)\\.ts',
  '@latchkey/core/testing',
  '[./]*/vectors/mutate\\.ts',
  '[./]*/testing/evm-world\\.ts',
  '../../testing/index\\.ts',
  './site\\.ts',
  './run-programs\\.ts',
];
const startsAlike = new RegExp(`\\bfrom '(${costlyStarts.join('|')})';$`, 'm');
const slowFilesTogether = 9;
/** A hook outside every suite would be one of all files of its process. */
const hooksAll = /^(before|after|beforeEach|afterEach)\(/m;

/**
 * Deals out test files to processes: neighbours of one package share one, and each slow file has its own, but for those
 * that share what costs most to start.
 * @param {string} root
 * @param {string[]} files
 * @returns {string[][]}
 */
export function groupTestFiles(root, files) {
  /** @type {string[][]} */
  const groups = [];
  /** @type {Map<string, string[]>} the group of each package that has room */
  const open = new Map();
  for (const path of files) {
    const [home, name] = path.split('/');
    const text = readFileSync(join(root, path), 'utf8');
    const isAlone = hooksAll.test(text) || (isSlow(path) && !startsAlike.test(text));
    const unit = `${home}/${name}${isSlow(path) ? ' slow' : ''}`;
    const group = open.get(unit);
    if (isAlone) groups.push([path]);
    else if (group && group.length < (isSlow(path) ? slowFilesTogether : filesTogether)) group.push(path);
    else {
      const begun = [path];
      groups.push(begun);
      open.set(unit, begun);
    }
  }
  return groups;
}

/** @param {string} path */
function isSlow(path) {
  return path.endsWith('.slow.test.ts');
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function walk(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/**
 * @param {string} root
 * @param {string} path
 */
function tidy(root, path) {
  const inside = path.startsWith(root) ? relative(root, path) : path;
  return inside.split(sep).join('/').replace(/^\.\//, '');
}
