import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleContext, sampleIndex } from '@latchkey/server/testing/docs-index';
import { embeddedClient, loadEngine } from './embedded.ts';
import { hostedClient } from './hosted.ts';

const query = { text: 'wallet', context: { ...sampleContext, here: 'docs-dao-current' }, offset: 0, limit: 2 };

test('the index is fetched once, and again after a failure', async () => {
  const requests: string[] = [];
  let isReachable = false;
  const client = embeddedClient(
    loadEngine('/base/', async (address) => {
      requests.push(String(address));
      return isReachable ? Response.json(sampleIndex) : new Response('gone', { status: 503 });
    }),
  );
  await client.warm();
  await assert.rejects(client.search(query), /503/);
  isReachable = true;
  const first = await client.search(query);
  const rest = await client.search({ ...query, offset: 2, limit: 100 });
  assert.deepEqual(requests, Array(3).fill('/base/search-index.json'));
  assert.equal(first.hits.length, 2);
  assert.equal(rest.hits.length, first.total - 2);
  assert.ok(first.hits.every(({ snippet }) => snippet.some(({ isMatch }) => isMatch)));
});

test('a hosted service is queried with the context and responds in the same format', async () => {
  const requests: Request[] = [];
  const hit = {
    url: 'https://docs.test/base/dao/voting#who',
    hierarchy: { lvl0: 'DAO', lvl1: 'Voting', lvl2: 'Who &amp; how', lvl3: null },
    _highlightResult: { hierarchy: { lvl2: { value: '\u0001Who\u0002 &amp; how' } } },
    _snippetResult: { content: { value: 'the &lt;b&gt; \u0001wallet\u0002 votes' } },
  };
  const client = hostedClient(
    { appId: 'APP1', apiKey: 'public', indexName: 'docs' },
    {
      siteUrl: 'https://docs.test/base/',
      fetchAnswer: async (address, init) => {
        requests.push(new Request(address, init));
        return Response.json({ results: [{ hits: [hit], nbHits: 31 }] });
      },
    },
  );
  const answer = await client.search({ ...query, offset: 20, limit: 10 });
  assert.equal(answer.total, 31);
  assert.deepEqual(answer.hits[0], {
    kind: 'page',
    path: '/dao/voting#who',
    title: [
      { text: 'Who', isMatch: true },
      { text: ' & how', isMatch: false },
    ],
    crumbs: ['DAO', 'Voting'],
    snippet: [
      { text: 'the <b> ', isMatch: false },
      { text: 'wallet', isMatch: true },
      { text: ' votes', isMatch: false },
    ],
  });
  const [request] = requests;
  assert.equal(request?.url, 'https://app1-dsn.algolia.net/1/indexes/*/queries');
  assert.equal(request?.method, 'POST');
  const body = (await request?.json()) as { requests: Record<string, unknown>[] } | undefined;
  const requested = body?.requests ?? [];
  assert.equal(requested[0]?.page, 2);
  assert.deepEqual(requested[0]?.facetFilters, [
    'language:en',
    ['docusaurus_tag:default', ...sampleContext.tags.map((tag) => `docusaurus_tag:${tag}`)],
  ]);
  assert.deepEqual(requested[0]?.optionalFilters, ['docusaurus_tag:docs-dao-current']);
});

test('a hosted service that rejects the query, or has an invalid id, fails', async () => {
  const settings = { appId: 'APP1', apiKey: 'public', indexName: 'docs' };
  const refuse = async () => new Response('', { status: 403 });
  await assert.rejects(hostedClient(settings, { siteUrl: '/', fetchAnswer: refuse }).search(query), /403/);
  assert.throws(() => hostedClient({ ...settings, appId: 'evil.test/' }, { siteUrl: '/' }), /letters and digits/);
});
