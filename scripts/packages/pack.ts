import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buildPackage, type Publishable } from './build-package.ts';
import { runNpm } from './run-tool.ts';

export interface Packed {
  name: string;
  /** The path of the tarball. */
  tarball: string;
  /** The download size in bytes. */
  size: number;
  /** Its contents. */
  files: string[];
}

/** Builds packages below a folder, one after the other, and writes their tarballs into it. */
export async function packAll(packages: readonly Publishable[], home: string): Promise<Packed[]> {
  await mkdir(home, { recursive: true });
  const packed = new Map<string, Packed>();
  for (const each of packages) packed.set(each.folder, await packOne(each, home, packed));
  return [...packed.values()];
}

async function packOne(each: Publishable, home: string, earlier: ReadonlyMap<string, Packed>): Promise<Packed> {
  const built = await buildPackage(each, join(home, 'packages'));
  for (const [place, folder] of Object.entries(each.bundles ?? {})) {
    const tarball = earlier.get(folder)?.tarball;
    if (tarball === undefined)
      throw new Error(`${each.folder} brings ${folder} along, which must be packed before it.`);
    await cp(tarball, join(built, place, basename(tarball)));
  }
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
