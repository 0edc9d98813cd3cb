import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const folder = resolve(import.meta.dirname, '../src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

test('the pages take nothing of the server along but its types', () => {
  const allowed = [
    '@latchkey/client',
    '@latchkey/kernel/chat-platforms',
    '@wallet-standard/app',
    'react',
    'react-dom/client',
  ];
  const taken = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^import (?!type )[^;]*?from '([^.'][^']*)'/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !allowed.includes(name))
      .map((name) => `${path} imports ${name}`),
  );
  assert.ok(sources.length > 20);
  assert.deepEqual(taken, []);
});

test('the pages ask wallets for accounts and signatures of text, never for anything that can move what they hold', () => {
  const methods = sources.flatMap(({ text }) => [
    ...[...text.matchAll(/\b(?:eth|personal|wallet)_\w+/g)].map(([name]) => name),
    ...[...text.matchAll(/'(?:solana|standard):\w+'/g)].map(([name]) => name),
  ]);
  assert.deepEqual([...new Set(methods)].toSorted(), [
    "'solana:signMessage'",
    "'standard:connect'",
    'eth_chainId',
    'eth_requestAccounts',
    'personal_sign',
  ]);
});

test('the pages put no text into a document but as text', () => {
  for (const { path, text } of sources)
    assert.doesNotMatch(text, /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|eval\(/, path);
});
