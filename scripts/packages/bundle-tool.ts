import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run-tool.ts';

/** The part of Rolldown that is used: Vite brings it, and its types resolve only from there. */
interface RolldownDoor {
  rolldown(options: object): Promise<{ write(options: object): Promise<Written>; close(): Promise<void> }>;
}

interface Written {
  output: readonly { type: string; moduleIds?: readonly string[] }[];
}

/**
 * Bundles a command line tool for Node.js with everything that it imports, so that it installs without dependencies: a file for each
 * entry, and the licenses of the packages in it.
 */
export async function bundleTool(entries: Readonly<Record<string, string>>, target: string): Promise<void> {
  const vite = createRequire(join(root, 'apps/console/package.json')).resolve('vite');
  const found = createRequire(vite).resolve('rolldown');
  const { rolldown } = (await import(pathToFileURL(found).href)) as RolldownDoor;
  const input = Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]));
  const bundle = await rolldown({
    input,
    platform: 'node',
    logLevel: 'silent',
    treeshake: { moduleSideEffects: isImportedForEffect },
  });
  const folder = join(target, 'dist');
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    minify: true,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  // Threads are started by file name, which no bundler follows.
  for (const file of await readdir(folder)) {
    const text = await readFile(join(folder, file), 'utf8');
    const renamed = text.replaceAll(/(["'`])\.\/([-\w]+)\.ts\1(?=\s*,\s*import\.meta\.url)/g, '$1./$2.js$1');
    if (renamed !== text) await writeFile(join(folder, file), renamed);
  }
  await writeFile(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    await licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)),
  );
}

// Our own modules and their libraries declare; only those that say so have an effect by being imported.
function isImportedForEffect(id: string): boolean {
  return !id.startsWith(join(root, 'packages/')) || id.includes('node_modules');
}

async function licensesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []));
  const texts = await Promise.all(
    [...folders].toSorted().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
      const text = file === undefined ? String(license) : await readFile(join(folder, file), 'utf8');
      return `${name} ${version}\n\n${text.trim()}\n`;
    }),
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
