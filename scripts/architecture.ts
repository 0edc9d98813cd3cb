import { dirname, relative, resolve } from 'node:path';
import { isTestFile, readSource, readSources, root, type SourceFile, unitOf } from './architecture/sources.ts';
import { findTestFiles } from './tests/test-files.ts';

/** Which packages each package and app may import. Everything else fails the build. Benchmarks and scripts may import all. */
export const directions: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  db: ['kernel'],
  core: ['kernel', 'kernel/messages', 'kernel/validate', 'db'],
  'adapter-kit': ['kernel', 'core/ports'],
  chains: ['kernel', 'core/ports', 'adapter-kit'],
  platforms: ['kernel', 'kernel/validate', 'core/ports', 'adapter-kit'],
  integrations: ['kernel', 'kernel/validate', 'core/ports', 'adapter-kit'],
  server: [
    'kernel',
    'kernel/messages',
    'kernel/nearest-name',
    'kernel/scopes',
    'kernel/validate',
    'db',
    'db/database-url',
    'db/origin',
    'core',
    'core/ports',
    'core/rule-language',
    'core/worker-threads',
    'cli',
    // Includes the entry points of what is loaded only if configured. `onlyPlaces` says where adapters may be named at all.
    'chains/*',
    'platforms/*',
    'integrations/*',
    'emulators',
    'emulators/sample-accounts',
    'emulators/sample-world',
    // What the sample community's mini-apps are made with.
    'miniapp',
    'miniapp/node',
  ],
  // Types only, which are generated for the published package.
  client: ['kernel', 'core'],
  // It bundles what it imports.
  cli: ['kernel', 'kernel/validate', 'core/rule-files', 'client'],
  gate: [],
  miniapp: [],
  // Reddit runs it, without our server.
  'devvit-app': [],
  emulators: [],
  'test-kit': [],
  // The pages import only types of core and kernel, which a test of theirs enforces; one page runs rules as the command line does.
  console: [
    'cli/browser',
    'client',
    'core',
    'core/rule-files',
    'kernel',
    'kernel/chat-platforms',
    'kernel/member-tags',
    'kernel/messages',
  ],
  // It shows facts about the product, and builds no part of it.
  portal: [
    'chains/evm-holdings',
    'chains/evm/checksum-address',
    'console/chains',
    'console/messages',
    'console/screens',
    'core',
    'core/facts',
    'core/ports',
    'core/rule-language',
    'integrations/opensea',
    'kernel',
    'kernel/chat-platforms',
    'kernel/inventory',
    'server/docs-search',
    'server/examples',
    'server/facts',
    'emulators/sample-world',
  ],
};

/** Published packages have no server context: each has its own file for time and randomness. */
const runtimes = ['cli', 'client', 'gate', 'miniapp'].map((name) => `packages/${name}/src/runtime.ts`);

