import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webLink } from './web-link.ts';

test('a link leads to a page on the web', () => {
  assert.equal(webLink('https://discord.com/channels/1'), 'https://discord.com/channels/1');
  assert.equal(webLink('http://127.0.0.1:3000/oauth2/authorize?a=b'), 'http://127.0.0.1:3000/oauth2/authorize?a=b');
});

test('a link leads to nothing that a browser would run', () => {
  for (const address of [
    undefined,
    '',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://a.example/1',
    '//evil.example',
  ])
    assert.equal(webLink(address), undefined, address);
});
