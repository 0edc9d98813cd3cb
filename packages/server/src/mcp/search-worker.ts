/** The code of the search thread. It keeps one index per name, and nothing about queries. */
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '@latchkey/core/worker-threads';
import type { SearchRequest, SearchResponse } from './search-thread.ts';

// Runs before the imports below.
lowerPriority();

const { commonTag, openEngine } = await import('../docs-search/index.ts');
type LoadedIndex = Awaited<ReturnType<typeof load>>;

const indexes = new Map<string, { version: number; index: LoadedIndex }>();
parentPort?.on('message', (request: SearchRequest) => {
  void respond(request).then((response) => parentPort?.postMessage(response));
});

async function respond(request: SearchRequest): Promise<SearchResponse> {
  const { name, version } = request;
  try {
    if (request.kind === 'load') {
      const index = await load(request.file);
      indexes.set(name, { version, index });
      return { kind: 'loaded', pages: index.pages };
    }
    const present = indexes.get(name);
    if (present?.version !== version) return { kind: 'missing' };
    return { kind: 'found', hits: present.index.find(request.query, request.limit) };
  } catch {
    return { kind: 'failed' };
  }
}

async function load(file: string) {
  const { pages } = JSON.parse(file) as Parameters<typeof openEngine>[0];
  // Older versions are excluded. Operations of the reference have their own tools, which know them better.
  const read = pages.filter(({ kind, tag }) => kind === 'page' && (tag === commonTag || tag.endsWith('-current')));
  const engine = await openEngine({ pages: read });
  const context = { language: 'en', tags: [...new Set(read.map(({ tag }) => tag))] };
  return {
    pages: read.map(({ path, title }) => ({ path, title })),
    find: (query: string, limit: number) =>
      engine
        .find(query, context, { isComplete: true })
        .slice(0, limit)
        .map(({ page: { path, title }, section }) => ({ path, title, section })),
  };
}
