import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const folder = resolve(import.meta.dirname, '../src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

/** What runs rules in a page is the code of the command line, loaded by one page when it is opened. */
const isEvaluator = (path: string) => path.startsWith('rules-file/');

test('the pages take nothing of the server along but its types', () => {
  const allowed = [
    '@atlaskit/pragmatic-drag-and-drop-hitbox/tree-item',
    '@atlaskit/pragmatic-drag-and-drop/combine',
    '@atlaskit/pragmatic-drag-and-drop/element/adapter',
    '@latchkey/client',
    '@latchkey/kernel/chat-platforms',
    '@latchkey/kernel/member-tags',
    '@latchkey/kernel/messages',
    '@mantine/core',
    '@mantine/hooks',
    '@noble/ciphers/chacha',
    '@noble/curves/ed25519.js',
    '@noble/hashes/hkdf.js',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
    '@scure/base',
    '@tanstack/react-query',
    '@tanstack/react-router',
    '@wallet-standard/app',
    'react',
    'react-dom/client',
    'uqr',
  ];
  const taken = sources
    .filter(({ path }) => !isEvaluator(path))
    .flatMap(({ path, text }) =>
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
    ...[...text.matchAll(/\b(?:eth|personal|wallet|solana)_\w+/g)].map(([name]) => name),
    ...[...text.matchAll(/'(?:solana|standard):\w+'/g)].map(([name]) => name),
    ...[...text.matchAll(/provider\.request\('(\w+)'/g)].map(([, name]) => name),
  ]);
  assert.deepEqual([...new Set(methods)].toSorted(), [
    "'solana:signMessage'",
    "'standard:connect'",
    'eth_chainId',
    'eth_requestAccounts',
    'getAccounts',
    'personal_sign',
    'signMessage',
    'solana_signMessage',
  ]);
});

test('the code of WalletConnect and its cryptography are loaded by those who use it, not with a page', () => {
  const inside = ({ path }: { path: string }) => path.startsWith('wallet-connect/');
  assert.ok(sources.filter(inside).length > 3);
  for (const { path, text } of sources.filter((source) => !inside(source) && !isEvaluator(source.path)))
    assert.doesNotMatch(text, /^import (?!type )[^;]*?from '[^']*(?:\/wallet-connect\/|@noble\/)/m, path);
});

test('the evaluator of rules is loaded only when its page is opened', () => {
  for (const { path, text } of sources.filter((source) => !isEvaluator(source.path)))
    assert.doesNotMatch(text, /from '[^']*\/rules-file\/(?:evaluator|shims)/, path);
});

test('the pages put no text into a document but as text', () => {
  for (const { path, text } of sources)
    assert.doesNotMatch(text, /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|eval\(/, path);
});

test('the ways in stay small: they take nothing of the console along', () => {
  const entrance = sources.filter(({ path }) => /^(connect|login|passkeys|parts|wallets)\//.test(path));
  assert.ok(entrance.length > 15);
  for (const { path, text } of entrance) assert.doesNotMatch(text, /from '[^']*(@mantine|@tanstack|\/shared\/)/, path);
});

test('no component writes a style element, which the policy of the pages refuses', () => {
  for (const { path, text } of sources) {
    assert.doesNotMatch(
      text,
      /import \{[^}]*\b(?:AppShell|Grid|SimpleGrid|ColorSchemeScript)\b[^}]*\} from '@mantine\/core'/,
      path,
    );
    assert.doesNotMatch(text, /\b(?:hiddenFrom|visibleFrom)=|=\{\{ base:/, path);
  }
});

test('every component in use brings its style sheet, and those that it is made of', () => {
  const require = createRequire(join(folder, '../package.json'));
  const sheets = dirname(require.resolve('@mantine/core/styles/Button.css'));
  const brought = readFileSync(join(folder, 'app/mantine.css'), 'utf8');
  const used = sources.flatMap(({ text }) =>
    [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
    ),
  );
  const inside = ['FloatingIndicator', 'Combobox', 'Input', 'InlineInput', 'Paper', 'Popover'];
  const missing = [...new Set([...used, ...inside])].filter(
    (name) => existsSync(join(sheets, `${name}.css`)) && !brought.includes(`/styles/${name}.css"`),
  );
  assert.ok(used.length > 20);
  assert.deepEqual(missing, []);
});

test('a screen imports no other screen', () => {
  const screenOf = (path: string) => /^(member|community|developer|operator)\/(?!messages\/)([\w-]+)\//.exec(path)?.[0];
  for (const { path, text } of sources) {
    const own = screenOf(path);
    if (own === undefined) continue;
    for (const [, target = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const other = screenOf(join(path, '..', target));
      assert.ok(other === undefined || other === own, `${path} imports ${target}`);
    }
  }
});
