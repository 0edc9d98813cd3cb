import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeTypedData } from './approval.ts';
import type { TypedData } from './typed-data.ts';

const spender = '0x1111111111111111111111111111111111111111';
const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const domain = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: token };
const typed = (primaryType: string, message: TypedData['message'], own: TypedData['domain'] = domain) =>
  describeTypedData({ types: {}, primaryType, domain: own, message });
const maxUint = (bits: bigint) => (2n ** bits - 1n).toString();

describe('describing typed data', () => {
  test('the domain and every field are each on a separate line', () => {
    const { summary, warnings } = typed('Mail', {
      from: { name: 'Ann', wallets: [spender] },
      tags: [],
      urgent: true,
      deadline: 1_900_000_000,
    });
    assert.deepEqual(summary, [
      'For: USD Coin',
      'Version: 2',
      'Chain: 1',
      `Contract: ${token}`,
      'Type: Mail',
      'from.name: Ann',
      `from.wallets[0]: ${spender}`,
      'tags: none',
      'urgent: true',
      'deadline: 1900000000 (2030-03-17T17:46:40.000Z)',
    ]);
    assert.deepEqual(warnings, []);
  });

  test('permits name the spender, the amount and the token', () => {
    const permit = (value: unknown) => typed('Permit', { owner: token, spender, value }).warnings[0];
    assert.equal(permit('5'), `This lets ${spender} spend 5 units of the token ${token} on chain 1.`);
    for (const value of [maxUint(256n), `0x${'f'.repeat(64)}`, 1.157920892373162e77])
      assert.match(permit(value) ?? '', /spend an unlimited amount/);
    assert.match(typed('Permit', { holder: token, spender, allowed: true }).warnings[0] ?? '', /unlimited amount/);
    assert.deepEqual(typed('Permit', { holder: token, spender, allowed: false }).warnings, []);
    assert.match(typed('Permit', { spender, tokenId: '7' }).warnings[0] ?? '', /take token 7/);
  });

  test('Permit2 permits, single and batch, are shown with their tokens', () => {
    const details = { token, amount: maxUint(160n) };
    for (const [type, message] of [
      ['PermitSingle', { details, spender }],
      ['PermitBatch', { details: [details], spender }],
      ['PermitTransferFrom', { permitted: details, spender }],
      ['PermitBatchWitnessTransferFrom', { permitted: [details], spender }],
    ] as const)
      assert.equal(
        typed(type, message).warnings[0],
        `This lets ${spender} spend an unlimited amount of the token ${token} (Permit2).`,
      );
  });

  test('transfers, orders and calls are named', () => {
    const to = spender;
    assert.match(
      typed('TransferWithAuthorization', { to, value: '5' }).warnings[0] ?? '',
      /sends 5 units of the token/,
    );
    for (const type of ['OrderComponents', 'BulkOrder', 'Order'])
      assert.match(typed(type, {}).warnings[0] ?? '', /marketplace order/);
    const { warnings } = typed('MetaTransaction', { functionSignature: `0xA22CB465${'0'.repeat(128)}` });
    assert.match(warnings.join('\n'), /transaction in another form.*\n.*setApprovalForAll/);
    assert.deepEqual(typed('Unknown', { inner: [{ amount: maxUint(256n) }] }).warnings, ['amount is unlimited.']);
  });

  test('oversized or disruptive text is truncated or replaced, and marked', () => {
    const { summary } = typed('Mail', { text: `a\u202eb\u0007\n${'x'.repeat(1000)}`, many: Array(500).fill(1) });
    assert.match(summary[5] ?? '', /^text: a�b��x+ … \(1011 letters\)$/);
    assert.equal(summary.at(-1), '… and 401 more fields, which are signed too');
    let deep: Record<string, unknown> = { amount: '1' };
    for (let depth = 0; depth < 5000; depth += 1) deep = { a: deep };
    assert.match(typed('Deep', deep).summary.join(), /too deeply nested to show/);
  });
});
