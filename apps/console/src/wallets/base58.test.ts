import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase58 } from './base58.ts';

test('bytes are encoded as in the Base58 draft, including leading zeros', () => {
  // The test vectors of draft-msporny-base58-03.
  const vectors: [bytes: Uint8Array, text: string][] = [
    [Buffer.from('Hello World!'), '2NEpo7TZRRrLZSi2U'],
    [
      Buffer.from('The quick brown fox jumps over the lazy dog.'),
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
    ],
    [Buffer.from('0000287fb4cd', 'hex'), '11233QC4'],
    [new Uint8Array(), ''],
    [Uint8Array.of(0), '1'],
  ];
  for (const [bytes, text] of vectors) assert.equal(encodeBase58(bytes), text);
});
