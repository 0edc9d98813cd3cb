import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { seed, until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import { throwDice } from '../harness/dice.ts';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  gateGuild,
  holdersOf,
  keyRule,
  openPlatform,
  startGatedWorld,
} from '../harness/gated-world.ts';
import { type LatchkeyProcess, startLatchkey } from '../harness/processes.ts';

const changes = volume(80, 600);
const kills = volume(2, 20);

describe('a worker that is killed while it writes roles', () => {
  const addresses = someAddresses(changes);
  let database: TestDatabase;
  let world: GatedWorld;
  let guild: GatedGuild;
  let client: pg.Client;
  const workers: LatchkeyProcess[] = [];

  before(async () => {
    database = await createTestDatabase({ name: 'role-writes', migrate: true });
    world = await startGatedWorld({ areLimitsWide: true });
    const { chain, discord, environment } = world;
    client = new pg.Client(database.adminUrl);
    await client.connect();
    guild = fillGuild(discord, addresses);
    // Every second member qualifies for the role and lacks it; the others have it and do not qualify.
    await chain.mintKeys(addresses.filter((_, index) => deserves(index)));
    for (const [index, { userId }] of guild.members.entries())
      if (!deserves(index)) discord.setMemberRoles(guild.id, userId, guild.roleIds);
    const { services, close } = await openPlatform(database.url, environment);
    await gateGuild(services, guild, [keyRule(chain, guild.roleIds[0] ?? '')]);
    await close();
  });
  after(async () => {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
    await client.end();
    await world[Symbol.asyncDispose]();
    await database.drop();
  });

  const deserves = (index: number) => index % 2 === 0;

  async function startWorker(): Promise<LatchkeyProcess> {
    const worker = startLatchkey(['worker'], { DATABASE_URL: database.url, ...world.environment });
    workers.push(worker);
    await worker.printed(/worker is running/);
    return worker;
  }

  const written = () => {
    const { byRoute } = world.discord.counts();
    const labels = Object.keys(byRoute).filter((label) => /^(PUT|DELETE|PATCH) .*members/.test(label));
    return labels.reduce((sum, label) => sum + (byRoute[label] ?? 0), 0);
  };

  async function count(from: string): Promise<number> {
    const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${from}`);
    return rows[0]?.n ?? Number.NaN;
  }

  test('another one continues: every role ends up right, and each change is in the ledger once', async (t) => {
    const dice = throwDice(seed('killed while writing'));
    const moments = Array.from({ length: kills }, (_, n) =>
      Math.floor(((n + dice.below(100) / 100) * changes) / kills),
    );
    let worker = await startWorker();
    let inProgress = 0;
    const killedAfter: number[] = [];
    // A kill may fall between two writes; then one more is added at the next write.
    const more = () => (inProgress === 0 && written() < changes - kills ? written() : undefined);
    for (let moment = moments.shift(); moment !== undefined; moment = moments.shift() ?? more()) {
      await until(`more than ${moment} roles are written`, () => written() > moment);
      worker.signal('SIGKILL');
      await worker.ended();
      killedAfter.push(written());
      inProgress += await count(`change_set_items where state = 'sent'`);
      worker = await startWorker();
    }
    await until('every change is in the ledger', async () => (await count('role_ledger')) >= changes);
    // A check that starts while the rule is being saved plans changes that the next check replaces: those were not
    // written.
    const unfinished = `change_sets p where status <> 'done'
      and (status <> 'dropped' or exists (select from role_ledger l where l.change_set_id = p.id))`;
    await until('every change set is done', async () => (await count(unfinished)) === 0);
    const { rows } = await client.query(
      'select sum(written_grants + written_revokes)::int as written from change_sets',
    );
    assert.equal(rows[0]?.written, changes);

    const { noOpWrites, rateLimited } = world.discord.counts();
    t.diagnostic(
      `killed after ${killedAfter.join(', ')} writes with ${inProgress} under way in all; ` +
        `${written()} writes for ${changes} changes, of which ${noOpWrites} changed nothing`,
    );
    const right = guild.members.filter((_, index) => deserves(index));
    assert.deepEqual(holdersOf(world.discord, guild, guild.roleIds[0] ?? ''), right);
    assert.equal(await count('role_ledger'), changes);
    assert.equal(await count('(select distinct user_id, role_id, action from role_ledger) as l'), changes);
    assert.ok(inProgress > 0, 'no kill happened in the middle of a write');
    assert.ok(noOpWrites <= inProgress, `${noOpWrites} writes changed nothing, ${inProgress} were under way`);
    assert.equal(rateLimited, 0);
  });
});
