import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '@latchkey/db';
import { seed, volume } from '@latchkey/test-kit';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { rewriteRule } from '../../gating/community-rules/index.ts';
import {
  approveChangeSet,
  listChangeSets,
  reconcileCommunityJob,
  undoChangeSet,
  writeWaiting,
} from '../../gating/role-changes/index.ts';
import { type Dice, throwDice } from '../../gating/role-changes/testing/dice.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { newReceiver } from '../../services/webhooks/testing.ts';
import { contextFor } from '../../shared/context.ts';
import { Crash, crashing, crashingInside, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findNews } from './find.ts';

const histories = volume(300, 10_000);
/** A part has a database of its own: news are looked for in all communities, so each history would pay for those before it. */
const partSize = 100;
const mostSteps = 14;
const members = Array.from({ length: 14 }, (_, member) => member);
const roles = ['gold', 'silver'];
const contracts: Readonly<Record<string, string>> = { gold: `0x${'c'.repeat(40)}`, silver: `0x${'d'.repeat(40)}` };

/** The database of a process that announces changes and dies after so many transactions, or statements of them. */
type Announcing = (db: Database, survived: number) => Database;

/** Dies between two statements of a transaction. */
const dyingInside: Announcing = (db, survived) => crashingInside(db, survived, { isAtomic: true });

