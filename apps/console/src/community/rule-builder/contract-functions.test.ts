import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputsOf, NotAnAbi, readFunctions, startArguments } from './contract-functions.ts';

const view = { type: 'function', stateMutability: 'view' };
const abi = [
  {
    ...view,
    name: 'sharesBalance',
    inputs: [
      { type: 'address', name: 'subject' },
      { type: 'address', name: 'holder' },
    ],
    outputs: [{ type: 'uint256' }],
  },
  { ...view, name: 'isMember', inputs: [{ type: 'address', name: '' }], outputs: [{ type: 'bool' }] },
  { ...view, name: 'debt', inputs: [], outputs: [{ type: 'int256' }] },
  { ...view, name: 'name', inputs: [], outputs: [{ type: 'string' }] },
  { ...view, name: 'many', inputs: [{ type: 'address[]' }], outputs: [{ type: 'uint256' }] },
  { type: 'function', stateMutability: 'nonpayable', name: 'move', inputs: [], outputs: [{ type: 'uint256' }] },
  { type: 'event', name: 'Moved' },
];

test('functions that can be compared are listed by their signature, also out of a build file', () => {
  for (const text of [JSON.stringify(abi), JSON.stringify({ contractName: 'Shares', abi })]) {
    const { functions, left } = readFunctions(text);
    assert.deepEqual(
      functions.map(({ signature, isYesNo }) => [signature, isYesNo]),
      [
        ['isMember(address)', true],
        ['sharesBalance(address,address)', false],
      ],
    );
    assert.equal(left, 3);
  }
});

test('text that is no ABI is refused in words', () => {
  for (const text of ['', '[', '{}', '"abi"', 'null']) assert.throws(() => readFunctions(text), NotAnAbi, text);
  assert.deepEqual(readFunctions('[null, 1, {"type":"function","stateMutability":"view"}]').functions, []);
});

test('a function without an ABI still has inputs, of which the first address is the member’s', () => {
  assert.deepEqual(
    inputsOf('shares(address, uint256)')?.map(({ type }) => type),
    ['address', 'uint256'],
  );
  assert.deepEqual(
    inputsOf('balanceOf')?.map(({ type }) => type),
    ['address'],
  );
  assert.deepEqual(inputsOf('total()'), []);
  assert.equal(inputsOf('not a function('), undefined);
  assert.deepEqual(startArguments(inputsOf('f(uint256,address,address,bool)') ?? []), ['', '$account', '', 'true']);
});
