import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import { seededRandom } from '../../vectors/mutate.ts';
import { wholeTypedDataHash } from './typed-data.ts';

const typedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'id', type: 'bytes32' },
      { name: 'data', type: 'bytes' },
      { name: 'isRead', type: 'bool' },
      { name: 'text', type: 'string' },
      { name: 'counts', type: 'uint8[]' },
      { name: 'pair', type: 'int16[2]' },
      { name: 'sender', type: 'Person' },
    ],
    Person: [{ name: 'name', type: 'string' }],
  },
  primaryType: 'Mail',
  domain: { name: 'Post', chainId: 1 },
  message: {
    to: `0x${'1'.repeat(40)}`,
    id: `0x${'2'.repeat(64)}`,
    data: '0x12',
    isRead: true,
    text: 'Hello',
    counts: [1, '2'],
    pair: [-1, 1],
    sender: { name: 'Ann' },
  },
};

const values = [null, undefined, 0, -1, 1.5, 1e30, '', 'x', '0x', '0xzz', '9'.repeat(90), true, [], {}, [null], [[]]];
const types = [
  'uint256',
  'uint999',
  'bytes99',
  'int',
  'Person',
  'Person[]',
  'Mail',
  'constructor',
  '__proto__',
  'uint8[2]',
];

test('malformed typed data is refused without throwing', () => {
  const random = seededRandom(seed('typed data'));
  assert.equal(wholeTypedDataHash(typedData)?.length, 32);
  let refused = 0;
  for (let round = 0; round < volume(2_000, 100_000); round++) {
    const changed = structuredClone(typedData);
    const places: [object, string][] = [];
    const collect = (part: object): void => {
      for (const [key, value] of Object.entries(part)) {
        places.push([part, key]);
        if (typeof value === 'object' && value !== null) collect(value);
      }
    };
    collect(changed);
    const [part, key] = random.pick(places);
    Reflect.set(part, key, random.pick<unknown>([...values, ...types]));
    if (wholeTypedDataHash(changed) === undefined) refused += 1;
  }
  assert.ok(refused > volume(2_000, 100_000) / 2);
});
