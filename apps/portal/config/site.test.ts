import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSite } from './site.ts';

test('the path of the address is the path that the site is built for', () => {
  for (const [address, url, baseUrl] of [
    [undefined, 'http://localhost:3001', '/'],
    ['https://docs.example.org', 'https://docs.example.org', '/'],
    ['https://example.org/docs', 'https://example.org', '/docs/'],
    ['https://example.org/a/b_c.d//', 'https://example.org', '/a/b_c.d/'],
  ] as const)
    assert.deepEqual(readSite({ LATCHKEY_PORTAL_URL: address }), { url, baseUrl, repository: undefined });
});

test('an invalid address is rejected with an example of a valid one', () => {
  for (const address of [
    'docs.example.org',
    'ftp://example.org/',
    'https://example.org/a//b',
    'https://example.org/a b/',
  ])
    assert.throws(() => readSite({ LATCHKEY_PORTAL_URL: address }), /must be the address of the site, like https:/);
});
