import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutside, readMiniApp } from './mini-app.ts';

test('a page inside Telegram reads who opened it from the fragment, unchanged', () => {
  const fields = new URLSearchParams({ tgWebAppData: 'user=%7B%7D&hash=1', tgWebAppVersion: '9.0' });
  assert.deepEqual(readMiniApp(`#${fields}`), { initData: 'user=%7B%7D&hash=1' });
});

test('a page outside Telegram has nothing to read', () => {
  for (const fragment of ['', '#', '#tgWebAppData=', '#roles']) assert.equal(readMiniApp(fragment), undefined);
});

test('links that lead away by http or https are for the app to open, others stay in the page', () => {
  const page = 'https://latchkey.example/join/AbC#tgWebAppData=1';
  for (const href of ['https://link.metamask.io/dapp/x', 'http://cats.example', 'https://latchkey.example/console/me'])
    assert.equal(isOutside(href, page), true, href);
  for (const href of ['https://latchkey.example/join/AbC#wallets', 'wc:1@2', 'metamask://x', 'javascript:0', ''])
    assert.equal(isOutside(href, page), false, href);
});
