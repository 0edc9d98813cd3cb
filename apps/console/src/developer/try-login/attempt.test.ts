import assert from 'node:assert/strict';
import { test } from 'node:test';
import { challengeOf, claimsOf } from './attempt.ts';

test('the challenge is the one of RFC 7636, appendix B', async () => {
  assert.equal(
    await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'),
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

test('the claims of an ID token are read, and anything else is refused', () => {
  const token = `e30.${Buffer.from(JSON.stringify({ sub: 'ü?' })).toString('base64url')}.x`;
  assert.deepEqual(claimsOf(token), { sub: 'ü?' });
  assert.equal(claimsOf('nothing'), undefined);
});
