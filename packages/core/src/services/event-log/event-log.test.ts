import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Tx } from '@latchkey/db';
import { seed, volume } from '@latchkey/test-kit';
import { throwDice } from '../../gating/role-changes/testing/dice.ts';
import { eraseAccount } from '../../modules.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { deliveriesOf, newReceiver, run } from '../webhooks/testing.ts';
import { appendEvents, type CommunityEvent, endOfLog, keptDays, listLog, readLog } from './index.ts';
import { eventLogJobs } from './jobs.ts';

describe('the event log of a community', () => {
  let t: TestPlatform;
  let communities = 0;
  before(async () => {
    t = await testPlatform('event-log');
  });
  after(() => t.close());

  const newCommunity = (owner_id = 'DIS#USER#1') => ({ id: `DIS#COMM#${++communities}`, owner_id });
  const append = (tx: Tx, ...events: CommunityEvent[]) => appendEvents(t.services, tx, 'member.role-granted', events);
  const commit = (...events: CommunityEvent[]) => t.services.db.transaction('system', (tx) => append(tx, ...events));
  const read = (id: string, from = 0, limit = 100) => readLog(t.services, id, { after: from, limit });
  const notesOf = (events: readonly { body: string }[]) => events.map(({ body }) => JSON.parse(body).data.note);
  const removeOld = () => run(t, eventLogJobs[0], {});

  /** A transaction that stays open until it is committed or rolled back. */
  async function begin() {
    const end = Promise.withResolvers<'commit' | 'rollback'>();
    const opened = Promise.withResolvers<Tx>();
    const done = t.services.db
      .transaction('system', async (tx) => {
        opened.resolve(tx);
        if ((await end.promise) === 'rollback') throw new Error('rolled back');
      })
      .catch((error: Error) => assert.equal(error.message, 'rolled back'));
    const close = async (how: 'commit' | 'rollback') => {
      end.resolve(how);
      await done;
    };
    return { tx: await opened.promise, close };
  }

  it('holds what is committed, and nothing of what is rolled back', async () => {
    const community = newCommunity();
    await assert.rejects(
      t.services.db.transaction('system', async (tx) => {
        await append(tx, { community, data: { note: 'lost' } });
        throw new Error('no');
      }),
    );
    await commit({ community, memberId: 'DIS#USER#7', data: { note: 'kept' } });
    const { events, next, hasGap } = await read(community.id);
    assert.deepEqual(
      events.map(({ body }) => JSON.parse(body)),
      [
        {
          type: 'member.role-granted',
          timestamp: t.services.clock().toISOString(),
          data: { communityId: community.id, userId: 'DIS#USER#7', note: 'kept' },
        },
      ],
    );
    assert.deepEqual([hasGap, (await read(community.id, next)).events], [false, []]);
    assert.equal(await endOfLog(t.services, community.id), next);
  });

  it('shows an event of a transaction that committed late to a reader who is already further', async () => {
    const community = newCommunity();
    const slow = await begin();
    await append(slow.tx, { community, data: { note: 'written first' } });
    await commit({ community, data: { note: 'committed first' } });
    const first = await read(community.id);
    assert.deepEqual(notesOf(first.events), ['committed first']);
    await slow.close('commit');
    assert.deepEqual(notesOf((await read(community.id, first.next)).events), ['written first']);
  });

  it('never hides an event from a reader, repeats one or reorders those of a member, in any history', async () => {
    const dice = throwDice(seed('event-log'));
    const histories = volume(25, 1_000);
    for (let history = 0; history < histories; history += 1) {
      const places = [newCommunity(), newCommunity()];
      const readers = places.flatMap(({ id }) =>
        [1, 3, 100].map((limit) => ({ id, limit, at: 0, seen: [] as string[] })),
      );
      const committed: { id: string; member: string; note: string }[] = [];
      // A transaction locks each member that it changes, as the product does: by a row, for as long as it is open.
      const locked = new Map<string, number>();
      const open = new Map<number, Awaited<ReturnType<typeof begin>> & { wrote: typeof committed }>();
      const steps: string[] = [];
      const follow = async (reader: (typeof readers)[number]) => {
        const { events, next, hasGap } = await read(reader.id, reader.at, reader.limit);
        reader.at = next;
        reader.seen.push(...notesOf(events));
        assert.equal(hasGap, false);
        return events.length;
      };
      const end = async (key: number, how: 'commit' | 'rollback') => {
        const one = open.get(key);
        await one?.close(how);
        if (how === 'commit') committed.push(...(one?.wrote ?? []));
        open.delete(key);
        for (const [member, by] of locked) if (by === key) locked.delete(member);
      };
      for (let step = 0; step < 30; step += 1) {
        const keys = [...open.keys()];
        switch (dice.below(6)) {
          case 0:
            if (open.size < 2) open.set(step, { ...(await begin()), wrote: [] });
            break;
          case 1:
          case 2: {
            if (keys.length === 0) break;
            const key = dice.oneOf(keys);
            const [{ id, owner_id }, member] = [dice.oneOf(places), `DIS#USER#${dice.below(4)}`];
            if ((locked.get(member) ?? key) !== key) break;
            locked.set(member, key);
            const one = open.get(key);
            const note = `${history}/${step}`;
            if (one === undefined) break;
            await append(one.tx, { community: { id, owner_id }, memberId: member, data: { note } });
            one.wrote.push({ id, member, note });
            steps.push(`${key} writes ${note}`);
            break;
          }
          case 3:
            if (keys.length > 0) await end(dice.oneOf(keys), dice.below(5) === 0 ? 'rollback' : 'commit');
            break;
          default: {
            const first = dice.below(readers.length);
            const second = (first + 1 + dice.below(readers.length - 1)) % readers.length;
            const both = [readers[first], readers[second]].filter((reader) => reader !== undefined);
            await Promise.all(both.slice(0, 1 + dice.below(2)).map(follow));
          }
        }
      }
      for (const key of [...open.keys()]) await end(key, 'commit');
      for (const reader of readers) {
        while ((await follow(reader)) > 0);
        const there = committed.filter(({ id }) => id === reader.id);
        const label = `history ${history}: ${steps.join(', ')}`;
        assert.deepEqual(reader.seen.toSorted(), there.map(({ note }) => note).toSorted(), label);
        for (const [member, own] of Map.groupBy(there, ({ member }) => member)) {
          const notes = own.map(({ note }) => note);
          assert.deepEqual(
            reader.seen.filter((note) => notes.includes(note)),
            notes,
            `${member} in ${label}`,
          );
        }
      }
    }
  });

  it('gives concurrent readers the same order, each event once', async () => {
    const community = newCommunity();
    for (let note = 0; note < 20; note += 1) await commit({ community, data: { note } });
    const parts = await Promise.all(Array.from({ length: 8 }, () => read(community.id)));
    for (const { events } of parts) assert.deepEqual(notesOf(events), [...Array(20).keys()]);
    assert.deepEqual(
      parts[0]?.events.map(({ position }) => position),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('lists the newest first, by type and by member', async () => {
    const community = newCommunity();
    for (const member of ['DIS#USER#1', 'DIS#USER#2', 'DIS#USER#1'])
      await commit({ community, memberId: member, data: { note: member.at(-1) } });
    const ofRule: CommunityEvent[] = [{ community, data: { note: 'rule' } }];
    await t.services.db.transaction('system', (tx) => appendEvents(t.services, tx, 'rule.created', ofRule));
    const list = async (filter: object) => notesOf(await listLog(t.services, community.id, { limit: 10, ...filter }));
    assert.deepEqual(await list({}), ['rule', '1', '2', '1']);
    assert.deepEqual(await list({ memberId: 'DIS#USER#1' }), ['1', '1']);
    assert.deepEqual(await list({ type: 'rule.created' }), ['rule']);
    assert.deepEqual(await list({ before: 3 }), ['2', '1']);
  });

  it('removes events after 30 days, also unread ones, and then says so to readers from before', async () => {
    const community = newCommunity();
    await commit({ community, data: { note: 'old and read' } });
    const { next: early } = await read(community.id);
    await commit({ community, data: { note: 'old and unread' } });
    t.advanceSeconds((keptDays + 1) * 24 * 60 * 60);
    await commit({ community, data: { note: 'new' } });
    await removeOld();
    const after = await read(community.id, early);
    assert.deepEqual([notesOf(after.events), after.hasGap], [['new'], true]);
    const again = await read(community.id, after.next);
    assert.deepEqual([again.events, again.hasGap], [[], false]);
    const fromStart = await read(community.id);
    assert.deepEqual([notesOf(fromStart.events), fromStart.hasGap], [['new'], false]);
  });

  it('moves a reader past what was removed, so that a gap is reported once', async () => {
    const community = newCommunity();
    await commit({ community, data: { note: 'read' } });
    const { next } = await read(community.id);
    await commit({ community, data: { note: 'missed' } });
    t.advanceSeconds((keptDays + 1) * 24 * 60 * 60);
    await removeOld();
    const gap = await read(community.id, next);
    assert.deepEqual([gap.events, gap.hasGap], [[], true]);
    assert.deepEqual((await read(community.id, gap.next)).hasGap, false);
    await commit({ community, data: { note: 'later' } });
    assert.deepEqual(notesOf((await read(community.id, gap.next)).events), ['later']);
  });

  it('is the source of webhooks: the same id and text, and no outbox row where nobody subscribes', async () => {
    const receiver = await newReceiver(t, ['member.role-granted']);
    const [heard, unheard] = [newCommunity(receiver.owner.userId), newCommunity('DIS#USER#99')];
    await commit({ community: heard, data: { note: 1 } }, { community: unheard, data: { note: 2 } });
    const outbox = await t.services.db.system.selectFrom('events').select(['id', 'body']).execute();
    const { events } = await read(heard.id);
    assert.deepEqual(
      outbox,
      events.map(({ id, body }) => ({ id, body })),
    );
    assert.deepEqual(await deliveriesOf(t.services.db.system, events[0]?.id ?? ''), []);
  });

  it('loses what mentions an erased person', async () => {
    const community = newCommunity();
    await commit(
      { community, memberId: 'DIS#USER#55', data: { note: 'about' } },
      { community, data: { note: 'by', changedBy: 'DIS#USER#55' } },
      { community, data: { note: 'another', changedBy: 'DIS#USER#555' } },
    );
    await eraseAccount(t.as(operator), 'DIS#USER#55');
    assert.deepEqual(notesOf((await read(community.id)).events), ['another']);
  });
});
