import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import type { EvmWallets } from '../../ports/index.ts';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { saltNonceOf, signerUserOf } from '../../services/treasuries/index.ts';
import { alice, mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createOrganization } from './create.ts';
import { createOrganizationWallet, getOrganizationWallet } from './operations.ts';

describe('dev orgs: wallet', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  before(async () => {
    t = await testPlatform('wallets');
    t.services.evmWallets = {
      ...t.services.evmWallets,
      safeAddress: (owner, saltNonce, chainId) => sha1(`${owner}/${saltNonce}/${chainId}`),
    };
    signer = await testSigner(t);
    signer.start();
  });
  after(async () => {
    await signer.close();
    await t.close();
  });

  const sha1 = (text: string) => `0x${createHash('sha1').update(text).digest('hex')}`;

  function put(actor: Actor, orgId: string, evmWallets: EvmWallets = t.services.evmWallets) {
    return createOrganizationWallet({ ...t.as(actor), evmWallets }, { orgId });
  }

  const keysOf = (sk: string) =>
    signer.ctx.db.system
      .selectFrom('signer.keys')
      .selectAll()
      .where('user_id', '=', signerUserOf({ kind: 'organization', id: sk.slice(4) }))
      .execute();

  let organizations = 0;
  async function newOrganization({ isVerified }: { isVerified: boolean }): Promise<string> {
    organizations += 1;
    const body = { name: `Acme ${organizations}`, email: 'dev@acme.test' };
    const { sk } = await createOrganization(t.as(alice), { body });
    if (isVerified) await confirm(sk);
    t.advanceSeconds(24 * 3600);
    return sk;
  }

  async function confirm(sk: string): Promise<void> {
    await t.services.db.system
      .updateTable('organizations')
      .set({ verified_at: t.services.clock() })
      .where('id', '=', sk.slice(4))
      .execute();
  }

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  describe('organization wallets', () => {
    it('a wallet exists once it was requested, and only then', async () => {
      const sk = await newOrganization({ isVerified: true });
      await assert.rejects(getOrganizationWallet(t.as(alice), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      const wallet = await put(alice, sk);
      const salt = saltNonceOf({ kind: 'organization', id: sk.slice(4) });
      assert.equal(wallet.address, sha1(`${wallet.ownerAddress}/${salt}/31337`));
      assert.equal(wallet.gnosisAddress, wallet.address);
      assert.deepEqual([wallet.status, wallet.chainId], ['COUNTERFACTUAL', 31337]);
      assert.deepEqual([wallet.organizationId, wallet.communityId, wallet.pk], [sk.slice(4), sk, sk]);
      assert.equal(wallet.timestamp, t.services.clock().getTime());
      assert.deepEqual(await getOrganizationWallet(t.as(alice), { orgId: sk }), wallet);
    });

    it('an unconfirmed organization gets none', async () => {
      const sk = await newOrganization({ isVerified: false });
      await assert.rejects(put(alice, sk), refusal('ORGANIZATION_NOT_VERIFIED'));
      assert.deepEqual(await keysOf(sk), []);
    });

    it('a stranger can neither create nor see one', async () => {
      const sk = await newOrganization({ isVerified: true });
      await assert.rejects(put(mallory, sk), refusal('ENTITY_NOT_FOUND'));
      await put(alice, sk);
      await assert.rejects(put(mallory, sk), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(getOrganizationWallet(t.as(mallory), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
    });

    it('twenty concurrent requests create one key, and all get the same wallet', async () => {
      const sk = await newOrganization({ isVerified: true });
      const answers = await Promise.all(Array.from({ length: 20 }, () => put(alice, sk)));
      assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
      assert.equal((await keysOf(sk)).length, 1);
    });

    it('a wallet keeps its chain and its address when the operator chooses another chain', async () => {
      const sk = await newOrganization({ isVerified: true });
      const wallet = await put(alice, sk);
      const ctx = { ...t.as(alice), settings: { ...t.services.settings, walletChainId: 1 } };
      assert.deepEqual(await createOrganizationWallet(ctx, { orgId: sk }), wallet);
    });

    it('the signer alone has its key', async () => {
      const sk = await newOrganization({ isVerified: true });
      const { ownerAddress } = await put(alice, sk);
      const row = await t.services.db.system
        .selectFrom('organization_wallets')
        .selectAll()
        .where('organization_id', '=', sk.slice(4))
        .executeTakeFirstOrThrow();
      assert.equal('owner_key' in row, false);
      assert.deepEqual(
        (await keysOf(sk)).map(({ address }) => address),
        [ownerAddress],
      );
      await assert.rejects(t.services.db.system.selectFrom('signer.keys').selectAll().execute(), /permission denied/);
    });

    it('a failure half-way leaves no wallet, and the next request creates one with the same key', async () => {
      const sk = await newOrganization({ isVerified: true });
      const broken: EvmWallets = {
        ...t.services.evmWallets,
        safeAddress: () => {
          throw new Error('This chain is not supported.');
        },
      };
      await assert.rejects(put(alice, sk, broken), /not supported/);
      await assert.rejects(getOrganizationWallet(t.as(alice), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      const [key] = await keysOf(sk);
      assert.equal((await put(alice, sk)).ownerAddress, key?.address);
    });

    it('none is created while the signer is down', async () => {
      const sk = await newOrganization({ isVerified: true });
      await signer.stop();
      const settings = { ...t.services.settings, hostedWallets: { signerPatienceMs: 50 } };
      const ctx = { ...t.as(alice), settings };
      await assert.rejects(createOrganizationWallet(ctx, { orgId: sk }), refusal('UNAVAILABLE'));
      await assert.rejects(getOrganizationWallet(t.as(alice), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      signer.start();
      assert.equal((await put(alice, sk)).status, 'COUNTERFACTUAL');
    });
  });
});
