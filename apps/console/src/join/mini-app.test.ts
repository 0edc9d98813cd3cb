import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMiniApp } from './mini-app.ts';

test('a page inside Telegram reads who opened it from the fragment, unchanged', () => {
  const fields = new URLSearchParams({ tgWebAppData: 'user=%7B%7D&hash=1', tgWebAppVersion: '9.0' });
  assert.deepEqual(readMiniApp(`#${fields}`), { initData: 'user=%7B%7D&hash=1' });
});

test('a page outside Telegram has nothing to read', () => {
  for (const fragment of ['', '#', '#tgWebAppData=', '#roles']) assert.equal(readMiniApp(fragment), undefined);
});
