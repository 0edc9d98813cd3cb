import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnder } from './is-under.ts';

test('a referrer matches an allowed URL by whole path segments', () => {
  const base = 'https://shop.example';
  const admitted: Record<string, readonly string[]> = {
    '/app': ['/app', '/app/', '/app/x', '/app?y', '/app?y=/z', '/app#z'],
    '/app/': ['/app/', '/app/x', '/app/x/y?z'],
    '': ['', '/', '/anything', '/app-evil'],
    '/a%20b': ['/a%20b', '/a%20b/c'],
  };
  const refused: Record<string, readonly string[]> = {
    '/app': ['/app-evil', '/app.evil', '/application', '/', '/ap', '/APP', '/app/../evil', '/app%2Fx', '/x/app'],
    '/app/': ['/app', '/app-evil/', '/evil/app/'],
  };
  for (const [allowed, pages] of Object.entries(admitted))
    for (const page of pages) assert.equal(isUnder(base + page, base + allowed), true, `${allowed} admits ${page}`);
  for (const [allowed, pages] of Object.entries(refused))
    for (const page of pages) assert.equal(isUnder(base + page, base + allowed), false, `${allowed} refuses ${page}`);
  for (const page of [
    'http://shop.example/app',
    'https://shop.example:8443/app',
    'https://shop.example.evil.example/app',
    'https://evil.example/https://shop.example/app',
    'https://shop.example@evil.example/app',
    'about:blank',
    '/app',
    '',
  ])
    assert.equal(isUnder(page, `${base}/app`), false, page);
});
