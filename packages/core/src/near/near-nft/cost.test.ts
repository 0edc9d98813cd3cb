import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { KeyPair } from 'near-api-js';
import type { Near, NearSending } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, operator } from '../../testing/index.ts';
import { mintToken } from './change-contract.ts';
import { createMarketContract, createTokenContract } from './create-contract.ts';
import { coinOf, costOf } from './send-once.ts';
import { type NearPlatform, nearPlatform, oneNear, serverAccount } from './testing.ts';
import { registerUser } from './user-operations.ts';

describe('what the server’s account pays for others', () => {
  let n: NearPlatform;
  let people = 0;
  before(async () => {
    n = await nearPlatform('near-cost');
  });
  after(() => n.close());

  /** A platform with this budget, on a chain with these methods replaced. */
  const paying = (actor: Actor, budget?: { total: bigint; perCaller: bigint }, more: Partial<Near> = {}) => {
    const { spending: _, ...settings } = n.services.settings;
    const spending = budget && { spenders: ['people'], budgets: { [coinOf(n.near)]: budget } };
    return contextFor(
      { ...n.services, near: { ...n.near, ...more }, settings: { ...settings, ...(spending && { spending }) } },
      actor,
    );
  };
  const stranger = (): Actor => {
    people += 1;
    return {
      kind: 'user',
      userId: `EVM#USER#0x${people}`,
      platform: 'evm',
      scopes: ['$all'],
      credential: 'wallet-session',
    };
  };
  const newKey = () => KeyPair.fromRandom('ed25519').getPublicKey().toString();
  const notes = async () => {
    const { system } = n.services.db;
    const tables = ['near_contracts', 'near_accounts', 'near_transactions', 'spendings'] as const;
    const counts = await Promise.all(
      tables.map((table) =>
        system
          .selectFrom(table)
          .select((e) => e.fn.countAll<string>().as('rows'))
          .execute(),
      ),
    );
    return counts.map(([count]) => Number(count?.rows));
  };
  const clear = () => n.services.db.system.deleteFrom('spendings').execute();

  it('is nothing until the operator enables it, and a refusal leaves no trace', async () => {
    const [before, wealth] = [await notes(), n.chain.balanceOf(serverAccount)];
    const refused = { code: 'ROLE_NOT_ALLOWED', message: /LATCHKEY_NEAR_SPEND_PER_DAY/ };
    for (const send of [
      () => createTokenContract(paying(stranger()), { body: { name: 'A', contractId: 'off' } }),
      () => createMarketContract(paying(stranger()), { body: { contractId: 'off' } }),
      () => registerUser(paying(stranger()), { body: { publicKey: newKey() } }),
    ]) {
      await assert.rejects(send(), refused);
    }
    assert.deepEqual(await notes(), before);
    assert.equal(n.chain.balanceOf(serverAccount), wealth);
    await createTokenContract(paying(operator), { body: { name: 'A', contractId: 'operators' } });
  });

  it('ends with the budget, however many users request it', async () => {
    await clear();
    const budget = { total: 5n * oneNear, perCaller: 3n * oneNear };
    const make = (actor: Actor, contractId: string) =>
      createTokenContract(paying(actor, budget), { body: { name: 'A', contractId } });
    const first = stranger();
    await make(first, 'one');
    await assert.rejects(make(first, 'two'), { code: 'RATE_LIMITED', message: /for each caller/ });
    await make(stranger(), 'two');
    const before = await notes();
    await assert.rejects(make(stranger(), 'three'), { code: 'RATE_LIMITED', message: /for all callers/ });
    assert.deepEqual(await notes(), before, 'a refused request leaves no record');
    assert.equal((await make(first, 'one')).tokenAddress, `one.${serverAccount}`, 'what was created is returned again');
    // Almost one of 5 NEAR is left: enough for nine user accounts.
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, () => registerUser(paying(stranger(), budget), { body: { publicKey: newKey() } })),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 9);
  });

  it('counts what minting costs, and is exact', async () => {
    await clear();
    await createTokenContract(n.as(alice), { body: { name: 'Art', contractId: 'art' } });
    await mintToken(n.as(alice), { address: `art.${serverAccount}`, body: { id: '1' } });
    const rows = await n.services.db.system.selectFrom('spendings').select('amount').orderBy('amount').execute();
    const call = { kind: 'call', method: 'nft_mint', args: {}, teraGas: 30, yocto: '10000000000000000000000' } as const;
    assert.equal(String(rows[0]?.amount), String(costOf([call])));
    assert.equal(costOf([call]), 14n * 10n ** 21n);
  });

  it('is refunded when the chain refuses, and held while the outcome is unknown', async () => {
    await clear();
    const budget = { total: 3n * oneNear, perCaller: 3n * oneNear };
    const make = (outcome: NearSending) =>
      createTokenContract(paying(stranger(), budget, { send: async () => outcome }), { body: { name: 'A' } });
    const refused = { kind: 'refused', reason: 'NotEnoughBalance', isOutdated: false } as const;
    for (let turn = 0; turn < 3; turn += 1) await assert.rejects(make(refused), { code: 'STATE_CONFLICT' });
    await assert.rejects(make({ kind: 'unknown', reason: 'Timeout' }), { code: 'UNAVAILABLE' });
    await assert.rejects(make(refused), { code: 'RATE_LIMITED' });
  });
});
