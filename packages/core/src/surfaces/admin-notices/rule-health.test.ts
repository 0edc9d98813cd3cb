import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { admin, erc20Rule, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { contextFor } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { composeNotice } from './compose.ts';
import { findNews } from './find.ts';
import type { NoticeRow } from './queries.ts';

describe('admins are notified of rules that cannot be decided', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-notices');
  });
  after(() => t.close());

  const system = () => contextFor(t.services, { kind: 'system', job: 'test' });
  const look = async () => {
    // Several processes search at the same time.
    await Promise.all([findNews(system()), findNews(system()), findNews(system())]);
  };

  async function settle(rules: number) {
    const guild = await setUpGuild(t, {
      members: 0,
      rules: Array.from({ length: rules }, (_, n) => ({ ...erc20Rule('gold', String(n + 1)), name: `Rule ${n + 1}` })),
    });
    await t.services.db.pool.query(
      `insert into rule_health (community_id, rule_id, state, problems, reads, since, due_at, blocks, count_due_at)
       select community_id, id, 'ok', '[]', 1, $2, $2, '{}', $2 from community_rules where community_id = $1`,
      [guild.id, t.services.clock()],
    );
    const problem = { code: 'not-answering', message: 'Ethereum could not be read.', action: 'Check the addresses.' };
    const set = (state: string, cause: string | null = state === 'ok' ? null : 'not-answering:evm:1') =>
      t.services.db.pool.query(
        `update rule_health set state = $2, cause = $3, since = $4, problems = $5 where community_id = $1`,
        [guild.id, state, cause, t.services.clock(), JSON.stringify(cause === null ? [] : [problem])],
      );
    const notices = async (): Promise<NoticeRow[]> => {
      const found = await t.services.db.pool.query<NoticeRow>(
        `select * from admin_notices where community_id = $1 and kind = 'rule-health' order by noted_at`,
        [guild.id],
      );
      return found.rows;
    };
    const takeQueued = async () => {
      const { rows } = await t.services.db.pool.query(
        `select 1 from jobs where name = 'admin-notices.tell' and group_id = $1`,
        [guild.id],
      );
      await t.services.db.pool.query(`delete from jobs where name = 'admin-notices.tell'`);
      return rows.length;
    };
    const words = async (notice: NoticeRow | undefined) => {
      const community = await t.services.db.system
        .selectFrom('communities')
        .selectAll()
        .where('id', '=', guild.id)
        .executeTakeFirstOrThrow();
      assert.ok(notice);
      return composeNotice(t.as(admin), community, notice);
    };
    return { ...guild, set, notices, takeQueued, words };
  }

  test('once when they break, for all rules with one cause, and once when they recover', async () => {
    const guild = await settle(2);
    await guild.set('degraded');
    await look();
    assert.deepEqual(await guild.notices(), [], 'it may recover in a moment');
    t.advanceSeconds(600);
    await look();
    await look();
    const [notice, ...more] = await guild.notices();
    assert.deepEqual([more.length, await guild.takeQueued()], [0, 1]);
    const text = await guild.words(notice);
    assert.match(
      text?.full.text ?? '',
      /^Rules in Test cannot be decided at the moment: Rule 1, Rule 2\. Ethereum could not be read\. Check the addresses\. Members keep their roles\./,
    );
    assert.ok(!text?.short.text.includes('Rule 1'), 'others may read it too');
    await guild.set('ok');
    await look();
    t.advanceSeconds(300);
    await guild.set('degraded');
    await look();
    t.advanceSeconds(300);
    await guild.set('ok');
    await look();
    t.advanceSeconds(599);
    await look();
    assert.equal(await guild.takeQueued(), 0, 'a node that goes up and down is not reported again');
    t.advanceSeconds(1);
    await look();
    await look();
    assert.equal(await guild.takeQueued(), 1);
    const [closed, ...others] = await guild.notices();
    assert.deepEqual([others.length, closed?.closed_at === null], [0, false]);
    assert.match((await guild.words(closed))?.full.text ?? '', /^Fixed: the rules in Test can be decided again\./);
  });

  test('of a rule that can never be decided, and again when it breaks again', async () => {
    const guild = await settle(1);
    for (const _ of [1, 2]) {
      await guild.set('undecidable', 'no-reader:evm:1');
      t.advanceSeconds(600);
      await look();
      assert.equal(await guild.takeQueued(), 1);
      await guild.set('ok');
      await look();
      t.advanceSeconds(600);
      await look();
      assert.equal(await guild.takeQueued(), 1);
    }
    assert.equal((await guild.notices()).length, 2);
  });

  test('not of rules that are only unchecked, nor of communities that are paused', async () => {
    const [unchecked, paused] = [await settle(1), await settle(1)];
    await unchecked.set('unknown');
    await paused.set('degraded');
    await t.services.db.pool.query(`update communities set status = 'paused' where id = $1`, [paused.id]);
    t.advanceSeconds(3600);
    await look();
    assert.deepEqual([await unchecked.notices(), await paused.notices()], [[], []]);
  });
});
