import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forgetPages, keepPage, recentPages } from './recent-pages.ts';

const key = 'latchkey.recent-pages';

function withStorage(run: (storage: Map<string, string>) => void): void {
  const kept = new Map<string, string>();
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    },
  });
  try {
    run(kept);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage');
    else Object.defineProperty(globalThis, 'localStorage', before);
  }
}

describe('recent pages', () => {
  test('the newest comes first, each page once, without the name of the site', () => {
    withStorage(() => {
      for (const name of ['a', 'b', 'a', 'c', 'd', 'e', 'f', 'g'])
        keepPage({ path: `/docs/${name}`, title: `Page ${name} | Latchkey` });
      assert.deepEqual(
        recentPages().map(({ title }) => title),
        ['Page g', 'Page f', 'Page e', 'Page d', 'Page c', 'Page a'],
      );
      forgetPages();
      assert.deepEqual(recentPages(), []);
    });
  });

  test('the first page, the search and what is not a path of the site are left out', () => {
    withStorage((kept) => {
      for (const path of ['/', '/search', '/404.html']) keepPage({ path, title: 'x' });
      assert.deepEqual(recentPages(), []);
      for (const text of [
        '{',
        '{}',
        '[1, null]',
        '[{"path":"//evil.example","title":"x"}]',
        '[{"path":"javascript:1","title":"x"}]',
      ]) {
        kept.set(key, text);
        assert.deepEqual(recentPages(), [], text);
      }
    });
  });
});
