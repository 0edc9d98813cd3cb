import { AppError, T, text } from '@latchkey/kernel';
import { indexFileName } from '../docs-search/index-file.ts';
import { fetchTo } from '../egress/index.ts';
import type { McpResources } from './resources.ts';
import type { DocsPage, SearchIndex, SearchThread } from './search-thread.ts';
import { jsonResult, type Tool, textResult, toolSchema } from './tool.ts';

const usualCount = 5;
const mostCount = 20;

const FoundPage = T.Object({
  path: T.String({ description: 'The path for read_docs.' }),
  title: T.String(),
  url: T.String({ description: 'The address to quote.' }),
  text: T.String({ description: 'The beginning of the passage.' }),
});

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
        limit: T.Optional(
          T.Integer({ description: 'How many pages to return. Defaults to 5.', minimum: 1, maximum: mostCount }),
        ),
      }),
      outputSchema: toolSchema({ pages: T.Array(FoundPage) }),
      isReading: true,
      run: async ({ query, limit }) => {
        const count = Math.min(Math.max(Number(limit ?? usualCount) || usualCount, 1), mostCount);
        return jsonResult({ pages: await docs.search(String(query), count) });
      },
    },
    {
      name: 'read_docs',
      title: 'Read a page of the documentation',
      description: 'Returns a page of the documentation as Markdown.',
      inputSchema: toolSchema({ path: text('The path, such as /docs/intro.', { maxLength: 300 }) }),
      isReading: true,
      run: async ({ path }, { signal }) => textResult(await docs.read(String(path), signal)),
    },
  ];
}

const patienceMs = 10_000;
const keptMs = 10 * 60_000;
const quoteLength = 500;

/** The documentation, as published by the portal. */
export interface Docs {
  search(query: string, limit: number): Promise<{ path: string; title: string; url: string; text: string }[]>;
  list(): Promise<readonly DocsPage[]>;
  /** Returns a page as Markdown. Only pages that the portal lists can be read. */
  read(path: string, signal?: AbortSignal): Promise<string>;
}

/** Reads the portal's machine-readable files: its search index, and the Markdown of each page. */
export function openDocs(portalUrl: string, clock: () => Date, searchThread: SearchThread): Docs {
  const base = portalUrl.replace(/\/*$/, '');
  const fetch = fetchTo([portalUrl]);
  let opened: { index: SearchIndex; until: number } | undefined;
  let opening: Promise<SearchIndex> | undefined;

  async function fetchText(path: string, signal?: AbortSignal): Promise<string> {
    const patience = AbortSignal.timeout(patienceMs);
    const response = await fetch(`${base}${path}`, {
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
      redirect: 'error',
    }).catch((cause: unknown) => {
      throw new AppError('UNAVAILABLE', 'The documentation is temporarily unavailable.', { cause });
    });
    if (!response.ok)
      throw new AppError(
        'UNAVAILABLE',
        `The documentation returned status ${response.status}. It may still be building.`,
      );
    return response.text();
  }

  async function open(): Promise<SearchIndex> {
    const index = await searchThread.open('docs', await fetchText(`/${indexFileName}`));
    opened = { index, until: clock().getTime() + keptMs };
    return index;
  }

  async function currentIndex(): Promise<SearchIndex> {
    if (opened !== undefined && opened.until > clock().getTime()) return opened.index;
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return {
    async search(query, limit) {
      const index = await currentIndex();
      const hits = await index.search(query, limit);
      return hits.map(({ path, title, section: { heading, anchor, text } }) => ({
        path,
        title: heading === undefined ? title : `${title}: ${heading}`,
        url: `${base}${path}${anchor === undefined ? '' : `#${anchor}`}`,
        text: text.slice(0, quoteLength),
      }));
    },
    async list() {
      return (await currentIndex()).pages;
    },
    async read(path, signal) {
      const { pages } = await currentIndex();
      const [wanted = ''] = path.split(/[?#]/);
      const page = pages.find((candidate) => candidate.path === wanted || candidate.path === `${wanted}/`)?.path;
      if (page === undefined)
        throw new AppError('ENTITY_NOT_FOUND', 'Page not found. search_docs finds the paths of pages.');
      const file = page.replace(/\/$/, '');
      return fetchText(file === '' ? '/index.md' : `${file}.md`, signal);
    },
  };
}

const scheme = 'latchkey://docs';

/** The pages of the documentation as resources, so that a person can add one to a conversation. */
export function docsResources(docs: Docs): McpResources {
  return {
    templates: [
      {
        uriTemplate: `${scheme}{+path}`,
        name: 'docs-page',
        title: 'A page of the documentation',
        description: 'A page as Markdown, by its path, such as latchkey://docs/docs/intro.',
        mimeType: 'text/markdown',
      },
    ],
    list: async () =>
      (await docs.list()).map(({ path, title }) => ({
        uri: `${scheme}${path}`,
        name: path,
        title,
        mimeType: 'text/markdown',
      })),
    read: async (uri, { signal }) => {
      if (!uri.startsWith(`${scheme}/`)) return undefined;
      return { mimeType: 'text/markdown', text: await docs.read(uri.slice(scheme.length), signal) };
    },
  };
}
