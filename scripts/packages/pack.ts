import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage, type Publishable } from './build-package.ts';
import { runNpm } from './run-tool.ts';

export interface Packed {
  name: string;
  /** The path of the tarball. */
  tarball: string;
  /** How many bytes others download. */
  size: number;
  /** What is in it. */
  files: string[];
}

/** Builds packages below a folder and writes their tarballs into it. */
export async function packAll(packages: readonly Publishable[], home: string): Promise<Packed[]> {
  await mkdir(home, { recursive: true });
  return Promise.all(packages.map((each) => packOne(each, home)));
}

async function packOne(each: Publishable, home: string): Promise<Packed> {
  const built = await buildPackage(each, join(home, 'packages'));
  const printed = await runNpm(built, ['pack', '--json', '--pack-destination', home]);
  const [packed] = JSON.parse(printed) as { name: string; filename: string; size: number; files: { path: string }[] }[];
  if (packed === undefined) throw new Error(`npm packed nothing in ${built}.`);
  return {
    name: packed.name,
    tarball: join(home, packed.filename.replace('@', '').replace('/', '-')),
    size: packed.size,
    files: packed.files.map(({ path }) => path),
  };
}
