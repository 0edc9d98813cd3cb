import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { contextFor, tenantOf } from '../../context.ts';
import type { EvmWallets } from '../../ports/index.ts';
import { alice, mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createOrganization } from './create.ts';
import { createOrganizationWallet } from './create-wallet.ts';
import { devOrgsSealed } from './index.ts';
import { getOrganizationWallet } from './reads.ts';
import { saltNonceOf } from './wallet.ts';

describe('dev orgs: wallet', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('wallets');
  });
  after(() => t.close());

  const sha1 = (text: string) => `0x${createHash('sha1').update(text).digest('hex')}`;

  function recordingWallets(): EvmWallets & { privateKeys: string[] } {
    const privateKeys: string[] = [];
    return {
      ...t.services.evmWallets,
      privateKeys,
      createOwnerKey(random) {
        const privateKey = random.bytes(32);
        privateKeys.push(Buffer.from(privateKey).toString('hex'));
        return { privateKey, address: sha1(privateKeys.at(-1) ?? '') };
      },
      safeAddress: (owner, saltNonce, chainId) => sha1(`${owner}/${saltNonce}/${chainId}`),
    };
  }

  function put(actor: Actor, orgId: string, evmWallets: EvmWallets) {
    return createOrganizationWallet({ ...t.as(actor), evmWallets }, { orgId });
  }

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

  /** Resolves once a connection to this database waits for a lock that another one holds. */
  async function someoneWaits(): Promise<void> {
    await until('somebody waits for the lock', async () => {
      const { rows } = await t.services.db.pool.query(
        'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
      );
      return rows.length > 0;
    });
  }

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  describe('organization wallets', () => {
    it('one is there after it was asked for, and only then', async () => {
      const sk = await newOrganization({ isVerified: true });
      await assert.rejects(getOrganizationWallet(t.as(alice), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      const wallet = await put(alice, sk, recordingWallets());
      const salt = saltNonceOf(sk.slice(4));
      assert.equal(wallet.address, sha1(`${wallet.ownerAddress}/${salt}/31337`));
      assert.equal(wallet.gnosisAddress, wallet.address);
      assert.deepEqual([wallet.status, wallet.chainId], ['COUNTERFACTUAL', 31337]);
      assert.deepEqual([wallet.organizationId, wallet.communityId, wallet.pk], [sk.slice(4), sk, sk]);
      assert.equal(wallet.timestamp, t.services.clock().getTime());
      assert.deepEqual(await getOrganizationWallet(t.as(alice), { orgId: sk }), wallet);
    });

    it('an unconfirmed organization gets none', async () => {
      const sk = await newOrganization({ isVerified: false });
      const wallets = recordingWallets();
      await assert.rejects(put(alice, sk, wallets), refusal('ORGANIZATION_NOT_VERIFIED'));
      assert.deepEqual(wallets.privateKeys, []);
    });

    it('a stranger neither makes nor sees one', async () => {
      const sk = await newOrganization({ isVerified: true });
      await assert.rejects(put(mallory, sk, recordingWallets()), refusal('ENTITY_NOT_FOUND'));
      await put(alice, sk, recordingWallets());
      await assert.rejects(put(mallory, sk, recordingWallets()), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(getOrganizationWallet(t.as(mallory), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
    });

    it('twenty requests at the same time make one key, and all get the same wallet', async () => {
      const sk = await newOrganization({ isVerified: true });
      const wallets = recordingWallets();
      const answers = await t.services.db.transaction(tenantOf(alice), async (tx) => {
        const ctx = { ...contextFor(t.services, alice, tx), evmWallets: wallets };
        const first = createOrganizationWallet(ctx, { orgId: sk });
        await first;
        const others = Array.from({ length: 19 }, () => put(alice, sk, wallets));
        await someoneWaits();
        return [first, ...others];
      });
      const texts = (await Promise.all(answers)).map((answer) => JSON.stringify(answer));
      assert.equal(wallets.privateKeys.length, 1);
      assert.equal(new Set(texts).size, 1);
    });

    it('a wallet keeps its chain and its address when the operator chooses another chain', async () => {
      const sk = await newOrganization({ isVerified: true });
      const wallet = await put(alice, sk, recordingWallets());
      const settings = { ...t.services.settings, walletChainId: 1 };
      const ctx = { ...t.as(alice), settings, evmWallets: recordingWallets() };
      assert.deepEqual(await createOrganizationWallet(ctx, { orgId: sk }), wallet);
    });

    it('the key is sealed for its own row and is in no answer and no log line', async () => {
      const sk = await newOrganization({ isVerified: true });
      const wallets = recordingWallets();
      const answer = await put(alice, sk, wallets);
      const [privateKey = 'none'] = wallets.privateKeys;
      const row = await t.services.db.system
        .selectFrom('organization_wallets')
        .selectAll()
        .where('organization_id', '=', sk.slice(4))
        .executeTakeFirstOrThrow();
      const column = devOrgsSealed.find(({ table }) => table === 'organization_wallets');
      const place = column?.placeOf(row.organization_id) ?? '';
      assert.equal(t.services.keyring.open(place, row.owner_key).toString('hex'), privateKey);
      assert.throws(() => t.services.keyring.open(`${place}x`, row.owner_key));
      assert.ok(!JSON.stringify([answer, row, t.log.lines]).includes(privateKey));
    });

    it('a failure half-way leaves no wallet, and the next request makes one', async () => {
      const sk = await newOrganization({ isVerified: true });
      const broken: EvmWallets = {
        ...recordingWallets(),
        safeAddress: () => {
          throw new Error('This chain is not supported.');
        },
      };
      await assert.rejects(put(alice, sk, broken), /not supported/);
      await assert.rejects(getOrganizationWallet(t.as(alice), { orgId: sk }), refusal('ENTITY_NOT_FOUND'));
      await put(alice, sk, recordingWallets());
    });
  });
});
