import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderAsync } from '@resvg/resvg-js';
import { drawPreview, type PreviewText, previewSize } from './draw-preview.ts';
import { encodePng } from './encode-png.ts';

export interface PreviewFolders {
  /** Of the built site. */
  site: string;
  /** Where images are kept from build to build. */
  cache: string;
  /** The file of the mark. */
  mark: string;
}

export interface Rendering {
  /** The path of each image below the site's base path, in the order of the texts. */
  paths: string[];
  made: number;
  reused: number;
}

const folderName = 'img/previews';
const atOnce = 2;

/** Makes the preview images that the cache lacks, copies all into the site, and forgets those no page uses any more. */
export async function renderPreviews(
  texts: readonly PreviewText[],
  { site, cache, mark }: PreviewFolders,
): Promise<Rendering> {
  const inside = (await readFile(mark, 'utf8')).replace(/^[\s\S]*?<svg[^>]*>|<\/svg>\s*$/g, '');
  const drawings = texts.map((text) => drawPreview(text, inside));
  const names = drawings.map((svg) => `${createHash('sha256').update(svg).digest('hex').slice(0, 16)}.png`);
  const wanted = new Map(names.map((name, index) => [name, drawings[index] ?? '']));
  await mkdir(cache, { recursive: true });
  await mkdir(join(site, folderName), { recursive: true });
  const kept = await readdir(cache);
  const missing = [...wanted].filter(([name]) => !kept.includes(name));
  // All take from one iterator, so that each drawing is made once.
  const queue = missing.values();
  await Promise.all(Array.from({ length: atOnce }, () => makeAll(queue, cache)));
  for (const name of kept) if (!wanted.has(name)) await rm(join(cache, name), { force: true });
  for (const name of wanted.keys()) await copyFile(join(cache, name), join(site, folderName, name));
  return {
    paths: names.map((name) => `/${folderName}/${name}`),
    made: missing.length,
    reused: wanted.size - missing.length,
  };
}

async function makeAll(drawings: Iterable<readonly [name: string, svg: string]>, cache: string): Promise<void> {
  for (const [name, svg] of drawings) {
    const image = await renderAsync(svg, { font: { loadSystemFonts: false } });
    const png = encodePng({ ...previewSize, pixels: image.pixels }) ?? image.asPng();
    // Under its name only when complete, so that a build that was stopped leaves nothing broken behind.
    const unfinished = join(cache, `${name}.part`);
    await writeFile(unfinished, png);
    await rename(unfinished, join(cache, name));
  }
}
