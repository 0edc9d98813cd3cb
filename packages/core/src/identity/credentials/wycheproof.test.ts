import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compactDecrypt, compactVerify, importJWK, type JWK } from 'jose';
import { isCompact } from './compact-token.ts';

type Key = JWK & { keys?: JWK[] };

interface Case {
  tcId: number;
  comment: string;
  jws?: unknown;
  jwe?: unknown;
  key?: string;
  msg?: string;
  tag?: string;
  result: 'valid' | 'invalid';
}

interface Suite {
  numberOfTests: number;
  testGroups: { private?: Key; public?: Key; tagSize?: number; tests: Case[] }[];
}

const readSuite = (name: string): Suite =>
  JSON.parse(readFileSync(new URL(`../../../../chains/vectors/wycheproof/${name}_test.json`, import.meta.url), 'utf8'));

/** Cases that are refused here though they may be accepted, and why. */
const stricter: Readonly<Record<string, string>> = {
  'json_web_signature 346': 'the key is for PS256 and the token says PS384',
  'json_web_signature 350': 'the key is for PS256 and the token says PS384',
  'json_web_signature 347': 'the key says ES521, which is no algorithm',
  'json_web_signature 351': 'the key says ES521, which is no algorithm',
  'json_web_signature 372': 'a letter outside of base64url',
  'json_web_signature 373': 'a letter outside of base64url',
  ...Object.fromEntries(
    [100, 101, 102, 103, 104, 105, 112, 128].map((id) => [`json_web_encryption ${id}`, 'RSA1_5 is not supported']),
  ),
};
const weakKey = 'a weak RSA key, to be refused where it comes from: here no RSA key is taken at all';
const sameText = 'the text is, letter for letter, that of case 357, which is valid';
/** Cases that are accepted though the data says that they should not be. */
const laxer: Readonly<Record<string, string>> = {
  'json_web_crypto 46': weakKey,
  'json_web_key 7': weakKey,
  'json_web_signature 367': sameText,
  'json_web_signature 370': sameText,
};

/** A secret that is shorter than its hash, or an unusual exponent. */
function isWeak({ kty, alg = '', k = '', e }: JWK): boolean {
  const hashBits = Number(/^HS(\d+)$/.exec(alg)?.[1] ?? 0);
  return kty === 'RSA' ? e !== 'AQAB' : Buffer.from(k, 'base64url').length * 8 < hashBits;
}

/** Finds the one key that a token names, for the algorithm and use that the key is for. */
async function findKey(given: Key, header: { kid?: string; alg?: string; enc?: string }, use: 'sig' | 'enc') {
  const kinds = new Set(given.keys?.map(({ kty }) => (kty === 'oct' ? 'secret' : 'public')));
  const [jwk = given, ...others] = given.keys?.filter(({ kid }) => kid === header.kid) ?? [];
  if (kinds.size > 1 || others.length > 0 || (jwk.use ?? use) !== use) throw new Error('This key is not for that.');
  if (isWeak(jwk)) throw new Error('This key can be guessed.');
  const isDirect = header.alg === 'dir' && jwk.alg === header.enc;
  const alg = isDirect ? 'dir' : (jwk.alg ?? header.alg ?? '');
  return { key: await importJWK(jwk, alg), alg };
}

/** Verifies like the credentials do: only the strict compact form, with the key's algorithm instead of the token's. */
async function isTaken(token: unknown, given: Key, parts: 3 | 5): Promise<boolean> {
  if (typeof token !== 'string' || !isCompact(token, parts)) return false;
  try {
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const { key, alg } = await findKey(given, header, parts === 3 ? 'sig' : 'enc');
    await (parts === 3
      ? compactVerify(token, key, { algorithms: [alg] })
      : compactDecrypt(token, key, { keyManagementAlgorithms: [alg] }));
    return true;
  } catch {
    return false;
  }
}

for (const name of ['json_web_signature', 'json_web_crypto', 'json_web_key', 'json_web_encryption'])
  test(`token results match Wycheproof: ${name}`, async (t) => {
    const suite = readSuite(name);
    const counts = { valid: 0, invalid: 0, stricter: 0, laxer: 0 };
    for (const group of suite.testGroups)
      for (const { tcId, comment, jws, jwe, result } of group.tests) {
        const key = (jws === undefined ? group.private : (group.public ?? group.private)) ?? {};
        const taken = await isTaken(jws ?? jwe, key, jws === undefined ? 5 : 3);
        const id = `${name} ${tcId}`;
        const exception = id in stricter ? 'stricter' : id in laxer ? 'laxer' : undefined;
        assert.equal(taken, (result === 'valid') !== (exception !== undefined), `${id} ${comment}`);
        counts[exception ?? result] += 1;
      }
    t.diagnostic(`${suite.numberOfTests} cases: ${JSON.stringify(counts)}`);
    assert.equal(counts.valid + counts.invalid + counts.stricter + counts.laxer, suite.numberOfTests);
  });

test('HMAC-SHA256, which signs webhooks, matches Wycheproof', (t) => {
  const suite = readSuite('hmac_sha256');
  let cases = 0;
  for (const { tagSize = 256, tests } of suite.testGroups)
    for (const { tcId, key = '', msg = '', tag, result } of tests) {
      const mac = createHmac('sha256', Buffer.from(key, 'hex')).update(Buffer.from(msg, 'hex')).digest();
      assert.equal(mac.subarray(0, tagSize / 8).toString('hex') === tag, result === 'valid', String(tcId));
      cases += 1;
    }
  t.diagnostic(`${cases} cases`);
  assert.equal(cases, suite.numberOfTests);
});
