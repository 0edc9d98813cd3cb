import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assetKinds } from '@latchkey/core/facts';
import { kindOf, kinds, withKind } from './kinds.ts';
import type { Fields } from './tree/node.ts';

test('every kind of rule has a card', () => {
  const named = new Set(kinds.map(({ name }) => name));
  const known = [...assetKinds.map(({ name }) => name), 'GUESTPASS', 'role_composition'];
  assert.deepEqual(
    known.filter((name) => !named.has(name)),
    [],
  );
  assert.equal(named.size, kinds.length);
});

test('every sample of the documentation is drawn with the card of its kind', () => {
  const page = readFileSync(new URL('../../../../../docs/rules.md', import.meta.url), 'utf8');
  const samples = [...page.matchAll(/```json (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => {
    const rule: Fields = JSON.parse(text);
    return { name, rule };
  });
  assert.ok(samples.length > 40);
  for (const { name, rule } of samples.filter((sample) => sample.name !== 'logic'))
    assert.equal(kindOf(rule)?.name.toUpperCase(), name.toUpperCase(), JSON.stringify(rule));
});

test('a condition of another kind keeps what fits, and each new one is recognised', () => {
  for (const kind of kinds)
    assert.equal(kindOf(withKind({ minToken: '2', visibility: 'secret' }, kind))?.name, kind.name);
  const [coin, nft] = kinds;
  assert.ok(coin && nft);
  assert.deepEqual(withKind({ type: 'ERC20', chainId: 1, contractAddress: '0x1', minToken: '5' }, nft), {
    type: 'ERC721',
    minToken: '5',
  });
});
