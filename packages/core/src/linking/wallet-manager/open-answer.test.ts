import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAnswer, readBytes } from './read-claim.ts';

const bytes = Uint8Array.of(1, 2, 250);

test('bytes are returned in their chain’s encoding, however JSON represents them', () => {
  const written: [namespace: string, text: string][] = [
    ['evm', '0x0102fa'],
    ['polkadot', '0x0102fa'],
    ['near', 'AQL6'],
    ['ton', 'AQL6'],
    ['bitcoin', 'AQL6'],
    ['solana', '0102fa'],
    ['xrpl', '0102fa'],
  ];
  const shapes = [
    JSON.stringify([...bytes]),
    JSON.stringify(bytes),
    JSON.stringify(Buffer.from(bytes)),
    '1,2,250',
    JSON.stringify({ signature: bytes }),
    JSON.stringify({ result: { signature: [...bytes] } }),
  ];
  for (const [namespace, text] of written)
    for (const shape of shapes) assert.equal(openAnswer(namespace, shape).signature, text, `${namespace} ${shape}`);
});

test('numbers outside the byte range are not bytes', () => {
  for (const value of [[], {}, [256], [-1], [1.5], ['1'], { 1: 1 }, { 0: 1, 2: 2 }, { data: 'AQ' }, null, 'text'])
    assert.equal(readBytes(value), undefined, JSON.stringify(value));
});

test('a Xaman response is the blob of its sign-in, without a key that would make it a plain signature', () => {
  const { signature, publicKey } = openAnswer('xrpl', JSON.stringify({ response: { hex: 'AB12', account: 'rX' } }));
  assert.deepEqual([signature, publicKey], ['AB12', undefined]);
});

test('a response without a signature is passed on unchanged, to be refused', () => {
  for (const sent of ['{', '{}', '{"data":{"data":{"data":{"data":{"data":{"signature":"x"}}}}}}', '{"proof":7}'])
    assert.equal(openAnswer('ton', sent).signature, sent, sent);
  assert.equal(openAnswer('evm', undefined).signature, undefined);
  assert.deepEqual(openAnswer('flow', '[{"addr":"0x1"}]').signature, [{ addr: '0x1' }]);
});

test('a key of another curve than Ed25519 is not taken for one', () => {
  const key = (keyType: number) =>
    openAnswer('near', JSON.stringify({ signature: 'x', publicKey: { keyType, data: [1, 2] } }));
  assert.equal(key(0).publicKey, 'ed25519:0102');
  assert.equal(key(1).publicKey, undefined);
});
