import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seed, until, volume } from '@latchkey/test-kit';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { type HttpPlatform, startHttpPlatform } from './testing/http-host.ts';
import { type Guild, setUpGuild } from './testing/index.ts';

describe('writing roles while workers are killed', () => {
  const program = fileURLToPath(new URL('testing/worker.ts', import.meta.url));
  const children = new Set<ChildProcess>();
  let t: TestPlatform;
  let world: HttpPlatform;

  before(async () => {
    t = await testPlatform('kill');
    t.services.clock = () => new Date();
    // Half of the members lose the role, so approval of large removals is turned off.
    t.services.settings.gating = { heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
    world = await startHttpPlatform();
  });
  after(async () => {
    await Promise.all([...children].map(kill));
    await world.close();
    await t.close();
  });

  function startChild(): ChildProcess {
    const databaseUrl = t.services.db.pool.options.connectionString ?? '';
    const child = spawn(process.execPath, [program, databaseUrl, world.url], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.add(child);
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async function count(query: string): Promise<number> {
    const { rows } = await t.services.db.pool.query<{ n: number }>(`select count(*) as n from ${query}`);
    return rows[0]?.n ?? 0;
  }

  /** A community in which every member gains or loses the role. */
  async function settle(members: number): Promise<Guild> {
    const guild = await setUpGuild(t, { members, roles: (member) => (member % 2 === 0 ? ['gold', 'vip'] : ['vip']) });
    for (let member = 1; member < members; member += 2) guild.hold(member, '1');
    for (let member = 0; member < members; member += 1)
      world.roles.set(`${guild.guildId}/${guild.nativeIdOf(member)}`, new Set(guild.rolesOf(member)));
    await enqueueReconcile(t.services.db.system, { communityId: guild.id, members: '*', cause: 'schedule' });
    await guild.check();
    await t.services.db.pool.query(`delete from jobs where name = 'gating.check'`);
    return guild;
  }

  it('thousands of changes survive kills of the workers: all applied, each recorded once, no needless call', async (test) => {
    const size = volume(200, 2_500);
    const guilds: Guild[] = [];
    for (let at = 0; at < 4; at += 1) guilds.push(await settle(size));
    const changes = size * guilds.length;
    const drawnFrom = seed('killed writers');
    const random = seededRandom(drawnFrom);
    const draw = () => Buffer.from(random.bytes(2)).readUInt16BE() / 65_536;
    const kills = Array.from({ length: volume(2, 20) }, () => Math.floor(draw() * changes * 0.8)).toSorted(
      (a, b) => a - b,
    );
    const workers = [startChild(), startChild()];
    let inFlight = 0;
    for (const written of kills) {
      await until(`${written} changes are applied`, async () => (await count('role_ledger')) >= written);
      const victim = Math.floor(draw() * workers.length);
      const old = workers[victim];
      if (old !== undefined) await kill(old);
      inFlight += await count(`change_set_items where state = 'sent'`);
      workers[victim] = startChild();
    }
    const isDone = async () => (await count(`change_sets where status = 'done'`)) === guilds.length;
    await until('all change sets are done', isDone);
    await Promise.all(workers.map(kill));
    test.diagnostic(
      `seed ${drawnFrom}: killed after ${kills.join(', ')} of ${changes} changes, with ${inFlight} items in flight in all; ` +
        `${world.counts.changing} writes changed something, ${world.counts.idle} nothing`,
    );
    for (const guild of guilds) {
      for (let member = 0; member < size; member += 1) {
        const held = [...(world.roles.get(`${guild.guildId}/${guild.nativeIdOf(member)}`) ?? [])].toSorted();
        assert.deepEqual(held, member % 2 === 0 ? ['vip'] : ['gold', 'vip']);
      }
    }
    assert.equal(await count('role_ledger'), changes);
    assert.equal(await count('(select distinct community_id, user_id, role_id from role_ledger) as l'), changes);
    assert.deepEqual(world.counts, { changing: changes, idle: 0 });
    assert.equal(await count(`change_set_items where state <> 'confirmed'`), 0);
  });
});
