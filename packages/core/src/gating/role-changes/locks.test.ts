import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isUnavailable } from '@latchkey/db';
import { removeCommunity, setCommunityStatus } from '../../communities/community/index.ts';
import { noteMember } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { startResyncs } from '../followers/index.ts';
import { type Guild, setUpGuild } from './testing/index.ts';

const rounds = 15;
const members = 12;

describe('what happens to a community at the same time', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('locks');
  });
  after(() => t.close());

  /** Every operation that checks, queues or changes a community, all at once. */
  function everythingOnce(guild: Guild, round: number): Promise<unknown>[] {
    const { db } = t.services;
    const all = Array.from({ length: members }, (_, member) => guild.idOf(member));
    const turned = [...all.slice(round % members), ...all.slice(0, round % members)];
    const inTransaction = (users: readonly string[] | '*') =>
      db.transaction('system', (tx) =>
        enqueueReconcile(tx, { communityId: guild.id, members: users, cause: 'requested' }),
      );
    return [
      startResyncs(t.services),
      inTransaction('*'),
      inTransaction(turned),
      inTransaction(turned.toReversed()),
      guild.check(),
      setCommunityStatus(t.services, guild.id, round % 2 === 0 ? 'kicked' : 'active'),
      noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(round % members), {
        kind: 'joined',
        roleIds: [],
      }),
    ];
  }

  it('ends without a deadlock', async () => {
    const guilds = [await setUpGuild(t, { members }), await setUpGuild(t, { members })];
    const { pool } = t.services.db;
    for (let round = 0; round < rounds; round += 1) {
      // Due again, with an empty queue: the first queue entry of a community locks its row.
      await pool.query('update communities set next_check_at = null');
      if (round % 3 === 0) await pool.query('delete from reconcile_queue');
      await Promise.all(guilds.flatMap((guild) => everythingOnce(guild, round)));
    }
  });

  it('lets a community be removed, whatever else is running', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const guild = await setUpGuild(t, { members });
      await guild.check();
      const others = Promise.allSettled(everythingOnce(guild, round));
      await removeCommunity({ tx: (work) => t.services.db.transaction('system', work) }, { id: guild.id });
      const lost = (await others).filter((end) => end.status === 'rejected' && isUnavailable(end.reason));
      assert.deepEqual(lost, []);
    }
  });
});