/** What only one place may do, and where that is. Tests and their shared folders are exempt. */
export const onlyPlaces: readonly { what: string; pattern: RegExp; allowed: readonly string[] }[] = [
  {
    what: 'reads the environment',
    pattern: /process\.env\b/,
    // A published command has no server’s configuration.
    allowed: ['packages/server/src/config.ts', 'packages/cli/src/runtime.ts'],
  },
  {
    what: 'asks for the time',
    pattern: /\bDate\.now\(|\bnew Date\(\)/,
    allowed: [
      'packages/server/src/clock.ts',
      'packages/emulators/src/clock.ts',
      // The watchdog's thread loads no TypeScript.
      'packages/server/src/watchdog/end-process.mjs',
      // Reddit runs it.
      'packages/devvit-app/app/',
      ...runtimes,
    ],
  },
  {
    what: 'makes randomness',
    pattern: /\bMath\.random\(|\brandomBytes\(|\brandomUUID\(|\brandomInt\(|getRandomValues\(/,
    allowed: ['packages/db/src/random.ts', ...runtimes],
  },
  {
    what: 'writes to the terminal',
    pattern: /\bconsole\.[a-zA-Z]+\(|process\.std(out|err)\.write/,
    allowed: [
      'packages/server/src/cli/print.ts',
      'packages/create-latchkey-miniapp/',
      'packages/devvit-app/app/',
      ...runtimes,
    ],
  },
  {
    what: 'names an adapter',
    pattern: /(from |\bimport\()'@latchkey\/(chains|platforms|integrations)[/']/,
    allowed: ['packages/server/src/compose/'],
  },
  {
    what: 'loads the emulators, which production has not',
    // Only the names of the sample accounts are allowed: production deletes them by these.
    pattern:
      /^import (?!type )[^;]*from '@latchkey\/emulators['/]|\bimport\('@latchkey\/emulators(?!\/sample-accounts)/m,
    allowed: ['packages/server/src/sandbox/load-emulators.ts'],
  },
];

/** Imports that go against the package directions. */
export function wrongDirections(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !isTestFile(file.path) && /^(packages|apps)\//.test(file.path))
    .flatMap((file) => {
      const allowed = directions[unitOf(file.path).replace(/^\w+\//, '')] ?? [];
      return file.imports
        .filter((name) => name.startsWith('@latchkey/'))
        .map((name) => name.slice('@latchkey/'.length))
        .filter((name) => !allowed.includes(name) && !allowed.includes(name.replace(/^db\/tables$/, 'db')))
        .filter((name) => !allowed.includes(`${name.split('/')[0]}/*`))
        .map((name) => `${file.path} imports ${name}`);
    });
}

/**
 * The areas of core from the bottom up. A module may import modules of its own area and of those below, never of one above or of another
 * area on the same line.
 */
export const layers: readonly (readonly string[])[] = [
  ['shared', 'ports', 'port-guards'],
  ['services'],
  ['identity'],
  ['communities'],
  ['gating'],
  ['linking', 'developers', 'billing', 'near'],
  ['surfaces'],
  ['partners'],
  ['operator'],
  // What assembles the modules, and what tests share.
  ['index.ts', 'modules.ts', 'facts.ts', 'rule-files.ts', 'rule-language.ts', 'testing'],
];

const core = 'packages/core/src/';

/** Returns every import between modules of core, except in test files. */
export function coreImports(
  files: readonly SourceFile[],
): { file: string; from: string; to: string; target: string }[] {
  return files
    .filter((file) => file.path.startsWith(core) && !isTestFile(file.path))
    .flatMap((file) =>
      file.imports
        .filter((name) => name.startsWith('.'))
        .map((name) => relative(root, resolve(root, dirname(file.path), name)))
        .filter((target) => target.startsWith(core))
        .map((target) => ({ file: file.path, from: moduleOf(file.path), to: moduleOf(target), target })),
    )
    .filter(({ from, to }) => from !== to);
}

/** `gating/rules`. `shared` and other folders without modules count as one, and so does each file at the root. */
function moduleOf(path: string): string {
  const [area = '', name = '', inside] = path.slice(core.length).split('/');
  return inside === undefined ? area : `${area}/${name}`;
}

/** Returns imports that go up from one area to another, or sideways. */
export function upwardImports(edges: readonly { file: string; from: string; to: string }[]): string[] {
  const rankOf = (module: string) => layers.findIndex((layer) => layer.includes(module.split('/')[0] ?? ''));
  return edges
    .filter(({ from, to }) => {
      const [above, below] = [rankOf(from), rankOf(to)];
      const isSameArea = from.split('/')[0] === to.split('/')[0];
      const isAtAnEnd = above === below && (above === 0 || above === layers.length - 1);
      return above < 0 || below < 0 || (!isSameArea && !isAtAnEnd && below >= above);
    })
    .map(({ file, to }) => `${file} imports ${to}`);
}

/** Returns modules, or files, that import each other in a cycle. */
export function importCycles(edges: readonly { from: string; to: string }[]): string[][] {
  const next = Map.groupBy(edges, (edge) => edge.from);
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (module: string, path: readonly string[]): void => {
    const start = path.indexOf(module);
    if (start >= 0) {
      cycles.push([...path.slice(start), module]);
      return;
    }
    if (done.has(module)) return;
    for (const target of new Set((next.get(module) ?? []).map((edge) => edge.to))) visit(target, [...path, module]);
    done.add(module);
  };
  for (const module of next.keys()) visit(module, []);
  return cycles;
}

/** Returns every relative import between files of the product, of values or types. */
export function fileImports(files: readonly SourceFile[]): { from: string; to: string }[] {
  return files
    .filter((file) => !isTestFile(file.path))
    .flatMap((file) =>
      file.imports
        .filter((name) => name.startsWith('.'))
        .map((name) => ({ from: file.path, to: relative(root, resolve(root, dirname(file.path), name)) })),
    );
}

/** Returns files of packages that do what only one place may do. */
export function outOfPlace(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => file.path.startsWith('packages/') && !isTestFile(file.path))
    .flatMap((file) =>
      onlyPlaces
        .filter((rule) => rule.pattern.test(file.text) && !rule.allowed.some((place) => file.path.startsWith(place)))
        .map((rule) => `${file.path} ${rule.what}`),
    );
}

/** Returns every test file, and the files of shared test folders. */
export function readTests(): SourceFile[] {
  const shared = readSources().filter(({ path }) => isTestFile(path) && path.startsWith('packages/'));
  const known = new Set(shared.map(({ path }) => path));
  const others = findTestFiles(root, 'test', []).filter((path) => !known.has(path));
  return [...shared, ...others.map(readSource)].filter(({ path }) => !path.startsWith('packages/test-kit/'));
}

const watchesClock = [
  /assert[^;]*\b(performance|Date)\.now\(\) *[-<>]/,
  /\b(performance|Date)\.now\(\) *[<>]/,
  /assert\.ok\([^;]*\b(tookMs|elapsedMs|drainedMs) *[<>]/,
  /\b(function|const) (until|waitUntil|waitFor)\b/,
  // A timeout on a test, a suite or a hook, on the same line or a line of its own.
  /\b(describe|suite|test|it|before|after)(Each)?(\.\w+)?\(.*\{[^{}]*\btimeout\b/,
  /^\s*(\}, )?\{ (\w+(: [^,{}]+)?, )*timeout\b[^{}]*\}(,|\);)$/,
];
/** Files that use a clock other than the wall clock. */
const ownClock = [
  'packages/platforms/src/discord/governor/governor.test.ts',
  'packages/platforms/src/discord/governor/shared-limit.test.ts',
  'scripts/architecture.test.ts',
];

/** Returns lines of a test that could fail on a busy machine. */
export function clockWatching({ path, text }: SourceFile): string[] {
  if (ownClock.includes(path)) return [];
  return text
    .split('\n')
    .flatMap((line, index) =>
      watchesClock.some((pattern) => pattern.test(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
    );
}
