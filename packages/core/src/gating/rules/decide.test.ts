import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTokenIds } from '@latchkey/kernel';
import type { Question } from '../../ports/index.ts';
import { costBound, costOf, questionsOf, readRule, tokenListUrlsOf } from './index.ts';
import { a, b, byAccount, contract, down, erc20, evm, look, now, read } from './testing.ts';

describe('evaluating rules', () => {
  test('amounts are compared exactly, both ends included', async () => {
    const rule = { ...erc20, minToken: '0.3', maxToken: '1' };
    const cases: [string, string][] = [
      ['0.299999999999999999', 'false'],
      ['0.3', 'true'],
      ['1.000', 'true'],
      ['1.000000000000000001', 'false'],
    ];
    for (const [amount, truth] of cases) {
      assert.equal((await look(rule, evm(a), () => read(amount))).truth, truth, amount);
    }
  });

  test('the reason names rule, wallet, chain, block, value and what is needed', async () => {
    const { reason } = await look({ ...erc20, minToken: '5' }, evm(a), () => read('2.50'));
    assert.deepEqual(reason, {
      kind: 'leaf',
      truth: 'false',
      rule: 'ERC20',
      asset: `evm:1/ERC20:${contract}`,
      needed: 'at least 5',
      readings: [{ wallet: a, chain: 'evm:1', block: '100', value: '2.5', truth: 'false' }],
    });
  });

  test('one wallet must have it all, unless wallets are summed', async () => {
    const answer = byAccount({ [a]: '3', [b]: '4' });
    assert.equal((await look({ ...erc20, minToken: '7' }, evm(a, b), answer)).truth, 'false');
    const sum = await look({ ...erc20, minToken: '7', variables: { _sumWallets: true } }, evm(a, b), answer);
    assert.equal(sum.truth, 'true');
    assert.equal('sum' in sum.reason && sum.reason.sum, '7');
  });

  test('a part of a sum that is unknown decides nothing, unless the rest is enough or too much', async () => {
    const sum = (bounds: object, amount: string) =>
      look({ ...erc20, ...bounds, variables: { _sumWallets: true } }, evm(a, b), byAccount({ [a]: amount, [b]: down }));
    assert.equal((await sum({ minToken: '5' }, '4')).truth, 'unknown');
    assert.equal((await sum({ minToken: '5' }, '5')).truth, 'true');
    assert.equal((await sum({ minToken: '5', maxToken: '6' }, '5')).truth, 'unknown');
    assert.equal((await sum({ minToken: '5', maxToken: '6' }, '7')).truth, 'false');
  });

  test('an unknown wallet does not hide one that has enough', async () => {
    assert.equal((await look(erc20, evm(a, b), byAccount({ [a]: down, [b]: '1' }))).truth, 'true');
    assert.equal((await look(erc20, evm(a, b), byAccount({ [a]: down, [b]: '0' }))).truth, 'unknown');
  });

  test('an invalid reading is unknown, not zero', async () => {
    for (const amount of ['', 'many', '-1', '0x10', '1e5']) {
      assert.equal((await look(erc20, evm(a), () => read(amount))).truth, 'unknown', amount);
    }
  });

  test('a member without a wallet on the chain does not qualify, and nothing is read', async () => {
    const decision = await look(erc20, [{ namespace: 'solana', address: 'x' }], () => assert.fail('was asked'));
    assert.equal(decision.truth, 'false');
    assert.match(JSON.stringify(decision.reason), /no evm wallet/);
  });

  test('a contract counts on its own chain only', async () => {
    for (const contractChain of ['1', 'evm:1']) {
      const wallet = { namespace: 'evm', address: a, contractChain };
      assert.equal((await look(erc20, [wallet], () => read('1'))).truth, 'true');
      assert.equal((await look({ ...erc20, chainId: 137 }, [wallet], () => read('1'))).truth, 'false');
    }
  });

  test('tokens that are not named do not count, no matter which reader counted them', async () => {
    const rule = { ...erc20, type: 'ERC721', tokenId: '1-5', minToken: '2' };
    const tokens = ['1', '5', '6'].map((id) => ({ id, amount: '1' }));
    assert.equal((await look(rule, evm(a), () => read('3', tokens))).truth, 'true');
    assert.equal((await look({ ...rule, minToken: '3' }, evm(a), () => read('3', tokens))).truth, 'false');
  });

  test('a token list by URL is read first, and unknown until then', async () => {
    const url = 'https://lists.example/ids.txt';
    const rule = { ...erc20, type: 'ERC721', tokenId: url };
    assert.deepEqual(tokenListUrlsOf(readRule(rule)), [url]);
    assert.equal((await look(rule, evm(a), () => assert.fail('was asked'))).truth, 'unknown');
    const tokenLists = new Map([[url, parseTokenIds('7\n8\n')]]);
    const answer = ({ tokenIds }: Question) => {
      assert.equal(tokenIds, '7,8');
      return read('1', [{ id: '8', amount: '1' }]);
    };
    assert.equal((await look(rule, evm(a), answer, { tokenLists })).truth, 'true');
  });

  test('a past block and a holding period are part of the question', async () => {
    const requests: Question[] = [];
    const answer = (question: Question) => {
      requests.push(question);
      return read('1');
    };
    await look({ ...erc20, variables: { _atBlock: 19000000 } }, evm(a), answer);
    await look({ ...erc20, variables: { _heldForSeconds: 3600 } }, evm(a), answer);
    assert.equal(requests[0]?.atBlock, '19000000');
    assert.equal(requests[1]?.leastSince, '2026-01-15T11:00:00.000Z');
  });

  test('equal questions of a tree are read once', () => {
    const rule = readRule({
      scheme: 'logic',
      variables: { rule: { or: [{ ...erc20, minToken: '1' }, { ...erc20, minToken: '9' }, { not: erc20 }] } },
    });
    assert.equal(questionsOf(rule, evm(a, b), { now }).length, 2);
    assert.equal(costOf(rule, evm(a, b)), 2);
    assert.ok(costBound(rule, evm(a, b)) >= 2);
  });
});
