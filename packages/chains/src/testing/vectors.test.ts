import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { base58, base64 } from '@scure/base';
import {
  describeCounts,
  mutateBase58,
  mutateBase64,
  mutateBytes,
  mutateHex,
  mutateText,
  readVectors,
  refuseMutations,
  respell,
  type SeededRandom,
  seededRandom,
} from '../../vectors/index.ts';

const bytes = Uint8Array.from({ length: 64 }, (_, place) => (place * 37 + 11) & 255);
const hex = Buffer.from(bytes).toString('hex');

const mutators: Record<string, (random: SeededRandom) => string> = {
  text: (random) => mutateText(random, 'Sign in to Latchkey\nNonce: 8f2c1a77'),
  hex: (random) => mutateHex(random, `0x${hex}`),
  base58: (random) => mutateBase58(random, base58.encode(bytes)),
  base64: (random) => mutateBase64(random, base64.encode(bytes)),
  respelling: (random) => respell(random, base64.encode(bytes)),
  bytes: (random) => Buffer.from(mutateBytes(random, bytes)).toString('latin1'),
};
const originals = new Set([
  'Sign in to Latchkey\nNonce: 8f2c1a77',
  `0x${hex}`,
  base58.encode(bytes),
  base64.encode(bytes),
  Buffer.from(bytes).toString('latin1'),
]);

for (const [name, mutate] of Object.entries(mutators)) {
  test(`a mutation of ${name} is never the original, and many differ from each other`, () => {
    const random = seededRandom(`mutations of ${name}`);
    const seen = new Set(Array.from({ length: 2000 }, () => mutate(random)));
    for (const original of originals) assert.ok(!seen.has(original));
    assert.ok(seen.size > (name === 'respelling' ? 100 : 400), `only ${seen.size} of 2000 differ`);
  });

  test(`mutations of ${name} repeat for the same seed`, () => {
    const draw = (seed: string) => {
      const random = seededRandom(seed);
      return Array.from({ length: 50 }, () => mutate(random));
    };
    assert.deepEqual(draw('one'), draw('one'));
    assert.notDeepEqual(draw('one'), draw('two'));
  });
}

test('mutating bytes leaves the given bytes alone', () => {
  const random = seededRandom('no side effect');
  const copy = bytes.slice();
  for (let n = 0; n < 200; n++) mutateBytes(random, copy);
  assert.deepEqual(copy, bytes);
});

test('the folder contains vectors, each with a verifier’s input and the expected result', () => {
  const files = readdirSync(new URL('../../vectors', import.meta.url)).filter((name) => name.endsWith('.json'));
  const vectors = files.flatMap((name) => readVectors(name.replace('.json', '')));
  assert.equal(vectors.length, 357);
  for (const { name, scheme, signature, valid, notes } of vectors) {
    assert.ok(name !== '' && scheme !== '' && signature !== undefined && typeof notes === 'string', name);
    assert.equal(typeof valid, 'boolean', name);
  }
});

test('a verifier that accepts everything is detected, and so is one that refuses a valid proof', async () => {
  const run = {
    seed: 'a careless verifier',
    rounds: 10,
    proofs: [{ message: 'hello', signature: '00ff' }],
    spoils: {
      'signature changed': (random: SeededRandom, proof: { message: string; signature: string }) => ({
        ...proof,
        signature: mutateHex(random, proof.signature),
      }),
    },
  };
  await assert.rejects(refuseMutations({ ...run, verify: async () => ({ kind: 'valid' }) }), /mutation 0 of seed/);
  await assert.rejects(refuseMutations({ ...run, verify: async () => ({ kind: 'invalid' }) }), /hello/);
  const careful = async ({ signature }: { signature: string }) => ({
    kind: signature === '00ff' ? 'valid' : 'invalid',
  });
  assert.match(describeCounts(await refuseMutations({ ...run, verify: careful })), /^10 mutations refused/);
});
