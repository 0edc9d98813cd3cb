import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Exchange } from './discord-description.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const emulator = normalize('packages/emulators/src/discord/index.ts');

/** Every test file that imports the Discord emulator, itself or through what it imports. Suites belong to the files that run them. */
export function findDiscordTests(): string[] {
  const importers = new Map<string, string[]>();
  const resolve = createResolver();
  for (const file of filesLike('{apps,packages}/**/*.{ts,tsx}'))
    for (const [, ...specifiers] of readFileSync(join(root, file), 'utf8').matchAll(imports)) {
      const imported = resolve(file, specifiers.find((one) => one !== undefined) ?? '');
      if (imported !== undefined) importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  const reached = new Set([emulator]);
  // A set is also iterated over what is added meanwhile.
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return [...reached].filter((file) => file.endsWith('.test.ts')).toSorted();
}

const filesLike = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => /(^|[/\\])(node_modules|\.[^/\\]+)$/.test(path) }).map(normalize);

/** Returns which file of the tree a file imports; undefined for a package of someone else. */
function createResolver(): (file: string, specifier: string) => string | undefined {
  const packages = new Map(
    filesLike('{apps,packages}/*/package.json').map((path) => {
      const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
        name: string;
        exports?: unknown;
      };
      return [
        name,
        { folder: dirname(path), exports: typeof exports === 'string' ? { '.': exports } : (exports ?? {}) },
      ];
    }),
  );
  return (file, specifier) => {
    if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
    const [, name = '', rest = ''] = /^(@latchkey\/[\w-]+)(.*)$/.exec(specifier) ?? [];
    const found = packages.get(name);
    if (found === undefined) return undefined;
    for (const [entry, target] of Object.entries(found.exports)) {
      const [before = '', after] = entry.split('*');
      const isIt = after === undefined ? entry === `.${rest}` : `.${rest}`.startsWith(before) && rest.endsWith(after);
      if (!isIt) continue;
      const path = typeof target === 'string' ? target : String((target as { default?: unknown }).default);
      return normalize(join(found.folder, path.replace('*', `.${rest}`.slice(before.length))));
    }
    return undefined;
  };
}

const imports =
  /^(?:import|export)(?! type)[^;'"]* from ['"]([^'"]+)['"]|^import ['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;

interface Recording {
  exchanges: Exchange[];
  /** The end of the output if a test failed. What was sent counts all the same. */
  failure: string | undefined;
}

/** Runs test files one after the other, and returns what Discord emulators received in them and in the processes that they started. */
export async function recordDiscord(files: readonly string[]): Promise<Recording> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-discord-'));
  const recording = join(folder, 'exchanges.jsonl');
  try {
    const preloaded = ['short-resolve.mjs', 'record-discord.mjs'].map(
      (name) => `--import=${new URL(`../../../../scripts/tests/${name}`, import.meta.url).href}`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], {
      cwd: root,
      env: {
        ...env,
        // The requests are the same in any volume.
        LATCHKEY_TEST_VOLUME: 'usual',
        LATCHKEY_DISCORD_EXCHANGES: recording,
        NODE_OPTIONS: preloaded.join(' '),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output = (output + chunk).slice(-8_000)));
    const code = await new Promise((resolve) => child.once('close', resolve));
    const lines = existsSync(recording) ? (await readFile(recording, 'utf8')).trimEnd().split('\n') : [];
    const exchanges = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Exchange);
    return { exchanges, failure: code === 0 ? undefined : output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Discord's client and our sign-in name Latchkey; what a test sends by itself, on purpose malformed, does not. */
export function isOurs({ userAgent = '' }: Exchange): boolean {
  return userAgent.includes('Latchkey');
}
