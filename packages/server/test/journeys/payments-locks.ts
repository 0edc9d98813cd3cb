import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createLocks } from '@latchkey/chains/evm-locks';
import { alice } from '@latchkey/core/testing';
import { deployLock, sampleLockAbi } from '@latchkey/emulators/evm-chain';
import { createWalletClient, http, publicActions } from 'viem';
import { daySeconds, type PaymentsWorld } from './payments-world.ts';

/** Plans that are paid for with lock keys. */
export function testLocks(world: PaymentsWorld): void {
  const { call, save, checkout, newOrganization, planOf, checkAgain } = world;

  describe('with a lock', () => {
    const plan = 'locked';
    let lock: `0x${string}`;
    let secondLock: `0x${string}`;
    before(async () => {
      const terms = { keyPriceWei: 1000n, durationSeconds: 30n * BigInt(daySeconds) };
      lock = await deployLock(world.chain, { name: 'Members', ...terms });
      secondLock = await deployLock(world.chain, { name: 'Founders', ...terms });
      const locks = [lock, secondLock].map((address) => ({ address, chainId: world.chain.chainId }));
      await save(plan, { audience: 'organization', name: 'Locked', prices: [], locks });
    });
    const client = () => createWalletClient({ transport: http(world.chain.url) }).extend(publicActions);
    const buyKey = async (account: `0x${string}`, address = lock) => {
      const list = [account] as const;
      const args = [[1000n], list, list, list, ['0x']] as const;
      const request = {
        chain: null,
        account,
        address,
        abi: sampleLockAbi,
        functionName: 'purchase',
        value: 1000n,
      } as const;
      await client().writeContract({ ...request, args });
    };
    const accountAt = (n: number) => world.chain.accounts[n]?.address ?? '0x';
    const sign = (address: string, message: string) => `${address.toLowerCase()} signs ${message}`;
    const begin = async (organizationId: string) => {
      const url = new URL(await checkout('generateUnlockCheckoutUrl', plan, { organizationId }));
      const config = JSON.parse(url.searchParams.get('paywallConfig') ?? '');
      const offer = { network: world.chain.chainId, skipRecipient: true };
      assert.deepEqual(config.locks, { [lock]: offer, [secondLock]: offer });
      const back = new URL(url.searchParams.get('redirectUri') ?? '');
      return { message: String(config.messageToSign), slug: back.searchParams.get('slug') ?? '' };
    };
    const comeBack = async (input: object) =>
      new URL((await call('unlockCallback', alice, input)).location ?? '').searchParams.get('status');

    test('a key on the chain activates the plan, and selling it ends the plan', async () => {
      const [organizationId, address] = [await newOrganization(), accountAt(3)];
      const { message, slug } = await begin(organizationId);
      await buyKey(address);
      assert.equal(await comeBack({ slug, address, signature: sign(address, message) }), 'success');
      assert.equal(await planOf(organizationId), plan);
      assert.equal(await comeBack({ slug, address, signature: sign(address, message) }), 'used');

      const request = {
        chain: null,
        account: address,
        address: lock,
        abi: sampleLockAbi,
        functionName: 'transferFrom',
      } as const;
      await client().writeContract({ ...request, args: [address, accountAt(4), 1n] });
      world.t.advanceSeconds(3601);
      await checkAgain();
      assert.equal(await planOf(organizationId), 'free');
    });

    test('a key of any lock of the plan activates it', async () => {
      const [organizationId, address] = [await newOrganization(), accountAt(8)];
      const { message, slug } = await begin(organizationId);
      await buyKey(address, secondLock);
      assert.equal(await comeBack({ slug, address, signature: sign(address, message) }), 'success');
      assert.equal(await planOf(organizationId), plan);
    });

    test('a signature of another wallet, a key in use and a wallet without a key activate nothing', async () => {
      const [first, second] = [await newOrganization(), await newOrganization()];
      const [holder, other] = [accountAt(5), accountAt(6)];
      await buyKey(holder);
      const wrong = await begin(first);
      assert.equal(
        await comeBack({ slug: wrong.slug, address: holder, signature: sign(other, wrong.message) }),
        'signature-invalid',
      );
      const without = await begin(first);
      assert.equal(
        await comeBack({ slug: without.slug, address: other, signature: sign(other, without.message) }),
        'pending',
      );
      assert.equal(await planOf(first), 'free');
      const right = await begin(first);
      assert.equal(
        await comeBack({ slug: right.slug, address: holder, signature: sign(holder, right.message) }),
        'success',
      );
      const taken = await begin(second);
      assert.equal(
        await comeBack({ slug: taken.slug, address: holder, signature: sign(holder, taken.message) }),
        'key-in-use',
      );
      assert.deepEqual([await planOf(first), await planOf(second)], [plan, 'free']);
      const declined = await begin(second);
      assert.equal(await comeBack({ slug: declined.slug, error: 'access-denied' }), 'error');
    });

    test('an unreachable chain ends no plan', async () => {
      const [organizationId, address] = [await newOrganization(), accountAt(7)];
      const { message, slug } = await begin(organizationId);
      await buyKey(address);
      await comeBack({ slug, address, signature: sign(address, message) });
      const { locks } = world.t.services;
      world.t.services.locks = createLocks({
        fetch,
        checkoutUrl: 'https://locks.test',
        rpcUrlsOf: () => [],
        timeoutMs: 100,
      });
      world.t.advanceSeconds(40 * daySeconds);
      await checkAgain();
      assert.equal(await planOf(organizationId), plan);
      const again = await begin(organizationId);
      const signature = sign(address, again.message);
      assert.equal(await comeBack({ slug: again.slug, address, signature }), 'success');
      assert.equal(await planOf(organizationId), plan);
      world.t.services.locks = locks;
    });
  });
}
