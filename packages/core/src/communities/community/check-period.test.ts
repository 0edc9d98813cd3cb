import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { startResyncs } from '../../gating/followers/index.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { givePlan } from '../community-plans/plans.ts';
import { getCommunitySettings, resetCheckPeriod, setCheckPeriod } from './setting-operations.ts';
import { newCommunity } from './testing.ts';

const hour = 60 * 60;
const day = 24 * hour;

describe('how often members are re-checked', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('check-period');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  async function isSwept(id: string): Promise<boolean> {
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    await startResyncs(t.services);
    const rows = await t.services.db.system.selectFrom('reconcile_queue').select('community_id').execute();
    return rows.some(({ community_id }) => community_id === id);
  }

  it('is daily, until an admin chooses another period, and again when the admin goes back to the default', async () => {
    const { owner, id } = await newCommunity(t);
    const now = () => t.services.clock().getTime();
    assert.deepEqual(await getCommunitySettings(t.as(owner), { id }), {
      communityId: id,
      checkPeriodSeconds: day,
      isDefaultCheckPeriod: true,
      defaultCheckPeriodSeconds: day,
      leastCheckPeriodSeconds: hour,
      mostCheckPeriodSeconds: 30 * day,
      checksInBackground: true,
    });
    assert.equal(await isSwept(id), true, 'a new community is due at once');
    const sweptAt = now();
    t.advanceSeconds(2 * hour);
    assert.equal(await isSwept(id), false);

    const hourly = await setCheckPeriod(t.as(owner), { id, body: { checkPeriodSeconds: hour } });
    assert.deepEqual([hourly.checkPeriodSeconds, hourly.isDefaultCheckPeriod], [hour, false]);
    assert.equal(hourly.nextCheckTime, new Date(sweptAt + hour * 1000).toISOString(), 'counted from the last re-check');
    assert.equal(await isSwept(id), true, 'a shorter period does not wait for the longer one to end');
    t.advanceSeconds(hour);
    assert.equal(await isSwept(id), true);

    const daily = await resetCheckPeriod(t.as(owner), { id });
    assert.deepEqual([daily.checkPeriodSeconds, daily.isDefaultCheckPeriod], [day, true]);
    assert.equal(daily.nextCheckTime, new Date(now() + day * 1000).toISOString());
    t.advanceSeconds(hour);
    assert.equal(await isSwept(id), false);
  });

  it('chosen by an admin, outlives a change of plans', async () => {
    const { owner, id } = await newCommunity(t);
    await setCheckPeriod(t.as(owner), { id, body: { checkPeriodSeconds: 3 * day } });
    await givePlan(t.as(operator), id, 'community');
    const { checkPeriodSeconds, defaultCheckPeriodSeconds } = await getCommunitySettings(t.as(owner), { id });
    assert.deepEqual([checkPeriodSeconds, defaultCheckPeriodSeconds], [3 * day, day]);
  });

  it('shows when scheduled re-checks are turned off', async () => {
    const { owner, id } = await newCommunity(t);
    await startResyncs(t.services);
    await t.services.db.pool.query('update communities set disable_background_checks = true where id = $1', [id]);
    const settings = await getCommunitySettings(t.as(owner), { id });
    assert.deepEqual([settings.checksInBackground, settings.nextCheckTime], [false, undefined]);
  });

  it('has a minimum and a maximum, and can be neither seen nor set by non-admins', async () => {
    const { owner, id } = await newCommunity(t);
    for (const checkPeriodSeconds of [0, hour - 1, 30 * day + 1])
      await assert.rejects(
        setCheckPeriod(t.as(owner), { id, body: { checkPeriodSeconds } }),
        refusal('VALIDATION_FAILED'),
      );
    const missing = refusal('ENTITY_NOT_FOUND');
    await assert.rejects(getCommunitySettings(t.as(mallory), { id }), missing);
    await assert.rejects(setCheckPeriod(t.as(mallory), { id, body: { checkPeriodSeconds: hour } }), missing);
    await assert.rejects(resetCheckPeriod(t.as(mallory), { id }), missing);
    assert.equal((await getCommunitySettings(t.as(owner), { id })).isDefaultCheckPeriod, true);
  });
});
