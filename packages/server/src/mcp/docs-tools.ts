import { T, text } from '@latchkey/kernel';
import type { Docs } from './docs.ts';
import { jsonResult, type Tool, textResult, toolSchema } from './tool.ts';

const usualCount = 5;
const mostCount = 20;

/** Tools that read the documentation. They need no credential. */
export function docsTools(docs: Docs): Tool[] {
  return [
    {
      name: 'search_docs',
      title: 'Search the documentation',
      description:
        'Searches the guides for members, admins, developers and operators. Returns the best passages with the paths of their pages for read_docs. Quote the url when you answer from one.',
      inputSchema: toolSchema({
        query: text('A question or a few words, in English.', { maxLength: 300 }),
        limit: T.Optional(T.Integer({ description: 'How many pages. Defaults to 5.', minimum: 1, maximum: mostCount })),
      }),
      isReading: true,
      run: async ({ query, limit }) => {
        const count = Math.min(Math.max(Number(limit ?? usualCount) || usualCount, 1), mostCount);
        return jsonResult(await docs.search(String(query), count));
      },
    },
    {
      name: 'read_docs',
      title: 'Read a page of the documentation',
      description: 'Returns a page of the documentation as Markdown.',
      inputSchema: toolSchema({ path: text('The path, such as /docs/intro.', { maxLength: 300 }) }),
      isReading: true,
      run: async ({ path }) => textResult(await docs.read(String(path))),
    },
  ];
}
