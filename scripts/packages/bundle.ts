import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run-tool.ts';

/** The part of Vite that is used: its types resolve only from the console. */
interface ViteDoor {
  build(options: object): Promise<Built | Built[]>;
}

interface Built {
  output: readonly { type: string; code?: string }[];
}

/** Bundles a file for browsers with Vite, including everything that it imports. The console provides Vite. */
export async function bundle(folder: string, entry: string): Promise<string> {
  const found = createRequire(join(root, 'apps/console/package.json')).resolve('vite');
  const { build } = (await import(pathToFileURL(found).href)) as ViteDoor;
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
  });
  return [built]
    .flat()
    .flatMap(({ output }) => output.map(({ code = '' }) => code))
    .join('');
}
