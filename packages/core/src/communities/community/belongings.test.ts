import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { type Actor, AppError, type ErrorCode, principalId } from '@latchkey/kernel';
import { refuseBadRule } from '../../gating/community-rules/change-rules.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { grantApplicationAccess, revokeApplicationAccess } from '../access/operations.ts';
import { checkPeriodSeconds, givePlan, requireFeature, takePlan } from '../community-plans/plans.ts';
import { installMiniApp, registerMiniApp, uninstallMiniApp } from '../installs/install-app.ts';
import type { MiniAppManifest } from '../installs/manifest.ts';
import {
  communities,
  getCommunityPlan,
  getCommunityPlans,
  getPremiumSupportUrl,
  getSubscriptions,
} from './operations.ts';
import { newCommunity } from './testing.ts';
import { createCommunityWallet, getCommunityWallet } from './wallet.ts';

const day = 24 * 60 * 60;

describe('what belongs to a community', () => {
  let t: TestPlatform;
  let signer: TestSigner;
  before(async () => {
    t = await testPlatform('belongings');
    signer = await testSigner(t);
    signer.start();
  });
  after(async () => {
    await signer.close();
    await t.close();
  });

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  async function addPlan(id: string, features: readonly unknown[]): Promise<void> {
    await sql`
      insert into plans (id, audience, name, price_cents, billing_period, features, check_period_seconds, created_at)
      values (${id}, 'community', ${id}, 100, 'monthly', ${JSON.stringify(features)}, 3600, ${new Date(0)})`.execute(
      t.services.db.system,
    );
  }

  describe('its plans', () => {
    it('begin with starter, which re-checks members every day', async () => {
      const { owner, id } = await newCommunity(t);
      const plans = await getCommunityPlans(t.as(owner));
      assert.deepEqual(
        plans.map(({ sk, price }) => [sk, price]),
        [
          ['PLAN#community', 0],
          ['PLAN#starter', 0],
        ],
      );
      assert.deepEqual(
        (await getSubscriptions(t.as(owner), { communityId: id })).map(({ sk }) => sk),
        ['PLAN#starter'],
      );
      assert.equal(await checkPeriodSeconds(t.services.db.system, id, t.services.clock()), day);
      await assert.rejects(getCommunityPlan(t.as(owner), { planId: 'free' }), refusal('ENTITY_NOT_FOUND'));
      assert.equal((await getCommunityPlan(t.as(owner), { planId: 'PLAN#starter' })).name, 'Starter');
    });

    it('are given and taken by the operator alone, also for a limited time', async () => {
      const { owner, id } = await newCommunity(t);
      await assert.rejects(givePlan(t.as(owner), id, 'community'), refusal('ROLE_NOT_ALLOWED'));
      await assert.rejects(givePlan(t.as(operator), id, 'free'), refusal('ENTITY_NOT_FOUND'));
      await givePlan(t.as(operator), id, 'community', new Date(t.services.clock().getTime() + day * 1000));
      const active = async () => (await getSubscriptions(t.as(owner), { communityId: id })).map(({ sk }) => sk);
      const period = () => checkPeriodSeconds(t.services.db.system, id, t.services.clock());
      assert.deepEqual(await active(), ['PLAN#community', 'PLAN#starter']);
      t.advanceSeconds(day);
      assert.deepEqual(await active(), ['PLAN#starter']);
      await givePlan(t.as(operator), id, 'PLAN#community');
      assert.deepEqual(await active(), ['PLAN#community', 'PLAN#starter']);
      await takePlan(t.as(operator), id, 'community');
      assert.deepEqual(await active(), ['PLAN#starter']);
      await addPlan('hourly', []);
      await givePlan(t.as(operator), id, 'hourly', new Date(t.services.clock().getTime() + day * 1000));
      assert.equal(await period(), 3600, 'the shortest period counts');
      t.advanceSeconds(day);
      assert.equal(await period(), day);
    });

    it('cannot be taken by an admin past the operations: the row policies admit nothing', async () => {
      const { owner, id } = await newCommunity(t);
      const { tx } = t.as(owner);
      const row = { community_id: id, plan_id: 'community', since: t.services.clock(), until: null };
      await assert.rejects(
        tx((db) => db.insertInto('community_plans').values(row).execute()),
        /row-level security/,
      );
      const changed = await tx((db) =>
        db.updateTable('community_plans').set({ plan_id: 'community' }).executeTakeFirst(),
      );
      assert.equal(changed.numUpdatedRows, 0n);
    });

    it('lead to premium support when they include it', async () => {
      const { owner, id } = await newCommunity(t);
      await assert.rejects(getPremiumSupportUrl(t.as(owner), { id }), refusal('ENTITY_NOT_FOUND'));
      t.services.settings.selling = { isOn: true };
      await assert.rejects(getPremiumSupportUrl(t.as(owner), { id }), {
        code: 'PLAN_LIMIT_REACHED',
        message: 'The plan Starter does not include premium support. No plan on this server does.',
      });
      await addPlan('silent', [{ identifier: 'PREMIUM_SUPPORT' }]);
      await givePlan(t.as(operator), id, 'silent');
      await assert.rejects(getPremiumSupportUrl(t.as(owner), { id }), refusal('ENTITY_NOT_FOUND'));
      await addPlan('helped', [{ identifier: 'PREMIUM_SUPPORT', metadata: 'https://help.example/premium' }]);
      await givePlan(t.as(operator), id, 'helped');
      assert.deepEqual(await getPremiumSupportUrl(t.as(owner), { id }), { url: 'https://help.example/premium' });
      await assert.rejects(getPremiumSupportUrl(t.as(mallory), { id }), refusal('ENTITY_NOT_FOUND'));
      t.services.settings.selling = {};
    });

    it('decide what a community may use where plans are sold, and nothing where they are not', async () => {
      const { owner, id } = await newCommunity(t);
      const body = { asset: 'twitter:twitter/profile:data', scheme: 'twitter', roleId: '1', variables: {} } as never;
      const uses = {
        MINIAPP: (detail?: string) => requireFeature(t.as(owner), id, 'MINIAPP', detail),
        TWITTER_TGR: () => refuseBadRule(t.as(owner), { id, body }),
      };
      t.services.settings.selling = { isOn: true };
      await assert.rejects(uses.MINIAPP('polls'), /The plan Starter does not include this mini-app\. .*Community/);
      await assert.rejects(
        uses.TWITTER_TGR(),
        /The plan Starter does not include rules about X accounts\. .*Community/,
      );
      await addPlan('polls-only', [{ identifier: 'MINIAPP', metadata: ['polls'] }]);
      await givePlan(t.as(operator), id, 'polls-only');
      await uses.MINIAPP('polls');
      await assert.rejects(uses.MINIAPP('quiz'), refusal('PLAN_LIMIT_REACHED'));
      // A plan that contains another one has its features, even if the other one contains it in turn.
      await addPlan('all', [{ identifier: 'PLAN', metadata: ['PLAN#community', 'all'] }]);
      await givePlan(t.as(operator), id, 'all');
      await uses.MINIAPP('quiz');
      await uses.TWITTER_TGR();
      await takePlan(t.as(operator), id, 'all');
      await assert.rejects(uses.MINIAPP('quiz'), refusal('PLAN_LIMIT_REACHED'));
      await requireFeature(t.as(operator), id, 'MINIAPP', 'quiz');
      t.services.settings.selling = {};
      await uses.MINIAPP('quiz');
    });
  });

  describe('its mini-apps', () => {
    const manifest: MiniAppManifest = {
      appId: 'polls',
      appType: 'miniapp',
      developer: 'DIS#USER#1',
      name: 'Polls',
      shortName: 'Polls',
      version: { name: '1.2.0' },
    };

    it('are installed once they are registered, and removed again', async () => {
      const { owner, id } = await newCommunity(t);
      const named = { communityId: id, appId: 'polls' };
      await assert.rejects(installMiniApp(t.as(owner), { ...named, body: {} }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(registerMiniApp(t.as(owner), manifest), refusal('ROLE_NOT_ALLOWED'));
      await registerMiniApp(t.as(operator), manifest);
      t.services.settings.selling = { isOn: true };
      await assert.rejects(installMiniApp(t.as(owner), named), refusal('PLAN_LIMIT_REACHED'));
      t.services.settings.selling = {};
      const installedAt = new Date('2026-01-02T03:04:05Z');
      const earlier = { ...t.as(owner), clock: () => installedAt };
      assert.deepEqual(await installMiniApp(earlier, { ...named, body: { colour: 'red' } }), manifest);
      await installMiniApp(t.as(owner), { ...named, body: { colour: 'blue' } });
      const rows = await t.services.db.system
        .selectFrom('community_apps')
        .selectAll()
        .where('community_id', '=', id)
        .execute();
      assert.deepEqual(
        rows.map((row) => [row.admin_id, row.installed_version, row.metadata, row.installed_at]),
        [[owner.userId, '1.2.0', { colour: 'blue' }, installedAt]],
      );
      await uninstallMiniApp(t.as(owner), named);
      await assert.rejects(uninstallMiniApp(t.as(owner), named), refusal('ENTITY_NOT_FOUND'));
    });

    it('of others, and those meant for others, are not found', async () => {
      const { owner, id } = await newCommunity(t);
      await registerMiniApp(t.as(operator), { ...manifest, appId: 'closed', supportedCommunities: ['DIS#COMM#1'] });
      const named = { communityId: id, appId: 'closed' };
      await assert.rejects(installMiniApp(t.as(owner), { ...named, body: {} }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(
        installMiniApp(t.as(mallory), { ...named, appId: 'polls', body: {} }),
        refusal('ENTITY_NOT_FOUND'),
      );
      await assert.rejects(uninstallMiniApp(t.as(mallory), { ...named, appId: 'polls' }), refusal('ENTITY_NOT_FOUND'));
    });
  });

  describe('its wallet', () => {
    it('is created once, also when it is requested concurrently, and its key stays with the signer', async () => {
      const { owner, id } = await newCommunity(t);
      await assert.rejects(getCommunityWallet(t.as(owner), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
      const made = await Promise.all([1, 2, 3].map(() => createCommunityWallet(t.as(owner), { communityId: id })));
      assert.equal(new Set(made.map(({ address }) => address)).size, 1);
      const [wallet] = made;
      assert.deepEqual(await getCommunityWallet(t.as(owner), { communityId: id }), wallet);
      assert.deepEqual([wallet?.status, wallet?.communityId, wallet?.userId], ['COUNTERFACTUAL', id, owner.userId]);
      const row = await t.services.db.system
        .selectFrom('community_wallets')
        .selectAll()
        .where('community_id', '=', id)
        .executeTakeFirstOrThrow();
      assert.deepEqual(['owner_key' in row, row.owner_address], [false, wallet?.ownerAddress]);
    });

    it('is read by applications that an admin granted read access to the community, until that is revoked', async () => {
      const { owner, id } = await newCommunity(t);
      const wallet = await createCommunityWallet(t.as(owner), { communityId: id });
      const scopes = ['community:read', 'discord:guild'];
      const made = await createDevelopmentApp(t.as(operator), { userId: principalId(mallory), name: 'Reader', scopes });
      const named = { communityId: id, clientId: made.id ?? '' };
      const client = { id: named.clientId, name: 'Reader', allowedScopes: scopes, disallowedScopes: [] };
      const program: Actor = { kind: 'client', credential: 'api-key', client };
      const { access } =
        communities.operations.find(({ route }) => route === 'GET /communities/{communityId}/wallet')?.contract ?? {};
      assert.ok(access && 'object' in access && access.object);
      const { admits } = access.object;
      const isOpen = () => admits(t.as(program), id);
      assert.equal(await isOpen(), false);
      await assert.rejects(getCommunityWallet(t.as(program), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
      await grantApplicationAccess(t.as(owner), { ...named, body: { scopes: ['discord:guild'] } });
      assert.equal(await isOpen(), false, 'another scope is not enough');
      await grantApplicationAccess(t.as(owner), named);
      assert.equal(await isOpen(), true);
      assert.deepEqual(await getCommunityWallet(t.as(program), { communityId: id }), wallet);
      await revokeApplicationAccess(t.as(owner), named);
      assert.equal(await isOpen(), false);
    });

    it('of others is not found', async () => {
      const { owner, id } = await newCommunity(t);
      await createCommunityWallet(t.as(owner), { communityId: id });
      await assert.rejects(getCommunityWallet(t.as(mallory), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(createCommunityWallet(t.as(mallory), { communityId: id }), refusal('ENTITY_NOT_FOUND'));
    });
  });
});
