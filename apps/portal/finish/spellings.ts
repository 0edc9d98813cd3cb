import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeAttribute } from './edit-text.ts';
import { absolute, type Site } from './page.ts';

/**
 * Writes a page that leads to another, for addresses that differ from a page's in case alone. Where the disk takes
 * both spellings for one file, nothing is written and the server has to redirect. Answers how many were written.
 */
export async function writeSpellings(
  folder: string,
  spellings: readonly { from: string; to: string }[],
  site: Site,
): Promise<number> {
  let written = 0;
  for (const { from, to } of spellings) {
    const file = join(folder, from, 'index.html');
    if (await exists(file)) continue;
    await mkdir(join(folder, from), { recursive: true });
    await writeFile(file, redirectPage(absolute(to, site)));
    written += 1;
  }
  return written;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function redirectPage(url: string): string {
  const { pathname } = new URL(url);
  const address = escapeAttribute(pathname);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title>',
    `<meta http-equiv="refresh" content="0; url=${address}"><link rel="canonical" href="${escapeAttribute(url)}"></head>`,
    `<body><p><a href="${address}">This page has moved.</a></p>`,
    `<script>location.replace(${JSON.stringify(pathname)} + location.search + location.hash)</script></body></html>\n`,
  ].join('');
}
