import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { indexFileName } from '@latchkey/server/docs-search';
import { buildIndex } from '../search/build-index.ts';
import type { DescribedApi } from '../search/read-operations.ts';

/** Writes the index of the embedded search beside the pages, and starts what answers questions from it. */
export default function searchIndex({ siteDir }: LoadContext): Plugin {
  return {
    name: 'latchkey-search-index',
    getClientModules: () => [join(siteDir, 'src/ask/start.ts')],
    async postBuild({ outDir, baseUrl, routesPaths }) {
      const description = await readFile(join(siteDir, '.generated/openapi.json'), 'utf8');
      const api = JSON.parse(description) as DescribedApi;
      const index = await buildIndex({ outDir, baseUrl, routes: routesPaths, api });
      const text = JSON.stringify(index);
      await writeFile(join(outDir, indexFileName), text);
      const sections = index.pages.reduce((sum, { sections }) => sum + sections.length, 0);
      const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
      process.stdout.write(
        `Search index: ${index.pages.length} pages and operations, ${sections} sections, ${kilobytes(text.length)}, ${kilobytes(gzipSync(text).length)} compressed.\n`,
      );
    },
  };
}
