import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localeOf } from './locale-of.ts';

test('the language chosen on a page comes before that of the browser', () => {
  assert.equal(localeOf({ headers: { 'accept-language': 'de-CH, en;q=0.5' } }), 'de');
  assert.equal(localeOf({ headers: { 'accept-language': 'de', cookie: 'latchkey-locale=ar' } }), 'ar');
  assert.equal(localeOf({ headers: {} }, ['fr']), 'fr');
});

test('the console, which is in English, is answered in English, whatever its reader chose on other pages', () => {
  const headers = { 'accept-language': 'de', cookie: 'latchkey-locale=ar', 'x-latchkey-console': '1' };
  assert.equal(localeOf({ headers }), 'en');
});
