import assert from 'node:assert/strict';
import { test } from 'node:test';
import { URI } from 'otpauth';
import { burnStep, enrolmentUri, findStep, stepAt } from './enrolment.ts';

const rfcSecret = Buffer.from('12345678901234567890');

// RFC 6238, appendix B, SHA1. Its codes have eight digits; a six-digit code is the end of one.
const rfcVectors = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const;

const at = (seconds: number) => new Date(seconds * 1000);

test('the codes are those of RFC 6238', () => {
  for (const [seconds, eightDigits] of rfcVectors) {
    assert.equal(findStep(rfcSecret, eightDigits.slice(-6), at(seconds)), Math.floor(seconds / 30));
    assert.equal(findStep(rfcSecret, eightDigits, at(seconds)), undefined);
  }
});

test('a code is valid for two steps before and after its own, and no further', () => {
  const [seconds, eightDigits] = rfcVectors[3];
  const code = eightDigits.slice(-6);
  for (let steps = -4; steps <= 4; steps++) {
    const expected = Math.abs(steps) <= 2 ? Math.floor(seconds / 30) : undefined;
    assert.equal(findStep(rfcSecret, code, at(seconds + steps * 30)), expected, `${steps} steps off`);
  }
});

test('malformed codes match nothing', () => {
  for (const code of [
    '',
    ' 287082',
    '28708',
    '2870820',
    '28708a',
    '２８７０８２',
    '-87082',
    '\u0000\u0000\u0000\u0000\u0000\u0000',
  ]) {
    assert.equal(findStep(rfcSecret, code, at(59)), undefined, code);
  }
});

test('used steps are forgotten once their code can no longer be sent', () => {
  const now = at(30 * 100);
  assert.equal(stepAt(now), 100);
  assert.deepEqual(burnStep([90, 97, 98, 99, 102], 101, now), [98, 99, 102, 101]);
});

test('an authenticator app finds issuer, account and secret in the address', () => {
  const uri = enrolmentUri('Latch & Key', 'DIS#USER#1:ü', rfcSecret);
  assert.equal(
    uri,
    'otpauth://totp/Latch%20%26%20Key:DIS%23USER%231%3A%C3%BC?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Latch%20%26%20Key&algorithm=SHA1&digits=6&period=30',
  );
  const parsed = URI.parse(uri);
  assert.equal(parsed.issuer, 'Latch & Key');
  assert.equal(parsed.label, 'DIS#USER#1:ü');
  assert.deepEqual(Buffer.from(parsed.secret.bytes), rfcSecret);
});

test('a name of any length and any characters still results in an address', () => {
  const uri = enrolmentUri('Latchkey', `${'🔑'.repeat(500)}\ud800`, rfcSecret);
  assert.ok(uri.length < 1200);
  assert.equal(URI.parse(enrolmentUri('Latchkey', 'a\ud800', rfcSecret)).label, 'a\ufffd');
});
