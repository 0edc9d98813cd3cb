import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { shareOf } from '@latchkey/test-kit';

export type Tier = 'check' | 'test' | 'deep';

const asksForVolume = /\b(volume|bound|turns\.test|turns\.describe)\(/;
/** The suites that a file runs besides its own tests. */
const importsSuite = /\bfrom '(\.[^']*(?:\.suite|\/describe-[\w-]+)\.ts)';$/gm;

/**
 * Slow files that take turns with their neighbours, as `takeTurns` does within a file. What keeps callers from operations, data and secrets
 * of others is in no row.
 */
const filesInTurns = [
  { title: 'the portal in a browser', files: /^apps\/portal\/test\//, shares: 6 },
  { title: 'kills, outages and hangs', files: /^packages\/server\/test\/resilience\//, shares: 6 },
  { title: 'journeys through a whole server', files: /^packages\/server\/test\/journeys\//, shares: 5 },
  { title: 'adapters of a whole server', files: /^packages\/server\/src\/(compose|sandbox|signer)\//, shares: 3 },
  {
    title: 'odd requests',
    files: /\/guards\/(confused-bot|escalation-graph|idempotency|limits|oddities|pagination|reading|smuggling)\./,
    shares: 2,
  },
  { title: 'roles and large communities', files: /^packages\/core\/src\/(billing|gating|near|surfaces)\//, shares: 4 },
  { title: 'the database', files: /^packages\/db\//, shares: 4 },
  { title: 'chains and platforms', files: /^packages\/(chains|emulators|platforms)\/(?!.*\/mutations\.)/, shares: 4 },
  { title: 'set-up, packages and the runner', files: /^scripts\//, shares: 4 },
];

/**
 * Lists the test files of a clone as relative paths. `check` leaves out `*.slow.test.ts`; `deep` is the files that use the test kit's
 * volume, turns or a time limit, themselves or in a suite. Slow files come first, so that the run does not end with one CPU idle.
 */
export function findTestFiles(root: string, tier: Tier, filters: string[]): string[] {
  const parts = filters.map((filter) => normalize(root, filter));
  const files = globSync('{apps,packages,scripts,bench}/**/*.test.ts', { cwd: root, exclude: isIgnored })
    .map((path) => normalize(root, path))
    .filter((path) => tier !== 'check' || !isSlow(path))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .filter((path) => tier !== 'deep' || takesTurns(path) || hasVolume(join(root, path)))
    .sort();
  return [...files.filter(isSlow), ...files.filter((path) => !isSlow(path))];
}

function takesTurns(path: string): boolean {
  return isSlow(path) && filesInTurns.some(({ files }) => files.test(path));
}

/** Returns the files of a turn, and how many were left out with which reason. Consecutive turns have all files. */
export function takeFileTurns(files: string[], turn: number): { files: string[]; left: Map<string, number> } {
  const left = new Map<string, number>();
  const waiting = new Set<string>();
  for (const { title, files: pattern, shares } of filesInTurns) {
    const share = shareOf(title, shares, turn);
    const others = files
      .filter((path) => isSlow(path) && pattern.test(path))
      .filter((_, place) => place % shares !== share);
    for (const path of others) waiting.add(path);
    if (others.length > 0) left.set(`share ${share + 1} of ${shares} of the files of ${title}`, others.length);
  }
  return { files: files.filter((path) => !waiting.has(path)), left };
}

function isIgnored(path: string): boolean {
  return /(^|[/\\])(node_modules|\.[^/\\]+)$/.test(path);
}

export function isSlow(path: string): boolean {
  return path.endsWith('.slow.test.ts');
}

function normalize(root: string, path: string): string {
  const inside = path.startsWith(root) ? relative(root, path) : path;
  return inside.split(sep).join('/').replace(/^\.\//, '');
}

function hasVolume(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  if (asksForVolume.test(text)) return true;
  return [...text.matchAll(importsSuite)].some(([, suite = '']) => hasVolume(join(dirname(path), suite)));
}

/** Enough that little is loaded twice, and few enough that the processes end together. */
const filesTogether = 20;
const slowFilesTogether = 9;
/**
 * Setup that costs more than many slow files do afterwards: a server, a chain and the services around it, the libraries of all chains, the
 * core, the portal in a browser.
 */
const costlySetUps = [
  '[./]*(test)?/harness/(set-up-world|test-server|outside-world|gated-world)\\.ts',
  '@latchkey/core/testing',
  '[./]*/vectors/mutate\\.ts',
  '[./]*/testing/evm-world\\.ts',
  '../../testing/index\\.ts',
  './site\\.ts',
  './run-programs\\.ts',
];
const hasCostlySetUp = new RegExp(`\\bfrom '(${costlySetUps.join('|')})';$`, 'm');
/** A hook outside every suite would run for all files of the process. */
const hasRootHook = /^(before|after|beforeEach|afterEach)\(/m;
/** A file without tests goes unnoticed among others; on its own it fails. */
const declaresTests = /'node:test'|\.suite\.ts'/;

/**
 * Assigns test files to processes: files of one package share one, and each slow file gets its own, except those that share a costly setup.
 */
export function groupTestFiles(root: string, files: string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const path of files) {
    const text = readFileSync(join(root, path), 'utf8');
    const isAlone = hasRootHook.test(text) || !declaresTests.test(text) || (isSlow(path) && !hasCostlySetUp.test(text));
    const [home, name] = path.split('/');
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
