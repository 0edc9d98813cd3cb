import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root, type SourceFile, unitOf } from './sources.ts';

/** What a package lets others import: `@latchkey/core/facts` maps to its file, which may contain a `*`. */
export type EntryPoints = ReadonlyMap<string, string>;

export function readEntryPoints(): EntryPoints {
  const manifests = globSync('{packages,apps}/*/package.json', { cwd: root }).toSorted();
  return new Map(
    manifests.flatMap((manifest) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
        name: string;
        exports?: Record<string, string>;
      };
      const folder = posix.dirname(manifest.replaceAll('\\', '/'));
      return Object.entries(exports).map(
        ([entryPoint, file]) => [posix.join(name, entryPoint), posix.join(folder, file)] as const,
      );
    }),
  );
}

/** Returns entry points without a file. */
export function emptyEntryPoints(entryPoints: EntryPoints): string[] {
  return [...entryPoints]
    .filter(([, file]) =>
      file.includes('*') ? globSync(file, { cwd: root }).length === 0 : !existsSync(join(root, file)),
    )
    .map(([entryPoint, file]) => `${entryPoint} leads to ${file}`);
}

/** Returns imports that bypass the entry points of another package or app, or use one that does not exist. */
export function deepImports(files: readonly SourceFile[], entryPoints: EntryPoints): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((name) => isDeep(path, name) || (name.startsWith('@latchkey/') && !isEntryPoint(name, entryPoints)))
      .map((name) => `${path} imports ${name}`),
  );
}

function isDeep(path: string, name: string): boolean {
  if (!name.startsWith('.')) return false;
  const target = unitOf(posix.join(posix.dirname(path), name));
  return target !== unitOf(path) && /^(packages|apps)\//.test(target);
}

function isEntryPoint(name: string, entryPoints: EntryPoints): boolean {
  if (entryPoints.has(name)) return true;
  return [...entryPoints].some(([entryPoint, file]) => {
    const [before = '', after] = entryPoint.split('*');
    if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) return false;
    const star = name.slice(before.length, name.length - after.length);
    return star !== '' && existsSync(join(root, file.replaceAll('*', star)));
  });
}
