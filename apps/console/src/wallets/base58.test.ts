import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import { encodeBase58 } from './base58.ts';

test('bytes are written as another library writes them', () => {
  const samples = [[], [0], [0, 0, 1], [255], Array.from({ length: 64 }, (_, index) => (index * 37) % 256)];
  for (const sample of samples) {
    const bytes = Uint8Array.from(sample);
    assert.equal(encodeBase58(bytes), base58.encode(bytes));
  }
});
