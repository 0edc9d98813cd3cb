import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { mutateBase64, mutateHex, mutateText, respell, type SeededRandom, seededRandom } from '../../vectors/mutate.ts';
import { readVectors } from '../../vectors/read-vectors.ts';
import { type DidTokenExpectation, verifyDidToken } from './did-token.ts';

interface Bearer extends DidTokenExpectation {
  token: string;
}

function readBearers(): Bearer[] {
  return readVectors('magic')
    .filter(({ valid }) => valid)
    .map(({ address, message, signature, context }): Bearer => {
      const audience = context?.aud === undefined ? undefined : String(context.aud);
      return {
        token: String(signature),
        address,
        attachment: message,
        audience,
        now: new Date(Number(context?.now) * 1000),
      };
    });
}

const encode = (parts: unknown, space?: string) => Buffer.from(JSON.stringify(parts, null, space)).toString('base64');

function decode(token: string): { proof: string; claim: string } {
  const [proof, claim] = JSON.parse(Buffer.from(token, 'base64').toString());
  return { proof, claim };
}

/** Changes one value of the claim and keeps the signature of the original. */
function changeClaim(random: SeededRandom, claim: string): string {
  const values: Record<string, unknown> = JSON.parse(claim);
  const name = random.pick(Object.keys(values));
  const value = values[name];
  const other =
    typeof value === 'number' ? random.pick([value + 1, -value, 0, null]) : mutateText(random, String(value));
  return random.pick([
    JSON.stringify({ ...values, [name]: other }),
    JSON.stringify({ ...values, [name]: undefined }),
    JSON.stringify(values, null, 1),
    claim.replace('{', '{"ext":9e99,'),
  ]);
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function emulator(proof: string): string {
  const s = order - BigInt(`0x${proof.slice(66, 130)}`);
  return `${proof.slice(0, 66)}${s.toString(16).padStart(64, '0')}${proof.endsWith('1b') ? '1c' : '1b'}`;
}

const tokenChanges: readonly ((random: SeededRandom, token: string, other: string) => string)[] = [
  (random, token) => mutateBase64(random, token.padEnd(Math.ceil(token.length / 4) * 4, '=')),
  (random, token) => respell(random, token),
  (random, token) => mutateText(random, token),
  (_random, _token, other) => other,
  (_random, token, other) => encode([decode(other).proof, decode(token).claim]),
  (random, token) => encode([mutateHex(random, decode(token).proof), decode(token).claim]),
  (random, token) => encode([respell(random, decode(token).proof), decode(token).claim]),
  (_random, token) => encode([emulator(decode(token).proof), decode(token).claim]),
  (random, token) => encode([decode(token).proof, changeClaim(random, decode(token).claim)]),
  (random, token) => encode([decode(token).proof, mutateText(random, decode(token).claim)]),
  (random, token) => {
    const { proof, claim } = decode(token);
    return encode(
      random.pick([[claim, proof], [proof], [proof, claim, ''], [proof, JSON.parse(claim)], { proof, claim }]),
    );
  },
  (random, token) => encode(Object.values(decode(token)), random.pick([' ', '\t', '\n'])),
];

const changes: readonly ((random: SeededRandom, bearer: Bearer, other: Bearer) => Bearer)[] = [
  ...Array<(random: SeededRandom, bearer: Bearer, other: Bearer) => Bearer>(4).fill((random, bearer, other) => ({
    ...bearer,
    token: random.pick(tokenChanges)(random, bearer.token, other.token),
  })),
  (random, bearer) => ({ ...bearer, attachment: mutateText(random, bearer.attachment) }),
  (random, bearer) => ({ ...bearer, address: mutateHex(random, bearer.address) }),
  (_random, bearer, other) => ({ ...bearer, address: other.address }),
  (random, bearer) => ({ ...bearer, audience: mutateText(random, bearer.audience ?? 'did:magic:') }),
  (random, bearer) => ({ ...bearer, now: new Date(random.pick([0, 1e12, -1e12, Number.NaN])) }),
];

/**
 * Normalizes a token: padding is optional, and the signature may have upper case and 0 and 1 for 27 and 28. Returns undefined for other
 * text.
 */
function plainToken(token: string): string | undefined {
  const unpadded = token.length % 4 === 0 ? token.replace(/={1,2}$/, '') : token;
  try {
    const { proof, claim } = decode(token);
    if (encode([proof, claim]).replace(/=+$/, '') !== unpadded || !/^0x[0-9a-fA-F]{130}$/.test(proof)) return undefined;
    const plainProof = proof.toLowerCase().replace(/0([01])$/, (_all, bit) => (bit === '0' ? '1b' : '1c'));
    return encode([plainProof, claim]);
  } catch {
    return undefined;
  }
}

function isSame(changed: Bearer, bearer: Bearer): boolean {
  return (
    plainToken(changed.token) === plainToken(bearer.token) &&
    changed.address === bearer.address &&
    changed.attachment === bearer.attachment &&
    changed.audience === bearer.audience &&
    changed.now === bearer.now
  );
}

test('no change to a DID token leaves it valid, except accepted encodings', (t) => {
  const bearers = readBearers();
  const sown = seed('magic tokens');
  const random = seededRandom(sown);
  const counts = { sources: bearers.length, refused: 0, sameInOtherLetters: 0 };
  for (const bearer of bearers) assert.equal(verifyDidToken(bearer.token, bearer).kind, 'valid');
  const rounds = volume(150, 10_000);
  while (counts.refused < rounds) {
    const bearer = random.pick(bearers);
    const changed = random.pick(changes)(random, bearer, random.pick(bearers));
    const expected = isSame(changed, bearer) ? 'valid' : 'invalid';
    const failure = `seed ${sown}: ${JSON.stringify({ changed, bearer })}`;
    assert.equal(verifyDidToken(changed.token, changed).kind, expected, failure);
    counts[expected === 'valid' ? 'sameInOtherLetters' : 'refused']++;
  }
  t.diagnostic(JSON.stringify(counts));
});
