import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { userKey } from '../../shared/qualified-ids.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { deleteOldBypasses, forgetInBypasses, recordBypass, selectWays } from './bypasses.ts';

describe('the ways around the gate of a Telegram chat', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('bypasses');
  });
  after(() => t.close());

  let chats = 0;
  async function open(): Promise<string> {
    chats += 1;
    const id = `TEL#COMM#-100${chats}`;
    await t.services.db.pool.query(
      `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
         created_at, updated_at)
       values ($1, 'telegram', $2, 'Cats', 'active', 'TEL#USER#1', '{}', false, now(), now())`,
      [id, `-100${chats}`],
    );
    return id;
  }
  const join = (communityId: string, user: string, link: string) =>
    t.services.db.transaction('system', (tx) =>
      recordBypass(tx, {
        communityId,
        user: { id: user, name: `Name ${user}`, isBot: false },
        way: { kind: 'link', link: { url: link, isOwn: false } },
        at: t.services.clock(),
      }),
    );
  const ways = async (communityId: string) =>
    (await selectWays(t.services.db.system, communityId, { limit: 10 })).map(({ link, joins, names }) => ({
      link,
      joins,
      names,
    }));

  test('have the joins that are kept: counted once, forgotten with the person, deleted with age', async () => {
    const [id, other] = [await open(), await open()];
    await join(id, '1', 'https://t.me/+a');
    await join(id, '1', 'https://t.me/+a');
    await join(other, '1', 'https://t.me/+a');
    t.advanceSeconds(60);
    await join(id, '2', 'https://t.me/+b');
    t.advanceSeconds(60);
    await join(id, '3', 'https://t.me/+a');
    const [a, b] = ['https://t.me/+a', 'https://t.me/+b'];
    assert.deepEqual(await ways(id), [
      { link: a, joins: 2, names: ['Name 3', 'Name 1'] },
      { link: b, joins: 1, names: ['Name 2'] },
    ]);
    await forgetInBypasses(t.services.db.system, userKey('telegram', '3'));
    assert.deepEqual(await ways(id), [
      { link: b, joins: 1, names: ['Name 2'] },
      { link: a, joins: 1, names: ['Name 1'] },
    ]);
    await forgetInBypasses(t.services.db.system, userKey('telegram', '2'));
    assert.deepEqual(await ways(id), [{ link: a, joins: 1, names: ['Name 1'] }]);
    t.advanceSeconds(91 * 24 * 3600);
    assert.equal(await deleteOldBypasses(t.services.db.system, t.services.clock(), 100), 2);
    assert.deepEqual([await ways(id), await ways(other)], [[], []]);
    assert.equal((await t.services.db.pool.query('select from gate_ways')).rowCount, 0);
  });

  test('cost the same to list with a hundred joins each as with ten thousand', async () => {
    const { db } = t.services;
    const fill = async (joins: number) => {
      const id = await open();
      await db.pool.query(
        `insert into gate_bypasses (community_id, user_id, user_name, joined_at, way_id, kind, link)
         select $1, 'u' || n, 'Name ' || n, now() - n * interval '1 second', 'way ' || n % 5, 'link', 'l' || n % 5
         from generate_series(1, $2::int) n`,
        [id, joins],
      );
      return id;
    };
    const [few, many] = [await fill(500), await fill(50_000)];
    await db.pool.query('analyze gate_bypasses, gate_ways');
    const rowsRead = (id: string) =>
      db.transaction('system', async (tx) => {
        const read = async () => {
          const { rows } = await sql<{ n: number }>`
            select sum(seq_tup_read + idx_tup_fetch)::int as n from pg_stat_xact_user_tables
            where relname in ('gate_bypasses', 'gate_ways')`.execute(tx);
          return rows[0]?.n ?? Number.NaN;
        };
        const earlier = await read();
        const found = await selectWays(tx, id, { limit: 3 });
        assert.equal(found.length, 3);
        return (await read()) - earlier;
      });
    const [ofFew, ofMany] = [await rowsRead(few), await rowsRead(many)];
    assert.ok(ofFew < 60 && ofMany < 60, `${ofMany} rows of 50,000 joins, ${ofFew} of 500`);
    const [way] = await selectWays(db.system, many, { limit: 1 });
    assert.deepEqual([way?.joins, way?.names.length], [10_000, 5]);
  });
});
