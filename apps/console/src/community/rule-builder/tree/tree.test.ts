import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { asGroup, type Draft, emptyLeaf, isSameJson, NotDrawable, toDraft, toRule } from './draft.ts';
import { add, clone, type Direction, move, remove, step, stepTarget, toggleMute, unwrap, wrap } from './edit.ts';
import { advance, begin, redo, undo } from './history.ts';
import { findNode, isGroup, type Node, nodesOf, parentOf } from './node.ts';

/** Numbers that are the same in every run (mulberry32). */
function numbersFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, oneOf: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item };
}
type Numbers = ReturnType<typeof numbersFrom>;

const words = ['', 'Cats', '<b>x</b>', 'مرحبا', '🐈', '__proto__', 'and', '0.5', 'a\u0000b', 'x'.repeat(300)];

function randomValue(numbers: Numbers, depth = 0): unknown {
  const kinds = depth > 2 ? 4 : 6;
  switch (numbers.below(kinds)) {
    case 0:
      return numbers.oneOf(words);
    case 1:
      return numbers.below(1_000_000) / 100;
    case 2:
      return numbers.below(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from({ length: numbers.below(3) }, () => randomValue(numbers, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: numbers.below(4) }, (_, at) => [`v${at}`, randomValue(numbers, depth + 1)]),
      );
  }
}

function randomLeaf(numbers: Numbers): Record<string, unknown> {
  const leaf: Record<string, unknown> = { type: numbers.oneOf(['ERC20', 'ERC721', 'POAP', 'twitter', 'NEP171']) };
  for (const field of [
    'chainId',
    'contractAddress',
    'minToken',
    'tokenId',
    'roleId',
    'name',
    'visibility',
    'variables',
    'query',
  ])
    if (numbers.below(3) === 0) leaf[field] = randomValue(numbers);
  return leaf;
}

function randomTree(numbers: Numbers, depth = 0): Record<string, unknown> {
  if (depth > 4 || numbers.below(3) === 0) return randomLeaf(numbers);
  const parts = Array.from({ length: 1 + numbers.below(3) }, () => randomTree(numbers, depth + 1));
  switch (numbers.below(5)) {
    case 0:
      return { and: parts };
    case 1:
      return { or: parts };
    case 2:
      return { not: parts[0] };
    case 3:
      return { not: { or: parts } };
    default:
      return { atLeast: 1 + numbers.below(parts.length), of: parts };
  }
}

function randomRule(numbers: Numbers): Record<string, unknown> {
  const frame = { roleId: '1001', name: numbers.oneOf(words), version: '2.1.0' };
  if (numbers.below(3) === 0) return { ...randomLeaf(numbers), ...frame };
  const scheme = numbers.oneOf(['logic', 'LOGIC']);
  return {
    ...frame,
    scheme,
    variables: { rule: randomTree(numbers), ...(numbers.below(2) === 0 && { _note: randomValue(numbers) }) },
  };
}

const leaves = (root: Node) =>
  nodesOf(root)
    .filter((node) => !isGroup(node))
    .map(({ key }) => key)
    .toSorted();
const keys = (root: Node) => nodesOf(root).map(({ key }) => key);

