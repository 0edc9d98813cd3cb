import { commonTag } from '@latchkey/server/docs-search';
import type { SearchClient, SearchHit, Segment } from './client.ts';

export interface HostedSettings {
  appId: string;
  /** The search-only key: every reader of the site can see it. */
  apiKey: string;
  indexName: string;
}

type Levels = Record<string, string | null | undefined>;

interface HostedHit {
  url: string;
  hierarchy: Levels;
  _highlightResult?: { hierarchy?: Record<string, { value?: string } | undefined> };
  _snippetResult?: { content?: { value?: string } };
}

const mark = { open: '\u0001', close: '\u0002' };

/** Queries a search service with Algolia's query API, as documentation crawlers fill it. */
export function hostedClient(
  { appId, apiKey, indexName }: HostedSettings,
  { siteUrl, fetchAnswer = fetch }: { siteUrl: string; fetchAnswer?: typeof fetch },
): SearchClient {
  if (!/^[a-z\d]+$/i.test(appId)) throw new Error('The id of the search application may have only letters and digits.');
  return {
    async search({ text, context: { language, tags, here }, offset, limit }) {
      const request = {
        indexName,
        query: text,
        page: Math.floor(offset / limit),
        hitsPerPage: limit,
        facetFilters: [`language:${language}`, [commonTag, ...tags].map((tag) => `docusaurus_tag:${tag}`)],
        ...(here === undefined ? {} : { optionalFilters: [`docusaurus_tag:${here}`] }),
        attributesToRetrieve: ['hierarchy', 'url'],
        attributesToSnippet: ['content:25'],
        highlightPreTag: mark.open,
        highlightPostTag: mark.close,
      };
      const answer = await fetchAnswer(`https://${appId}-dsn.algolia.net/1/indexes/*/queries`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-algolia-application-id': appId,
          'x-algolia-api-key': apiKey,
        },
        body: JSON.stringify({ requests: [request] }),
      });
      if (!answer.ok) throw new Error(`The search service refused: ${answer.status}.`);
      const { results } = (await answer.json()) as { results: { hits: HostedHit[]; nbHits: number }[] };
      const [{ hits, nbHits } = { hits: [], nbHits: 0 }] = results;
      return { hits: hits.map((hit) => toHit(hit, siteUrl)), total: nbHits };
    },
    warm: async () => {},
  };
}

function toHit({ url, hierarchy, _highlightResult, _snippetResult }: HostedHit, siteUrl: string): SearchHit {
  const levels = ['lvl0', 'lvl1', 'lvl2', 'lvl3', 'lvl4', 'lvl5', 'lvl6'].filter((level) => Boolean(hierarchy[level]));
  const last = levels.at(-1) ?? 'lvl0';
  return {
    kind: 'page',
    path: url.startsWith(siteUrl) ? `/${url.slice(siteUrl.length)}` : url,
    title: readMarks(_highlightResult?.hierarchy?.[last]?.value ?? hierarchy[last] ?? url),
    crumbs: levels.slice(0, -1).map((level) => decode(hierarchy[level] ?? '')),
    snippet: readMarks(_snippetResult?.content?.value ?? ''),
  };
}

/** The service returns HTML with marks that we chose; it is shown as text. */
function readMarks(text: string): Segment[] {
  return text
    .split(mark.open)
    .flatMap((part, index) => {
      const [first = '', second] = part.split(mark.close);
      const isMatch = index > 0;
      return [
        { text: decode(first), isMatch },
        { text: decode(second ?? ''), isMatch: false },
      ];
    })
    .filter((segment) => segment.text !== '');
}

function decode(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#(?:39|x27);/g, "'")
    .replace(/&amp;/g, '&');
}
