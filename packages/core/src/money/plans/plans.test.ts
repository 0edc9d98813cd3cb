import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import type { AppError } from '@latchkey/kernel';
import { alice, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findPlan, freePlanId, getPlan, listPlans, planLimits } from './index.ts';

describe('plans', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('plans');
  });
  after(() => t.close());

  async function addPlan(
    id: string,
    columns: { audience?: string; rateLimits?: unknown; stripeConfig?: unknown } = {},
  ) {
    const { audience = 'organization', rateLimits = [], stripeConfig } = columns;
    const stripe = stripeConfig === undefined ? null : JSON.stringify(stripeConfig);
    await sql`
    insert into plans (id, audience, name, price_cents, billing_period, rate_limits, stripe_config, created_at)
    values (${id}, ${audience}, ${id}, 1799, 'monthly', ${JSON.stringify(rateLimits)}, ${stripe}, ${new Date(0)})
  `.execute(t.platform.db.system);
  }

  const secondLimit = { key: 'second', points: 7, duration: 1, label: '7 requests per second', scopes: '$all' };

  describe('plans', () => {
    it('the free and the paid plan are there from the start, with the published limits', async () => {
      const plans = await listPlans(t.as(alice), 'organization');
      const [free, paid] = plans;
      assert.deepEqual([free?.sk, free?.price, free?.maxAPIKeys, free?.maxMiniApps], ['PLAN#free', 0, 5, 5]);
      assert.deepEqual([paid?.sk, paid?.maxAPIKeys, paid?.maxMiniApps, paid?.minBuy], ['PLAN#paid', 500, 500, '1']);
      assert.deepEqual(
        free?.rateLimits?.map(({ points, duration }) => [points, duration]),
        [
          [10, 1],
          [10_000, 2_592_000],
        ],
      );
      assert.deepEqual(
        paid?.rateLimits?.map(({ points, duration }) => [points, duration]),
        [
          [15, 1],
          [100_000, 2_592_000],
        ],
      );
    });

    it('a plan is found by its id and by its sk, and not by the id of another audience', async () => {
      await addPlan('guild', { audience: 'community' });
      const ctx = t.as(alice);
      assert.deepEqual(await getPlan(ctx, 'organization', 'PLAN#free'), await getPlan(ctx, 'organization', 'free'));
      assert.equal((await getPlan(ctx, 'community', 'guild')).price, 17.99);
      for (const id of ['guild', 'nothing', 'PLAN#', 'PLAN#PLAN#free', 'free\u0000', 'constructor']) {
        await assert.rejects(getPlan(ctx, 'organization', id), (error: AppError) => error.code === 'ENTITY_NOT_FOUND');
      }
    });

    it('of the Stripe settings only public ids are answered', async () => {
      await addPlan('stripe', { stripeConfig: { priceId: 'price_1', webhookSecret: 'whsec_hidden' } });
      const plan = await getPlan(t.as(alice), 'organization', 'stripe');
      assert.equal(plan.stripeConfig?.priceId, 'price_1');
      assert.ok(!JSON.stringify(plan).includes('whsec_hidden'));
    });

    it('the database refuses a rate limit that could not be counted with', async () => {
      const broken = [
        {},
        [{ ...secondLimit, points: 0 }],
        [{ ...secondLimit, duration: '1' }],
        [{ points: 1, duration: 1 }],
        [secondLimit, { ...secondLimit, key: null }],
      ];
      for (const rateLimits of broken) {
        await assert.rejects(addPlan('broken', { rateLimits }), /plans_rate_limits_check/, JSON.stringify(rateLimits));
      }
      await addPlan('whole', { rateLimits: [secondLimit, secondLimit] });
    });
  });

  describe('plan limits', () => {
    it('hold the free plan for whoever has none, or one that is gone', async () => {
      assert.equal((await planLimits(t.platform, undefined)).planId, freePlanId);
      assert.equal((await planLimits(t.platform, 'gone')).planId, freePlanId);
      const paid = await planLimits(t.platform, 'paid');
      assert.deepEqual(paid.rateLimits[0], { key: 'second', points: 15, durationSeconds: 1, scopes: ['$all'] });
      assert.equal(paid.allowedScopes, null);
    });

    it('follow a change within ten seconds, and ask the database once in between', async () => {
      await addPlan('changing', { rateLimits: [secondLimit] });
      const points = async () => (await findPlan(t.platform, 'changing'))?.rateLimits[0]?.points;
      const [first, second] = [findPlan(t.platform, 'changing'), findPlan(t.platform, 'changing')];
      assert.equal(first, second);
      assert.equal(await points(), 7);
      const changed = JSON.stringify([{ ...secondLimit, points: 8 }]);
      await sql`update plans set rate_limits = ${changed} where id = 'changing'`.execute(t.platform.db.system);
      t.advanceSeconds(9);
      assert.equal(await points(), 7);
      t.advanceSeconds(1);
      assert.equal(await points(), 8);
    });

    it('are not remembered for a plan that is missing, nor after a failed read', async () => {
      assert.equal(await findPlan(t.platform, 'late'), undefined);
      await addPlan('late');
      assert.equal((await findPlan(t.platform, 'late'))?.planId, 'late');
      const db = { ...t.platform.db, system: undefined } as unknown as typeof t.platform.db;
      await assert.rejects(findPlan({ ...t.platform, db }, 'free'));
      db.system = t.platform.db.system;
      assert.equal((await findPlan({ ...t.platform, db }, 'free'))?.planId, 'free');
    });
  });
});
