import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import type { AppError } from '@latchkey/kernel';
import { alice, type TestPlatform, testPlatform } from '../../testing/index.ts';
import {
  findPlan,
  freePlanId,
  getPlan,
  listOfferedPlans,
  listPlans,
  planLimits,
  removePlan,
  savePlan,
} from './index.ts';

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
  `.execute(t.services.db.system);
  }

  const secondLimit = { key: 'second', points: 7, duration: 1, label: '7 requests per second', scopes: '$all' };

  describe('plans', () => {
    it('the free and the paid plan exist from the start, with the published limits', async () => {
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
      assert.equal((await getPlan(ctx, 'community', 'guild')).price, 1799);
      for (const id of ['guild', 'nothing', 'PLAN#', 'PLAN#PLAN#free', 'free\u0000', 'constructor']) {
        await assert.rejects(getPlan(ctx, 'organization', id), (error: AppError) => error.code === 'ENTITY_NOT_FOUND');
      }
    });

    it('only public ids of the Stripe settings are returned', async () => {
      await addPlan('stripe', { stripeConfig: { priceId: 'price_1', webhookSecret: 'whsec_hidden' } });
      const plan = await getPlan(t.as(alice), 'organization', 'stripe');
      assert.equal(plan.stripeConfig?.priceId, 'price_1');
      assert.ok(!JSON.stringify(plan).includes('whsec_hidden'));
    });

    it('the operator saves a plan with prices by period and currency, and it is offered until a time', async () => {
      const body = {
        audience: 'organization',
        name: 'Team',
        prices: [
          { billingPeriod: 'yearly', currency: 'eur', amount: 9900 },
          { billingPeriod: 'monthly', currency: 'eur', amount: 990, priceId: 'price_own' },
        ],
        locks: [{ address: `0x${'ab'.repeat(20)}`, chainId: 1 }],
      } as const;
      const saved = await savePlan(t.services, {
        planId: 'PLAN#team',
        body: { ...body, prices: [...body.prices], locks: [...body.locks] },
      });
      assert.deepEqual(saved.prices, [...body.prices]);
      const shown = await getPlan(t.as(alice), 'organization', 'team');
      assert.deepEqual([shown.price, shown.billingPeriod, shown.stripeConfig], [9900, 'yearly', undefined]);
      const offeredUntil = new Date(t.services.clock().getTime() + 1000).toISOString();
      await savePlan(t.services, {
        planId: 'team',
        body: { audience: 'organization', name: 'Team', prices: [], offeredUntil },
      });
      const isOffered = async () =>
        (await listOfferedPlans(t.as(alice), 'organization')).some(({ sk }) => sk === 'PLAN#team');
      assert.equal(await isOffered(), true);
      t.advanceSeconds(1);
      assert.equal(await isOffered(), false);
      await removePlan(t.services, { planId: 'team' });
      await assert.rejects(removePlan(t.services, { planId: 'team' }), { code: 'ENTITY_NOT_FOUND' });
    });

    it('an invalid plan is refused with the location of the error', async () => {
      const body = { audience: 'organization', name: 'x', prices: [] } as const;
      const limit = { key: 'k', label: 'l', points: 1, duration: 1, scopes: 'sky:fall' };
      const save = (planId: string, change: object) =>
        savePlan(t.services, { planId, body: { ...body, prices: [], ...change } });
      await assert.rejects(save('a b', {}), { code: 'INVALID_PARAMETER_VALUE' });
      await assert.rejects(
        save('x', { allowedScopes: ['sky:fall'] }),
        /The body at \/allowedScopes contains an unknown scope/,
      );
      await assert.rejects(save('x', { rateLimits: [limit] }), /The body at \/rateLimits contains an unknown scope/);
      await assert.rejects(save('x', { rateLimits: [{ ...limit, scopes: '$all', points: 0.5 }] }), /rateLimits\/0/);
      await assert.rejects(save('starter', { audience: 'organization', checkPeriodSeconds: 3600 }), {
        code: 'STATE_CONFLICT',
      });
      await assert.rejects(save('x', { offeredUntil: '2026-06-30T23:59:60Z' }), /not a valid date/);
    });

    it('the database refuses an unusable rate limit', async () => {
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
    it('fall back to the free plan for a subscriber without a plan, or with a deleted one', async () => {
      assert.equal((await planLimits(t.services, undefined)).planId, freePlanId);
      assert.equal((await planLimits(t.services, 'gone')).planId, freePlanId);
      const paid = await planLimits(t.services, 'paid');
      assert.deepEqual(paid.rateLimits[0], { key: 'second', points: 15, durationSeconds: 1, scopes: ['$all'] });
      assert.equal(paid.allowedScopes, null);
    });

    it('follow a change within ten seconds, with one query in between', async () => {
      await addPlan('changing', { rateLimits: [secondLimit] });
      const points = async () => (await findPlan(t.services, 'changing'))?.rateLimits[0]?.points;
      const [first, second] = [findPlan(t.services, 'changing'), findPlan(t.services, 'changing')];
      assert.equal(first, second);
      assert.equal(await points(), 7);
      const changed = JSON.stringify([{ ...secondLimit, points: 8 }]);
      await sql`update plans set rate_limits = ${changed} where id = 'changing'`.execute(t.services.db.system);
      t.advanceSeconds(9);
      assert.equal(await points(), 7);
      t.advanceSeconds(1);
      assert.equal(await points(), 8);
    });

    it('are not cached for a missing plan, nor after a failed read', async () => {
      assert.equal(await findPlan(t.services, 'late'), undefined);
      await addPlan('late');
      assert.equal((await findPlan(t.services, 'late'))?.planId, 'late');
      const db = { ...t.services.db, system: undefined } as unknown as typeof t.services.db;
      await assert.rejects(findPlan({ ...t.services, db }, 'free'));
      db.system = t.services.db.system;
      assert.equal((await findPlan({ ...t.services, db }, 'free'))?.planId, 'free');
    });
  });
});
