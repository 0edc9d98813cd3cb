import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnattested } from './verify-registration.ts';

/** Returns a CBOR map of fmt, attStmt and authData, with the statement given in hex. */
function attestationObject(format: string, statement: string): string {
  const fmt = `63666d74${(0x60 + format.length).toString(16)}${Buffer.from(format).toString('hex')}`;
  return Buffer.from(`a3${fmt}6761747453746d74${statement}68617574684461746141ff`, 'hex').toString('base64url');
}

const empty = 'a0';
const withCertificate = 'a1637835638141ff';

test('a passkey may come without an attestation, or with one by its own key', async () => {
  assert.equal(await isUnattested(attestationObject('none', empty)), true);
  assert.equal(await isUnattested(attestationObject('packed', empty)), true);
});

test('attestations whose certificates need an external lookup are refused', async () => {
  assert.equal(await isUnattested(attestationObject('packed', withCertificate)), false);
  for (const format of ['tpm', 'apple', 'fido-u2f', 'android-key', 'other', ''])
    assert.equal(await isUnattested(attestationObject(format, withCertificate)), false, format);
});