/** Plays histories on one platform, and returns how many large changes they announced. */
async function playHistories(
  t: TestPlatform,
  from: number,
  to: number,
  announcing: Announcing = dyingInside,
): Promise<number> {
  let announced = 0;
  const never = Number.MAX_SAFE_INTEGER;
  const system = (survived: number) => ({
    ...contextFor(t.services, { kind: 'system', job: 'test' }),
    db: crashing(t.services.db, survived),
  });
  const signal = () => new AbortController().signal;
  const check = (guild: Guild, survived = never) => reconcileCommunityJob(system(survived), guild.id);
  const write = (guild: Guild, survived = never) => writeWaiting(system(survived), guild.id, signal());
  const announce = (survived = never) => findNews({ ...system(never), db: announcing(t.services.db, survived) });

  async function untilCrash(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
  }

  async function take(dice: Dice, guild: Guild): Promise<string> {
    const role = dice.oneOf(roles);
    const survived = dice.oneOf([0, 1, 2, 3, 5, never, never]);
    switch (dice.below(9)) {
      case 0:
      case 1:
      case 2: {
        const needed = dice.oneOf(['1', '50', '200']);
        const body = erc20Rule(role, needed, contracts[role]);
        await rewriteRule(t.as(operator), { id: guild.id, tpcId: `TPC#${roles.indexOf(role) + 1}`, body });
        return `${role} needs ${needed}`;
      }
      case 3:
        await untilCrash(check(guild, survived));
        return `check, crash after ${survived}`;
      case 4:
      case 5:
        await untilCrash(write(guild, survived));
        return `write, crash after ${survived}`;
      case 6:
        await untilCrash(announce(survived));
        return `announce, crash after ${survived}`;
      case 7: {
        const { items } = await listChangeSets(t.as(admin), guild.id);
        const held = items.find(({ status }) => status === 'held');
        if (held !== undefined) await approveChangeSet(t.as(admin), held.id);
        return 'approve what is held';
      }
      default: {
        const { items } = await listChangeSets(t.as(admin), guild.id);
        const undoable = items.filter(({ status }) => ['approved', 'applying', 'done'].includes(status));
        if (undoable.length === 0 || dice.below(2) === 0) return 'nothing';
        const { id } = dice.oneOf(undoable);
        await undoChangeSet(t.as(admin), id);
        return `undo ${id}`;
      }
    }
  }

  async function run(number: number): Promise<void> {
    const dice = throwDice(`${seed('large changes')} ${number}`);
    const rules = roles.map((role) => erc20Rule(role, '200', contracts[role]));
    const guild = await setUpGuild(t, { members: members.length, rules });
    for (const member of members)
      for (const role of roles) guild.hold(member, String(dice.below(120)), contracts[role]);
    const steps: string[] = [];
    for (let step = 0; step < mostSteps; step += 1) {
      t.advanceSeconds(dice.oneOf([1, 1, 200]));
      steps.push(await take(dice, guild));
    }
    // The next process does whatever crashes left undone.
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    const where = `history ${number}: ${steps.join('; ')}`;
    for (let round = 0, before = '', now = 'at first'; now !== before; round += 1) {
      assert.ok(round < 10, `${where}: it never ends`);
      t.advanceSeconds(200);
      await check(guild);
      await write(guild);
      await announce();
      [before, now] = [now, await progressOf(guild)];
    }
    await compare(guild, where);
  }

  /** Everything that a round could change: how far change sets and their notices are, and what is waiting. */
  async function progressOf(guild: Guild): Promise<string> {
    const { rows } = await t.services.db.pool.query(
      `select (select max(id) from role_ledger where community_id = $1) as entry,
         (select count(*) from admin_notices where community_id = $1) as notices,
         (select count(*) from reconcile_queue where community_id = $1) as queued,
         (select count(*) from change_set_items where community_id = $1 and state in ('pending', 'sent')) as open,
         array(select id || status || large_notice from change_sets where community_id = $1 order by id) as change_sets`,
      [guild.id],
    );
    return JSON.stringify(rows);
  }

  /** Compares the ledger entries of each change set with its announcements. */
  async function compare(guild: Guild, where: string): Promise<void> {
    const { rows } = await t.services.db.pool.query<{
      id: string;
      status: string;
      isDecided: boolean;
      planned: number;
      members: number;
      written: { grants: number; revokes: number };
      counted: { grants: number; revokes: number };
      notices: { grants: number; revokes: number }[];
      events: { grants: number; revokes: number }[];
    }>(
      `select p.id, p.status, p.decided_by is not null as "isDecided", p.calls as planned,
         (select count(distinct l.user_id)::int from role_ledger l where l.change_set_id = p.id) as members,
         (select jsonb_build_object('grants', count(*) filter (where action = 'grant'),
           'revokes', count(*) filter (where action = 'revoke')) from role_ledger l where l.change_set_id = p.id) as written,
         jsonb_build_object('grants', p.written_grants, 'revokes', p.written_revokes) as counted,
         array(select n.details -> 'written' from admin_notices n where n.kind = 'large-change' and n.about = p.id) as notices,
         array(select (e.body::jsonb -> 'data') - 'communityId' - 'changeSetId' from events e
           where e.type = 'change-set.large' and e.body::jsonb -> 'data' ->> 'changeSetId' = p.id) as events
       from change_sets p where p.community_id = $1`,
      [guild.id],
    );
    announced += rows.flatMap(({ notices }) => notices).length;
    for (const { id, status, isDecided, planned, members: changed, written, counted, notices, events } of rows) {
      const which = `${where}: ${id} is ${status}`;
      assert.deepEqual(counted, written, which);
      if (status === 'done' && planned > 0) assert.ok(changed > 0, which);
      if (status === 'dropped') assert.equal(changed, 0, which);
      // Every community here is small: ten changed members are always more than a twentieth.
      const expected = !isDecided && changed >= 10 ? [written] : [];
      assert.deepEqual([notices, events], [expected, expected], which);
    }
  }

  for (let number = from; number < to; number += 1) await run(number);
  return announced;
}

// Most of the time is spent waiting for the database, so several parts run side by side, each with its own.
describe('random histories of large changes with crashes between their steps', { concurrency: 6 }, () => {
  for (let from = 0; from < histories; from += partSize) {
    const to = Math.min(from + partSize, histories);
    it(`announce each once, with the numbers of the ledger: histories ${from} to ${to - 1}`, async () => {
      const t = await testPlatform(`large-changes ${from}`);
      try {
        await newReceiver(t, ['change-set.large'], admin);
        const announced = await playHistories(t, from, to);
        assert.ok(announced >= (to - from) / 2, `${announced} large changes are too few to say anything`);
      } finally {
        await t.close();
      }
    });
  }

  it('an announcement that is stored in pieces does not match the ledger', async () => {
    const t = await testPlatform('large-changes in pieces');
    try {
      await newReceiver(t, ['change-set.large'], admin);
      const inPieces: Announcing = (db, survived) => crashingInside(db, survived, { isAtomic: false });
      await assert.rejects(playHistories(t, 0, 100, inPieces), { name: 'AssertionError', message: /history \d+: / });
    } finally {
      await t.close();
    }
  });
});
