import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { ruleFacts } from '../../../facts/rule-kinds.ts';
import { checkRules } from './check-rules.ts';
import { composeRule, emptyChoice } from './compose-rule.ts';
import { readByServer } from './read-by-server.ts';

const { kinds, fields } = ruleFacts(describeApi(resources, { serverUrl: 'https://api.example' }));
const address = '0x2222222222222222222222222222222222222222';
const samples: Record<string, string> = {
  contractAddress: 'reference',
  collectionName: 'a-collection',
  tokenSymbol: 'ABC',
  eventId: '7',
  tokenId: '7',
};

function check(rule: unknown) {
  return checkRules(typeof rule === 'string' ? rule : JSON.stringify(rule), fields, readByServer);
}

test('every kind of rule can be filled in so that it matches the schema', () => {
  for (const kind of kinds) {
    const choice = {
      ...emptyChoice,
      chainId: '1',
      name: kind.isEvmAddress ? address : (samples[kind.namedBy[0] ?? ''] ?? ''),
      tokenId: kind.tokenIds === 'none' ? '' : '4,8-10',
      minToken: '0.5',
      maxToken: '10',
      roleId: 'holder',
    };
    const { problems, notes } = checkRules(JSON.stringify(composeRule(kind, choice)), fields, () => ({
      problems: [],
      meaning: undefined,
    }));
    assert.deepEqual([problems, notes], [[], []], kind.name);
  }
});

test('a form becomes the rule it means, without what is empty', () => {
  const [erc721, poap] = ['ERC721', 'POAP'].map((name) => kinds.find((kind) => kind.name === name));
  assert.ok(erc721 && poap);
  assert.deepEqual(composeRule(erc721, { ...emptyChoice, chainId: ' 137 ', name: address, tokenId: '1-5' }), {
    type: 'ERC721',
    chainId: 137,
    contractAddress: address,
    tokenId: '1-5',
  });
  assert.deepEqual(composeRule(poap, { ...emptyChoice, chainId: '1', name: '42', roleId: 'guest' }), {
    type: 'POAP',
    eventId: '42',
    roleId: 'guest',
  });
});

test('a valid rule is described in words, alone, in a list and in a body', () => {
  const rule = { type: 'ERC20', chainId: 1, contractAddress: address, minToken: '100', maxToken: '999.99' };
  for (const value of [rule, [rule], { account: 'x', rules: [rule] }]) {
    assert.deepEqual(check(value), {
      problems: [],
      notes: [],
      meanings: [`The role 001 goes to anyone who holds from 100 to 999.99 of ERC20 ${address} on evm:1.`],
    });
  }
});

test('text that is not JSON, and values of the wrong type, are reported', () => {
  assert.match(check('{ "type": ').problems[0]?.message ?? '', /^This is not JSON: /);
  assert.deepEqual(check('7').problems, [{ path: '', message: 'A rule is an object, in braces.' }]);
  assert.deepEqual(check({ rules: [{ type: 'ERC20', chainId: '1', minToken: true, tokenId: 5, colour: 'red' }] }), {
    problems: [
      { path: '/rules/0/chainId', message: 'This is a number: write it without quotation marks.' },
      { path: '/rules/0/minToken', message: 'This is a text or a number.' },
      { path: '/rules/0/tokenId', message: 'This is a text: write "5" with quotation marks.' },
    ],
    notes: [{ path: '/rules/0/colour', message: 'Rules have no such field; the server drops it.' }],
    meanings: [],
  });
});

test('what only the server can check is reported in its own words, field by field', () => {
  const { problems } = check([{ type: 'ERC1155', chainId: 1, contractAddress: '0x1' }, { type: 'NOPE' }]);
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['/rules/0/tokenId', '/rules/0/contractAddress', '/rules/1/type'],
  );
  assert.match(problems.at(-1)?.message ?? '', /"NOPE" is unknown\. Supported: ERC20, /);
  assert.deepEqual(
    check({ type: 'ERC721', chainId: 1, contractAddress: address, query: '$count(' }).problems.map(({ path }) => path),
    ['/query'],
  );
});
