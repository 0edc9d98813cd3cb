import assert from 'node:assert/strict';
import { test } from 'node:test';
import foldUnconfigured from './fold-unconfigured.ts';
import { elementName, type Node } from './tree.ts';

const page = (): Node => ({
  type: 'root',
  children: [
    { type: 'heading', children: [] },
    { type: 'paragraph', children: [] },
  ],
});

function folded(path: string, isConfigured: boolean): Node {
  const tree = page();
  foldUnconfigured({ isConfigured: () => isConfigured })(tree, { path });
  return tree;
}

test('a page about a DAO that is not set up is one line, and the rest is folded', () => {
  const [line, rest, ...more] = folded('/portal/dao/token/claim.md', false).children ?? [];
  assert.equal(line?.type, 'paragraph');
  assert.match(JSON.stringify(line), /no DAO .*\/dao\/intro#for-operators/);
  assert.equal(rest === undefined ? undefined : elementName(rest), 'Details');
  assert.deepEqual(
    rest?.children?.map(({ type, name }) => name ?? type),
    ['summary', 'heading', 'paragraph'],
  );
  assert.deepEqual(more, []);
});

test('it is shown in full once there is one, and so are all other pages', () => {
  for (const [path, isConfigured] of [
    ['/portal/dao/token/claim.md', true],
    ['/portal/dao/intro.md', false],
    ['/portal/help-docs/FAQ/token.md', false],
  ] as const)
    assert.deepEqual(folded(path, isConfigured), page(), path);
});
