import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { readWalletClaims } from './find-maker.ts';

describe('wallet claims in tokens', () => {
  const address = `0x${'a'.repeat(40)}`;
  const userId = `ETH#USER#${address}`;
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('wallet-claims');
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: 'own',
        user_id: userId,
        platform: 'ethereum',
        user_name: null,
        namespace: 'evm',
        address,
        linked_chain: '31337',
        created_at: t.services.clock(),
      })
      .execute();
  });
  after(() => t.close());

  const main = { address: { formatted: address }, chain: 'evm:31337' };

  test('is the chain that the wallet signed in on, for every scope that includes it', async () => {
    assert.deepEqual(await readWalletClaims(t.services, userId, ['address']), main);
    assert.deepEqual(await readWalletClaims(t.services, userId, ['user:wallet:read']), {
      ...main,
      wallets: [{ address, chain: 'evm:31337' }],
    });
    assert.deepEqual(await readWalletClaims(t.services, userId, ['user:read']), {});
  });

  test('is Ethereum for a wallet that is no longer linked', async () => {
    const other = `0x${'b'.repeat(40)}`;
    assert.deepEqual(await readWalletClaims(t.services, `ETH#USER#${other}`, ['address']), {
      address: { formatted: other },
      chain: 'evm:1',
    });
  });
});
