import { type Engine, type Finding, type IndexFile, indexFileName, openEngine } from '@latchkey/server/docs-search';
import type { SearchClient, SearchHit } from './client.ts';
import { markWords, takeSnippet } from './highlight.ts';

const snippetLength = 160;

/** Calls `start` once, and again only if it failed. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}

/** Loads the site's index, which is beside its pages, when first needed. */
export function loadEngine(baseUrl: string, fetchFile: typeof fetch = fetch): () => Promise<Engine> {
  return once(async () => {
    // URLs of an earlier build may be gone, so the browser must revalidate its copy.
    const answer = await fetchFile(`${baseUrl}${indexFileName}`, { cache: 'no-cache' });
    if (!answer.ok) throw new Error(`The search index could not be fetched: ${answer.status}.`);
    return openEngine((await answer.json()) as IndexFile);
  });
}

/** Searches in the page. No request leaves the site. */
export function embeddedClient(open: () => Promise<Engine>): SearchClient {
  return {
    async search({ text, context, offset, limit }) {
      const findings = (await open()).find(text, context);
      return { hits: findings.slice(offset, offset + limit).map(toHit), total: findings.length };
    },
    warm: () =>
      open().then(
        () => {},
        () => {},
      ),
  };
}

function toHit({ page, section, terms }: Finding): SearchHit {
  const title = section.heading ?? page.title;
  return {
    kind: page.kind,
    path: addressOf({ page, section }),
    title: markWords(title, terms),
    crumbs: section.heading === undefined ? page.crumbs : [...page.crumbs, page.title],
    snippet: takeSnippet(section.text === '' ? (page.description ?? '') : section.text, terms, snippetLength),
    ...(page.call === undefined ? {} : { call: page.call }),
  };
}

export function addressOf({ page, section }: Pick<Finding, 'page' | 'section'>): string {
  return section.anchor === undefined ? page.path : `${page.path}#${section.anchor}`;
}
