import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { addressOfPoint, toChecksumAddress } from './checksum-address.ts';
import { evmSignatures, personalSignHash } from './personal-sign.ts';
import vectors from './personal-sign.vectors.json' with { type: 'json' };

for (const { name, address, message, signature, valid } of vectors) {
  test(`a published signature is verified as its publisher states: ${name}`, () => {
    const signer = evmSignatures.recoverPersonalSign(message, signature);
    assert.equal(signer !== undefined && signer.toLowerCase() === address.toLowerCase(), valid);
  });
}

test('a signature made with a key recovers the checksummed address of that key', () => {
  for (let n = 1; n <= 16; n++) {
    const key = hexToBytes(n.toString(16).padStart(64, '0'));
    const text = `request ${n} with ünïcödé`;
    const [recovery = 0, ...rs] = secp256k1.sign(personalSignHash(text), key, { prehash: false, format: 'recovered' });
    const address = addressOfPoint(secp256k1.getPublicKey(key, false));
    for (const v of [recovery, recovery + 27]) {
      const signature = `0x${bytesToHex(Uint8Array.from([...rs, v]))}`;
      assert.equal(evmSignatures.recoverPersonalSign(text, signature), address);
    }
  }
});

test('anything that is not a signature is refused without throwing', () => {
  const good = vectors[0]?.signature ?? '';
  const spoilt = [
    '',
    '0x',
    good.slice(2),
    ` ${good}`,
    `${good} `,
    good.replace('a', 'g'),
    '\u0000',
    `0X${good.slice(2)}`,
  ];
  for (const signature of spoilt) assert.equal(evmSignatures.recoverPersonalSign('hello world', signature), undefined);
});

test('addresses are written with the EIP-55 checksum', () => {
  const published = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ];
  for (const address of published) assert.equal(toChecksumAddress(hexToBytes(address.slice(2))), address);
});
