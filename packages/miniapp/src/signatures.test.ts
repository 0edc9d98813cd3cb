import assert from 'node:assert/strict';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { keccak256 as viemKeccak } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { readBase58, writeHex } from './bytes.ts';
import { isSignedCall } from './index.ts';
import { keccak256, readKeys } from './mini-app.ts';

/** Deterministic bytes for a name. */
const bytesOf = (name: string, length: number): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1)
    parts.push(
      createHash('sha256')
        .update(`${seed(name)} ${at}`)
        .digest(),
    );
  return Buffer.concat(parts).subarray(0, length);
};

const seedBytes = bytesOf('mini-app key', 32);
const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seedBytes]);
const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
const ed25519 = Buffer.from(x, 'base64url').toString('hex');
const wallet = privateKeyToAccount(`0x${bytesOf('mini-app wallet', 32).toString('hex')}`);
const keys = { ed25519, ecdsa: wallet.publicKey };

const body = Buffer.from('{"content":"Grüße 🎉"}');
const headersOf = async (at: number, { text = body, kinds = ['ed25519', 'ecdsa'] } = {}) => {
  const signed = Buffer.concat([Buffer.from(String(at)), text]);
  return new Headers({
    'x-signature-timestamp': String(at),
    ...(kinds.includes('ed25519') && { 'x-signature-ed25519': sign(null, signed, privateKey).toString('hex') }),
    ...(kinds.includes('ecdsa') && { 'x-signature-ecdsa': await wallet.signMessage({ message: { raw: signed } }) }),
  });
};

test('keccak agrees with viem at every length around its blocks', () => {
  for (const length of [0, 1, 31, 32, 135, 136, 137, 271, 272, 273, 1000])
    assert.equal(
      `0x${writeHex(keccak256(bytesOf('keccak', length)))}`,
      viemKeccak(bytesOf('keccak', length)),
      `${length}`,
    );
});

test('messages that wallets sign are recognized, and changed ones are not', async () => {
  for (let round = 0; round < volume(6, 200); round += 1) {
    const signer = privateKeyToAccount(`0x${bytesOf(`wallet ${round}`, 32).toString('hex')}`);
    const text = bytesOf(`text ${round}`, round * 7);
    const at = Date.now();
    const signature = await signer.signMessage({ message: { raw: Buffer.concat([Buffer.from(String(at)), text]) } });
    const headers = new Headers({ 'x-signature-timestamp': String(at), 'x-signature-ecdsa': signature });
    const trusted = { ecdsa: signer.publicKey };
    assert.equal(await isSignedCall(headers, text, trusted), true, `round ${round}`);
    assert.equal(await isSignedCall(headers, Buffer.concat([text, Buffer.from(' ')]), trusted), false);
    assert.equal(await isSignedCall(headers, text, { ecdsa: wallet.publicKey }), false);
  }
});

test('either signature is enough, and if there are two, both must be valid', async () => {
  const at = Date.now();
  for (const kinds of [['ed25519'], ['ecdsa'], ['ed25519', 'ecdsa']])
    assert.equal(await isSignedCall(await headersOf(at, { kinds }), body, keys), true, kinds.join());
  for (const kind of ['ed25519', 'ecdsa']) {
    const headers = await headersOf(at);
    const forged = await headersOf(at, { text: Buffer.from('other') });
    headers.set(`x-signature-${kind}`, forged.get(`x-signature-${kind}`) ?? '');
    assert.equal(await isSignedCall(headers, body, keys), false, `the wrong one is ${kind}`);
  }
});

test('a signature without a matching key neither counts nor harms', async () => {
  const both = await headersOf(Date.now());
  assert.equal(await isSignedCall(both, body, { ed25519 }), true);
  assert.equal(await isSignedCall(both, body, { ecdsa: keys.ecdsa }), true);
  assert.equal(await isSignedCall(await headersOf(Date.now(), { kinds: ['ecdsa'] }), body, { ed25519 }), false);
});

test('garbage instead of a signature is refused without throwing', async () => {
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  const garbage = [
    '',
    '0x',
    'zz',
    '00'.repeat(64),
    '00'.repeat(65),
    'ff'.repeat(65),
    `${order}${order}1b`,
    'a'.repeat(9_000),
  ];
  for (const name of ['x-signature-ed25519', 'x-signature-ecdsa'])
    for (const signature of garbage) {
      const headers = new Headers({ 'x-signature-timestamp': String(Date.now()), [name]: signature });
      assert.equal(await isSignedCall(headers, body, keys), false, `${name} ${signature.slice(0, 9)}`);
    }
});

test('keys are accepted in the published formats, and nothing else is', () => {
  assert.deepEqual(readKeys({ ed25519: `ed25519:0x${ed25519}` }), readKeys({ ed25519 }));
  for (const [text, hex] of [
    ['', ''],
    ['2g', '61'],
    ['a3gV', '626262'],
    ['1112', '00000001'],
  ])
    assert.equal(writeHex(readBase58(text ?? '') ?? new Uint8Array()), hex);
  assert.deepEqual(readKeys({ ed25519: '1'.repeat(32) }), { ed25519: new Uint8Array(32) });
  for (const wrong of [
    {},
    { ed25519: '' },
    { ed25519: 'ab' },
    { ed25519: 'x'.repeat(64) },
    { ecdsa: `0x${'04'.repeat(65)}` },
    { ecdsa: wallet.publicKey.replace('0x04', '0x02') },
    { ecdsa: 'nonsense' },
  ])
    assert.throws(() => readKeys(wrong), TypeError);
});
