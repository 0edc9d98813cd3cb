import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { putPolicy } from '../../gating/approval-policies/index.ts';
import { approveChangeSet, listChangeSets } from '../../gating/role-changes/index.ts';
import { admin, type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { contextFor } from '../../shared/context.ts';
import { Crash, crashingInside, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { composeNotice } from './compose.ts';
import { findNews } from './find.ts';
import type { NoticeRow } from './queries.ts';

const members = 120;

describe('admins are notified that a held change set grew', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('held-growth');
  });
  after(() => t.close());

  const system = () => contextFor(t.services, { kind: 'system', job: 'test' });
  const find = () => Promise.all([findNews(system()), findNews(system())]);

  /** A community that approves every removal. All members have the role, and the first twelve hold nothing any more. */
  async function held(): Promise<Guild> {
    const guild = await setUpGuild(t, { members, roles: () => ['gold'] });
    await t.services.db.transaction('system', (tx) =>
      putPolicy(tx, guild.id, { approvers: 1, removalsPerDay: 0, roles: [] }),
    );
    for (let member = 0; member < members; member += 1) guild.hold(member, '1');
    await losing(guild, 0, 12);
    return guild;
  }
  async function losing(guild: Guild, from: number, to: number): Promise<void> {
    for (let member = from; member < to; member += 1) guild.hold(member, '0');
    await guild.resync();
  }
  async function noticesOf(guild: Guild): Promise<NoticeRow[]> {
    const { rows } = await t.services.db.pool.query<NoticeRow>(
      `select * from admin_notices where community_id = $1 and kind = 'held-growth' order by noted_at, about`,
      [guild.id],
    );
    return rows;
  }
  const numbersOf = async (guild: Guild) =>
    (await noticesOf(guild)).map(({ details: { before, waiting } }) => [before, waiting]);
  async function titleOf(guild: Guild, notice: NoticeRow | undefined) {
    const community = await t.services.db.system
      .selectFrom('communities')
      .selectAll()
      .where('id', '=', guild.id)
      .executeTakeFirstOrThrow();
    assert.ok(notice);
    return composeNotice(system(), community, notice);
  }

  it('once for each doubling, however many checks added to it', async () => {
    const guild = await held();
    await find();
    await losing(guild, 12, 20);
    await find();
    assert.deepEqual(await numbersOf(guild), [], 'a few more are not worth a message');
    await losing(guild, 20, 25);
    await find();
    await losing(guild, 25, 30);
    await find();
    assert.deepEqual(await numbersOf(guild), [[12, 25]]);
    await losing(guild, 30, 100);
    await find();
    await find();
    assert.deepEqual(await numbersOf(guild), [
      [12, 25],
      [25, 100],
    ]);
    const text = await titleOf(guild, (await noticesOf(guild))[1]);
    assert.match(text?.title ?? '', / that needs your approval grew from 25 to 100 changes: 100 members lose /);
    assert.ok(text?.full.text.includes('100 of 120 members'));
  });

  it('not again after it shrank, and not before it grew by ten', async () => {
    const guild = await held();
    await find();
    await losing(guild, 12, 26);
    await find();
    for (let member = 0; member < 20; member += 1) guild.hold(member, '1');
    await guild.resync();
    await find();
    await losing(guild, 0, 26);
    await find();
    assert.deepEqual(await numbersOf(guild), [[12, 26]]);
  });

  it('exactly once, wherever the process that notes it dies', async () => {
    const guild = await held();
    await find();
    await losing(guild, 12, 30);
    let crashes = 0;
    for (let survived = 0; ; survived += 1) {
      const db = crashingInside(t.services.db, survived, { isAtomic: true });
      const failure = await findNews({ ...system(), db }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) break;
      assert.ok(failure instanceof Crash);
      crashes += 1;
    }
    assert.ok(crashes > 0);
    await find();
    assert.deepEqual(await numbersOf(guild), [[12, 30]]);
  });

  it('and its message is closed with the decision', async () => {
    const guild = await held();
    await find();
    await losing(guild, 12, 30);
    await find();
    const { items } = await listChangeSets(t.as(admin), guild.id, { status: 'held' });
    await approveChangeSet(t.as(admin), items[0]?.id ?? '');
    await find();
    const [notice] = await noticesOf(guild);
    assert.ok(notice?.closed_at);
    assert.match((await titleOf(guild, notice))?.title ?? '', /^Role change in .*: 30 members lose .* Approved by /);
  });
});
