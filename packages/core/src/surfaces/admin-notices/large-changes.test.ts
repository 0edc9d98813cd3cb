import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rewriteRule } from '../../gating/community-rules/index.ts';
import { approveChangeSet, listChangeSets, undoChangeSet, writeWaiting } from '../../gating/role-changes/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { newReceiver } from '../../services/webhooks/testing.ts';
import { contextFor } from '../../shared/context.ts';
import { Crash, crashing, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findNews } from './find.ts';

const members = 16;

describe('notices of large changes', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('large-change-notices');
    if (admin.kind === 'user') await newReceiver(t, ['change-set.large'], admin);
  });
  after(() => t.close());

  const system = (survived = Number.MAX_SAFE_INTEGER) => ({
    ...contextFor(t.services, { kind: 'system', job: 'test' }),
    db: crashing(t.services.db, survived),
  });

  /** A community whose members all qualify for gold as soon as its rule requires only one token. */
  async function open(): Promise<Guild> {
    const guild = await setUpGuild(t, { members, rules: [erc20Rule('gold', '100')] });
    for (let member = 0; member < members; member += 1) guild.hold(member, '5');
    return guild;
  }
  const edit = async (guild: Guild, needed: string) => {
    await rewriteRule(t.as(operator), { id: guild.id, tpcId: 'TPC#1', body: erc20Rule('gold', needed) });
    await guild.check();
  };
  async function toldOf(guild: Guild) {
    const { rows } = await t.services.db.pool.query<{ about: string; written: unknown }>(
      `select about, details -> 'written' as written from admin_notices where community_id = $1 order by noted_at`,
      [guild.id],
    );
    return rows;
  }
  async function eventsOf(guild: Guild) {
    const { rows } = await t.services.db.pool.query<{ data: unknown }>(
      `select body::jsonb -> 'data' as data from events where body::jsonb -> 'data' ->> 'communityId' = $1`,
      [guild.id],
    );
    return rows.map(({ data }) => data);
  }
  const written = async (guild: Guild) => {
    const { items } = await listChangeSets(t.as(admin), guild.id);
    return items.find(({ written_members }) => written_members > 0)?.id ?? '';
  };

  it('of two rules saved within seconds, the change that was written is announced, and undone by its button once that is approved', async () => {
    const guild = await open();
    await edit(guild, '1');
    await findNews(system());
    await edit(guild, '2');
    await guild.write();
    await findNews(system());
    const changeSetId = await written(guild);
    const all = { grants: members, revokes: 0 };
    assert.deepEqual(await toldOf(guild), [{ about: changeSetId, written: all }]);
    assert.deepEqual(await eventsOf(guild), [{ communityId: guild.id, changeSetId, ...all }]);
    const undo = await undoChangeSet(t.as(admin), changeSetId);
    await guild.check();
    await guild.write();
    assert.deepEqual([undo.status, guild.rolesOf(0)], ['held', ['gold']]);
    await approveChangeSet(t.as(admin), undo.id);
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), []);
  });

  it('what was written before the database stopped is announced after the restart, however late, and once', async () => {
    const guild = await open();
    await edit(guild, '1');
    await assert.rejects(writeWaiting(system(3), guild.id, new AbortController().signal), Crash);
    await writeWaiting(system(), guild.id, new AbortController().signal);
    await assert.rejects(findNews(system(0)), Crash);
    assert.deepEqual(await toldOf(guild), []);
    t.advanceSeconds(2 * 24 * 60 * 60);
    await findNews(system());
    await findNews(system());
    assert.deepEqual(await toldOf(guild), [{ about: await written(guild), written: { grants: members, revokes: 0 } }]);
    assert.equal((await eventsOf(guild)).length, 1);
  });

  it('a second large change right after another one is announced too', async () => {
    const guild = await setUpGuild(t, { members, rules: [erc20Rule('gold', '100'), erc20Rule('silver', '100')] });
    for (let member = 0; member < members; member += 1) guild.hold(member, '5');
    for (const [at, role] of ['gold', 'silver'].entries()) {
      await rewriteRule(t.as(operator), { id: guild.id, tpcId: `TPC#${at + 1}`, body: erc20Rule(role, '1') });
      await guild.check();
      await guild.write();
      await findNews(system());
    }
    assert.equal((await toldOf(guild)).length, 2);
  });

  it('admins are notified while it is written, and the message gets the final numbers once', async () => {
    const guild = await open();
    t.host.interfere((write) =>
      write.communityId === guild.guildId && guild.writes().length > 12
        ? { kind: 'failed', reason: 'busy' }
        : undefined,
    );
    await edit(guild, '1');
    await guild.write();
    await findNews(system());
    const changeSetId = await written(guild);
    assert.deepEqual(await toldOf(guild), [{ about: changeSetId, written: null }]);
    assert.deepEqual(await eventsOf(guild), [], 'applications get only the final numbers');
    t.host.interfere(undefined);
    t.advanceSeconds(600);
    await guild.write();
    await findNews(system());
    await findNews(system());
    assert.deepEqual(await toldOf(guild), [{ about: changeSetId, written: { grants: members, revokes: 0 } }]);
    assert.deepEqual(await eventsOf(guild), [{ communityId: guild.id, changeSetId, grants: members, revokes: 0 }]);
  });

  it('a change that ended small is not announced', async () => {
    const guild = await open();
    for (let member = 5; member < members; member += 1) guild.hold(member, '0');
    await edit(guild, '1');
    await guild.write();
    await findNews(system());
    assert.deepEqual(await toldOf(guild), []);
  });
});
