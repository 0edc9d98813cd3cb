import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run-tool.ts';

/** As much of Vite as is used: its types are found from the console alone. */
interface ViteDoor {
  build(options: object): Promise<Built | Built[]>;
}

interface Built {
  output: readonly { type: string; code?: string }[];
}

/** What Vite makes of a file for browsers, with everything that it imports. The console brings Vite. */
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
