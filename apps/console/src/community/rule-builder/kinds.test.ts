import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assetKinds } from '@latchkey/core/facts';
import { readRule } from '@latchkey/core/rule-language';
import { fromLink, wordsOf } from './fields.ts';
import { kindOf, kinds, withKind } from './kinds.ts';
import { expand } from './tree/expand.ts';
import type { Fields } from './tree/node.ts';

test('every kind of rule has a card', () => {
  const named = new Set<string>(kinds.map(({ name }) => name));
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

test('what a card takes apart means the same to the server, and the card shows all of it', () => {
  const page = readFileSync(new URL('../../../../../docs/rules.md', import.meta.url), 'utf8');
  const samples = [...page.matchAll(/```json (?!logic)\S+\n([\s\S]*?)```/g)].map(
    ([, text = '']): Fields => JSON.parse(text),
  );
  assert.ok(samples.length > 40);
  for (const sample of samples) {
    const kind = kindOf(sample);
    assert.ok(kind);
    const taken = expand(sample, kind);
    assert.deepEqual(readRule(taken), readRule(sample), JSON.stringify(taken));
    assert.equal(kindOf(taken), kind);
    const isWhole = kind.start !== undefined || !('asset' in taken);
    assert.ok(isWhole, `${JSON.stringify(sample)} has its asset in one text`);
  }
});

test('an asset that cannot be taken apart stays as it is', () => {
  const [kind] = kinds;
  assert.ok(kind);
  for (const asset of ['evm:sepolia/ERC20:0x11', 'solana:devnet/FT:abc', 'nonsense', 7])
    assert.deepEqual(expand({ type: 'ERC20', asset }, kind), { type: 'ERC20', asset });
});

test('no field is called by an id or a technical name', () => {
  const words = kinds.flatMap((kind) => kind.fields.map((name) => wordsOf(name, kind)));
  for (const { label } of words) assert.doesNotMatch(label, /\bids?\b|json|_/i, label);
});

test('a pasted link is read where people see an id only in links', () => {
  assert.equal(fromLink('eventId', 'https://poap.gallery/drops/14000'), '14000');
  assert.equal(fromLink('tokenId', 'https://app.galxe.com/quest/Cats/GC1abc?tab=1'), 'GC1abc');
  assert.equal(fromLink('collectionName', 'https://opensea.io/collection/cool-cats/overview'), 'cool-cats');
  assert.equal(fromLink('tokenId', 'https://lists.example/tokens.txt'), 'https://lists.example/tokens.txt');
  assert.equal(fromLink('eventId', '1, 2'), '1, 2');
});
