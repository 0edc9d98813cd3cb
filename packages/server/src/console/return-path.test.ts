import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consolePath } from './routes.ts';

test('a console path is returned to, with its query', () => {
  for (const path of ['/console', '/console/', '/console/me', '/console/communities/1/plans?state=held#top'])
    assert.equal(consolePath(path), path);
});

test('any external target, in any notation, becomes the home page', () => {
  for (const path of [
    undefined,
    '',
    '/',
    '/account',
    '/consoles',
    '/console-evil',
    'https://evil.example/console',
    '//evil.example/console',
    '/\\evil.example/console',
    '\\\\evil.example',
    '/console/..//evil.example',
    '/console/../account',
    '/console/%2e%2e/account',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://console.invalid:81/console',
    'http://[',
  ])
    assert.equal(consolePath(path), '/console', path);
});

test('line breaks do not get into the header', () => {
  assert.equal(consolePath('/console/a\r\nset-cookie: x'), '/console/aset-cookie:%20x');
});
