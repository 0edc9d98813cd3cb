import assert from 'node:assert/strict';
import { ECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { verifyAssertion } from './accept-assertion.ts';

interface Vector {
  name: string;
  publicKey: string;
  message: string;
  signature: string;
  context: {
    clientDataJSON: string;
    authenticatorData: string;
    rpId: string;
    origin: string;
    requireUV: boolean;
    alg: number;
  };
  valid: boolean;
}

const file = new URL('../../../../chains/vectors/webauthn.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
const id = Buffer.from('vector').toString('base64url');
const encode = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/**
 * The vectors have bare keys; authenticators send COSE keys (RFC 9053): a CBOR map of type, algorithm, curve and point.
 */
function coseKey({ publicKey, context }: Vector): Buffer {
  if (context.alg === -8) return Buffer.from(`a4010103272006215820${publicKey}`, 'hex');
  const point = ECDH.convertKey(publicKey, 'prime256v1', 'hex', 'hex', 'uncompressed').toString();
  return Buffer.from(`a5010203262001215820${point.slice(2, 66)}225820${point.slice(66)}`, 'hex');
}

/** The vectors have ECDSA signatures as two numbers; authenticators send them in DER. */
function signatureOf({ signature, context }: Vector): Buffer {
  const bytes = Buffer.from(signature, 'hex');
  if (context.alg !== -7 || bytes.length !== 64) return bytes;
  const numbers = [bytes.subarray(0, 32), bytes.subarray(32)].map((number) => {
    const short = number.subarray(number.findIndex((byte) => byte !== 0));
    const value = (short[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.of(0), short]) : short;
    return Buffer.concat([Buffer.of(2, value.length), value]);
  });
  const content = Buffer.concat(numbers);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

function verify(vector: Vector) {
  const { context, message } = vector;
  return verifyAssertion(
    {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: encode(context.clientDataJSON),
        authenticatorData: encode(Buffer.from(context.authenticatorData, 'hex')),
        signature: encode(signatureOf(vector)),
      },
    },
    { credential_id: id, public_key: coseKey(vector) },
    {
      challenge: encode(Buffer.from(message, 'hex')),
      origin: context.origin,
      rpId: context.rpId,
      mustVerifyUser: context.requireUV,
    },
  );
}

describe('published passkey signatures', () => {
  for (const vector of vectors) {
    test(`${vector.name} is ${vector.valid ? 'accepted' : 'refused'}`, async () => {
      const use = await verify(vector);
      assert.deepEqual(
        use,
        vector.valid ? { counter: 0, deviceType: 'multiDevice', isBackedUp: true, isUserVerified: true } : undefined,
      );
    });
  }

  test('there are valid and invalid ones of each algorithm', () => {
    const kinds = new Set(vectors.map(({ context, valid }) => `${context.alg} ${valid}`));
    assert.deepEqual([...kinds].sort(), ['-7 false', '-7 true', '-8 false', '-8 true']);
  });

  test('a valid one is refused when any signed bit or any bit of the signature is flipped', async () => {
    for (const vector of vectors.filter(({ valid }) => valid)) {
      for (const part of ['authenticatorData', 'signature'] as const) {
        const hex = part === 'signature' ? vector.signature : vector.context.authenticatorData;
        for (let bit = 0; bit < hex.length * 4; bit += 5) {
          const bytes = Buffer.from(hex, 'hex');
          bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
          const flipped = bytes.toString('hex');
          const changed =
            part === 'signature'
              ? { ...vector, signature: flipped }
              : { ...vector, context: { ...vector.context, authenticatorData: flipped } };
          assert.equal(await verify(changed), undefined, `${vector.name}: bit ${bit} of ${part}`);
        }
      }
    }
  });
});