describe('the cards of a rule', () => {
  test('give back every rule as it was', () => {
    const numbers = numbersFrom(seedNumber('rule-cards'));
    for (let round = 0; round < volume(1_000, 50_000); round += 1) {
      const rule = randomRule(numbers);
      const text = JSON.stringify(rule);
      const back = toRule(toDraft(JSON.parse(text)));
      assert.deepEqual(back, JSON.parse(text), text);
      assert.ok(isSameJson(back, rule));
    }
  });

  test('lose and double nothing, however they are moved', () => {
    const numbers = numbersFrom(seedNumber('rule-moves'));
    const directions: readonly Direction[] = ['up', 'down', 'out', 'in'];
    for (let round = 0; round < volume(300, 10_000); round += 1) {
      let { root } = asGroup(toDraft(randomRule(numbers)));
      const before = leaves(root);
      for (let turn = 0; turn < 12; turn += 1) {
        const key = numbers.oneOf(keys(root));
        const groups = nodesOf(root).filter(isGroup);
        const chosen = groups.length === 0 ? 2 : numbers.below(4);
        if (chosen === 0) root = move(root, key, numbers.oneOf(groups).key, numbers.below(5));
        else if (chosen === 1) root = step(root, key, numbers.oneOf(directions));
        else if (chosen === 2) root = wrap(root, key, numbers.oneOf(['all', 'any', 'none', 'at-least']));
        else root = unwrap(root, key);
        assert.deepEqual(leaves(root), before);
        assert.equal(new Set(keys(root)).size, keys(root).length);
      }
    }
  });

  test('go one step and back', () => {
    const numbers = numbersFrom(seedNumber('rule-steps'));
    for (let round = 0; round < volume(300, 10_000); round += 1) {
      const { root } = asGroup(toDraft(randomRule(numbers)));
      const key = numbers.oneOf(keys(root));
      for (const [there, back] of [
        ['up', 'down'],
        ['down', 'up'],
      ] as const)
        if (stepTarget(root, key, there) !== undefined) assert.deepEqual(step(step(root, key, there), key, back), root);
      if (stepTarget(root, key, 'in') !== undefined) {
        const inside = step(root, key, 'in');
        assert.equal(parentOf(inside, parentOf(inside, key)?.key ?? '')?.key, parentOf(root, key)?.key);
      }
      const wrapped = wrap(root, key);
      assert.deepEqual(unwrap(wrapped, parentOf(wrapped, key)?.key ?? ''), root);
    }
  });

  test('are never moved into themselves, and the outermost card not at all', () => {
    const { root } = toDraft({
      scheme: 'logic',
      variables: { rule: { and: [{ or: [{ type: 'A' }] }, { type: 'B' }] } },
    });
    assert.ok(isGroup(root));
    const [inner] = root.parts;
    assert.ok(inner && isGroup(inner));
    assert.equal(move(root, inner.key, inner.key, 0), root);
    assert.equal(move(root, root.key, inner.key, 0), root);
    assert.equal(remove(root, root.key), root);
    for (const direction of ['up', 'down', 'out', 'in'] as const) assert.equal(step(root, root.key, direction), root);
  });

  test('are copied with keys of their own, and leave the original alone', () => {
    const { root } = toDraft({
      scheme: 'logic',
      variables: { rule: { and: [{ or: [{ type: 'A' }, { type: 'B' }] }] } },
    });
    assert.ok(isGroup(root) && root.parts[0]);
    const twice = clone(root, root.parts[0].key);
    assert.equal(new Set(keys(twice)).size, keys(root).length * 2 - 1);
    assert.deepEqual(remove(twice, keys(twice).at(-3) ?? ''), root);
  });

  test('that are muted stay on the page and are not in the rule', () => {
    const rule = {
      scheme: 'logic',
      roleId: 'r',
      variables: { rule: { and: [{ type: 'A' }, { or: [{ type: 'B' }] }] } },
    };
    const draft = toDraft(rule);
    const [, a, , b] = nodesOf(draft.root);
    const muted = toggleMute(draft.root, a?.key ?? '');
    assert.deepEqual(toRule({ ...draft, root: muted }), {
      ...rule,
      variables: { rule: { and: [{ or: [{ type: 'B' }] }] } },
    });
    assert.equal(toRule({ ...draft, root: toggleMute(muted, b?.key ?? '') }), undefined);
    assert.deepEqual(toRule({ ...draft, root: toggleMute(muted, a?.key ?? '') }), rule);
    assert.equal(findNode(muted, a?.key ?? '')?.isMuted, true);
  });

  test('make one condition a tree when a second one comes', () => {
    const draft: Draft = asGroup(toDraft({ type: 'ERC20', minToken: '1', roleId: 'r', name: 'Cats' }));
    const root = add(draft.root, draft.root.key, emptyLeaf());
    assert.deepEqual(toRule({ ...draft, root }), {
      version: '2.1.0',
      roleId: 'r',
      name: 'Cats',
      scheme: 'logic',
      variables: { rule: { and: [{ type: 'ERC20', minToken: '1' }, { type: 'ERC20' }] } },
    });
  });

  test('are refused in words for what is no rule', () => {
    for (const value of [null, 7, 'x', [], { scheme: 'logic', variables: { rule: { and: 'x' } } }])
      assert.throws(() => toDraft(value), NotDrawable);
  });

  test('are undone and done again, and typing in one field is one step', () => {
    let history = begin('a');
    history = advance(history, 'b');
    history = advance(history, 'bc', { joins: true });
    assert.equal(undo(history).present, 'a');
    assert.equal(redo(undo(history)).present, 'bc');
    assert.deepEqual(undo(begin('a')), begin('a'));
    assert.equal(redo(advance(undo(history), 'z')).present, 'z');
  });
});
