import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { LoadContext, Plugin } from '@docusaurus/types';
import { indexFileName } from '@latchkey/server/docs-search';
import type { WebhookEvent } from '../reference/webhook-events.ts';
import { buildIndex } from '../search/build-index.ts';
import type { DescribedApi } from '../search/read-operations.ts';

/** Writes the index of the embedded search beside the pages, and starts what answers questions from it and what remembers pages. */
export default function searchIndex({ siteDir }: LoadContext): Plugin {
  return {
    name: 'latchkey-search-index',
    getClientModules: () => ['ask/start.ts', 'client/remember-page.ts'].map((file) => join(siteDir, 'src', file)),
    async postBuild({ outDir, baseUrl, routesPaths }) {
      const description = await readFile(join(siteDir, '.generated/openapi.json'), 'utf8');
      const api = JSON.parse(description) as DescribedApi;
      const events = JSON.parse(
        await readFile(join(siteDir, '.generated/webhook-events.json'), 'utf8'),
      ) as WebhookEvent[];
      const index = await buildIndex({ outDir, baseUrl, routes: routesPaths, api, events });
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
