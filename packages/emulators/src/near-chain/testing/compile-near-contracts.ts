import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const version = '0.28.20';
export const nearContracts = ['nft', 'ft', 'market'] as const;

const folder = resolve(import.meta.dirname, '../../../near-contracts');
const modules = resolve(folder, '../../../node_modules');
const cache = join(modules, '.cache', `assemblyscript-${version}`);
export const artifactFolder = join(folder, 'artifacts');

// Only WebAssembly features that every NEAR node has, and no garbage collector: an instance lives for one call.
const options = [
  '--runtime=stub',
  '-O3',
  '--shrinkLevel=2',
  '--noAssert',
  '--disable=bulk-memory,sign-extension,nontrapping-f2i',
  '--use=abort=assembly/host/abort',
];

/** Returns the path of the compiler; undefined if it is not installed. */
export function findCompiler(): string | undefined {
  const places = [join(modules, 'assemblyscript'), join(cache, 'node_modules/assemblyscript')];
  return places.find((place) => {
    const about = join(place, 'package.json');
    return existsSync(about) && Object(JSON.parse(readFileSync(about, 'utf8'))).version === version;
  });
}

/** Installs the compiler from npm into the cache of node_modules: only this build needs it. */
export function fetchCompiler(): string {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, 'package.json'), '{"private":true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', `assemblyscript@${version}`];
  execFileSync('npm', args, { cwd: cache, stdio: 'ignore' });
  const place = findCompiler();
  if (place === undefined) throw new Error(`npm did not install AssemblyScript ${version}.`);
  return place;
}

/** Compiles a contract to WebAssembly with the compiler at this path. */
export function compileNearContract(compiler: string, contract: string): Uint8Array {
  const out = mkdtempSync(join(tmpdir(), 'near-contracts-'));
  try {
    const file = join(out, 'out.wasm');
    const args = [join(compiler, 'bin/asc.js'), `assembly/${contract}.ts`, '-o', file, ...options];
    execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    return readFileSync(file);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Returns a digest of the sources, the compiler and its options, so that a missing rebuild is detected without the compiler. */
export function digestOfSources(): string {
  const hash = createHash('sha256').update([version, ...options].join(' '));
  for (const name of readdirSync(join(folder, 'assembly')).sort())
    hash.update(name).update(readFileSync(join(folder, 'assembly', name)));
  return hash.digest('hex');
}
