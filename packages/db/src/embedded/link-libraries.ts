import { lstat, readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';

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
    // Looked at first, because an installation that is complete may well be read-only.
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      // Another process made it in the meantime.
      if (errorCode(error) === 'EEXIST') continue;
      throw new EmbeddedPostgresError(
        `PostgreSQL's library link ${path} is missing and cannot be made (${errorCode(error)}): start Latchkey once as the owner of node_modules, or ${useAnotherServer}.`,
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
