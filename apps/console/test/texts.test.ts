import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { findEnglishFaults } from '@latchkey/kernel/messages/testing';
import { parseSync } from 'oxc-parser';

const folder = resolve(import.meta.dirname, '../src');
const components = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.tsx') && !path.includes('.test.'),
);

/** Attributes and properties whose text a person sees or hears. */
const shownNames = new Set(
  'alt aria-label body confirm confirmLabel description done empty error help hint label lead message note placeholder subtitle summary text title tooltip what'.split(
    ' ',
  ),
);
/** Has a word in it; a sign such as `·` or a letter such as `W` is the same in every language. */
const hasWord = /\p{L}{2}/u;
/** The names of products and standards, and sample addresses, are the same in every language. */
const isName =
  /^(?:\W|\d|Latchkey|Discord|Telegram|Reddit|WalletConnect|Snapshot|Stripe|JSON|CSV|UTC)*$|^https:\/\/\S+$/;
const isMessageId = /^[a-z]\w*(?:\.\w+)+$/;

interface Node {
  type: string;
  start: number;
  [name: string]: unknown;
}

/** The texts that a component writes itself instead of taking them from a catalogue. */
function findWrittenTexts(path: string, source: string): string[] {
  const found: string[] = [];
  const note = (text: string, { start }: Node) => {
    const line = source.slice(0, start).split('\n').length;
    if (hasWord.test(text) && !isName.test(text) && !isMessageId.test(text))
      found.push(`${path}:${line} ${text.trim().slice(0, 60)}`);
  };
  /** Goes through what an expression may evaluate to, not through what it calls or compares. */
  const noteResults = (node: Node | null | undefined): void => {
    if (node === null || node === undefined) return;
    if (node.type === 'Literal' && typeof node.value === 'string') note(node.value, node);
    if (node.type === 'TemplateLiteral')
      for (const quasi of node.quasis as Node[]) note((quasi.value as { cooked: string }).cooked, quasi);
    if (node.type === 'ConditionalExpression')
      for (const side of ['consequent', 'alternate']) noteResults(node[side] as Node);
    if (node.type === 'LogicalExpression') for (const side of ['left', 'right']) noteResults(node[side] as Node);
  };
  const visit = (node: Node): void => {
    const name = (node.name ?? node.key) as Node | undefined;
    if (node.type === 'JSXText') note(String(node.value), node);
    if (node.type === 'JSXExpressionContainer' && !isAttribute.has(node)) noteResults(node.expression as Node);
    if (node.type === 'JSXAttribute' || node.type === 'Property') {
      const value = node.value as Node | null;
      if (value?.type === 'JSXExpressionContainer') isAttribute.add(value);
      const isShown = shownNames.has(String(name?.name));
      if (isShown) noteResults(value?.type === 'JSXExpressionContainer' ? (value.expression as Node) : value);
    }
    for (const child of Object.values(node).flat())
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node);
  };
  const isAttribute = new WeakSet<Node>();
  visit(parseSync(path, source).program as unknown as Node);
  return found;
}

test('the pages write no text of their own: all of it is in the message catalogues', () => {
  assert.ok(components.length > 100);
  const written = components.flatMap((path) => findWrittenTexts(path, readFileSync(join(folder, path), 'utf8')));
  assert.deepEqual(written, []);
});

test('a written text is found wherever a component may show it', () => {
  const source = `
    const view = <Page title="My roles" lead={isNew ? 'Just added' : t('lead')} className="wide">
      Some text {count > 1 && 'members'} {\`\${count} wallets\`} {t('known')} Discord ·
      <Row actions={[{ label: 'Remove it', key: 'remove' }]} />
    </Page>;`;
  assert.deepEqual(
    findWrittenTexts('view.tsx', source).map((line) => line.replace(/^\S+ /, '')),
    ['My roles', 'Just added', 'Some text', 'members', 'wallets', 'Remove it'],
  );
});

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
/** The catalogues of the console, by the folder whose screens they belong to. The pages for members have their own test. */
const catalogues = files.filter((path) => path.endsWith('/messages/en.ts')).map((path) => dirname(dirname(path)));

async function readCatalogue(part: string): Promise<Record<string, string>> {
  return (await import(join(folder, part, 'messages/en.ts'))).default;
}

test('the catalogues of the console are valid, without markup and straight apostrophes', async () => {
  assert.ok(catalogues.length >= 6);
  for (const part of catalogues) assert.deepEqual(findEnglishFaults(await readCatalogue(part)), [], part);
});

test('every message of the console is said somewhere', async () => {
  for (const part of catalogues) {
    const users = files.filter(
      (path) => !path.includes('/messages/') && (part === 'shared' || path.startsWith(`${part}/`)),
    );
    const code = users.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
    // Such as t(`roll.${kind}End`).
    const patterns = [...code.matchAll(/\bt(?:\.rich)?\(\s*`([\w.]*\$\{[^`]+)`/g)].map(
      ([, id = '']) => new RegExp(`^${id.replaceAll('.', '\\.').replaceAll(/\$\{[^}]+\}/g, '.+')}$`),
    );
    const unused = Object.keys(await readCatalogue(part)).filter(
      (id) => !code.includes(`'${id}'`) && !patterns.some((pattern) => pattern.test(id)),
    );
    assert.deepEqual(unused, [], part);
  }
});
