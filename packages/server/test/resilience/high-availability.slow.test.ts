import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { someAddresses } from '@latchkey/chains/testing';
import { bound, until, volume } from '@latchkey/test-kit';
import pg from 'pg';
import { getAddress } from 'viem';
import {
  fillGuild,
  type GatedGuild,
  type GatedWorld,
  holdersOf,
  keyRule,
  startGatedWorld,
} from '../harness/gated-world.ts';
import { type Call, keepAlive, type Load, type Outcome, send, startLoad } from '../harness/load.ts';
import { type PatroniCluster, startPatroniCluster, withoutCluster } from '../harness/patroni/cluster.ts';
import type { DatabaseNode } from '../harness/patroni/node.ts';
import {
  command,
  type Environment,
  freePorts,
  type LatchkeyProcess,
  startLatchkey,
  statusOf,
} from '../harness/processes.ts';

const skip =
  volume(0, 1) === 0 ? 'The deep run starts three database nodes with etcd and Patroni.' : (withoutCluster() ?? false);
const writesPerStage = 100;
const rolesPerStage = 3;
/** The load goes on while nodes start, up to this many roles. */
const mostRolesPerStage = 15;
const stages = 15;
const members = stages * mostRolesPerStage;
const writers = 3;
/** What happens to writes while the primary changes matters here, not how many there are. */
const pauseMs = 50;
/** The lease of the primary, the round in which its end is noticed, and the promotion: `ttl` and `loop_wait` in patroni.yml. */
const failoverMs = 45_000;
const switchoverMs = 20_000;

describe('three database nodes with Patroni and etcd, under load', { skip }, () => {
  const addresses = someAddresses(members);
  const agent = keepAlive();
  const acknowledged = new Map<string, string>();
  /** When each write was acknowledged, in order. */
  const times: number[] = [];
  let refused = 0;
  let cluster: PatroniCluster;
  let world: GatedWorld;
  let guild: GatedGuild;
  let environment: Environment;
  let processes: LatchkeyProcess[] = [];
  let url: string;
  let operator: Record<string, string>;
  let load: Load | undefined;
  let written = 0;
  let holders = 0;
  let mostHolders = mostRolesPerStage;

  before(async () => {
    cluster = await startPatroniCluster();
    world = await startGatedWorld({ areLimitsWide: true });
    const port = await freePorts();
    url = `http://127.0.0.1:${port}`;
    environment = {
      ...world.environment,
      DATABASE_URL: cluster.urls.system,
      LATCHKEY_TENANT_DATABASE_URL: cluster.urls.tenant,
      LATCHKEY_BASE_URL: 'http://localhost:3000',
      LATCHKEY_PORT: String(port),
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
    };
    await command(['migrate'], environment);
    const key = await command(['admin-key', 'create', 'test'], environment);
    operator = { 'x-api-key': /shown only once:\n\s*(\S+)/.exec(key)?.[1] ?? '' };
    processes = [startLatchkey(['server'], environment), startLatchkey(['worker'], environment)];
    await Promise.all(processes.map((process) => process.printed(/(server|worker) is running/)));
    await isReady();
    await gate();
    load = startLoad(writers + 1, (loop) => (loop < writers ? write() : giveKey()));
  });
  after(async () => {
    await load?.stop().catch(() => undefined);
    await Promise.all(processes.map((process) => process[Symbol.asyncDispose]()));
    agent.destroy();
    await world?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const isReady = () => until('the server is ready', async () => (await statusOf(`${url}/health/ready`)) === 200);

  const call = ({ headers = operator, ...request }: Call): Promise<Outcome> =>
    send(agent, url, { ...request, headers });

  /** Sends one write. It is acknowledged, or refused as "not now": anything else fails the test. */
  async function write(): Promise<void> {
    await delay(pauseMs);
    written += 1;
    const name = `state ${written}`;
    const outcome = await call({ method: 'POST', path: '/states', json: { name } });
    if (outcome.status === 200) {
      acknowledged.set(JSON.parse(outcome.body).slug, name);
      times.push(performance.now());
      return;
    }
    assert.equal(outcome.status, 503, `${outcome.body} ${outcome.failure ?? ''}`);
    assert.ok(outcome.headers['retry-after'] !== undefined, 'a refusal says when to try again');
    refused += 1;
  }

  /** Gives one more member what the rule asks for. */
  async function giveKey(): Promise<void> {
    await delay(10 * pauseMs);
    const member = addresses[holders];
    if (member === undefined || holders >= mostHolders) return;
    holders += 1;
    await world.chain.mintKeys([member]);
  }

  async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return until('the database answers', async () => {
      const connectionString = cluster.superuserUrl(await cluster.primary(), 'latchkey');
      const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 20_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } catch {
        return false;
      } finally {
        client.end().catch(() => undefined);
      }
    });
  }

  const roles = async () => (await query<{ n: number }>('select count(*)::int as n from role_ledger'))[0]?.n ?? 0;

  async function gate(): Promise<void> {
    guild = fillGuild(world.discord, addresses);
    const community = { platform: 'discord', communityId: guild.id, ownerId: 'DIS#USER#1' };
    assert.equal((await call({ method: 'POST', path: '/communities', json: community })).status, 200);
    await query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       select id, id, 'discord', 'evm', address, now() from unnest($1::text[], $2::text[]) as member (id, address)`,
      [
        guild.members.map(({ userId }) => `DIS#USER#${userId}`),
        guild.members.map(({ address }) => getAddress(address)),
      ],
    );
    const path = `/communities/${encodeURIComponent(guild.communityId)}/tpcs`;
    const made = await call({ method: 'POST', path, json: keyRule(world.chain, guild.roleIds[0] ?? '') });
    assert.equal(made.status, 200, made.body);
  }

  /** Lets the load go on until enough was written and roles were given. */
  async function goesOn(): Promise<void> {
    const before = { writes: acknowledged.size, roles: await roles() };
    mostHolders = holders + mostRolesPerStage;
    await until('writes are acknowledged', () => acknowledged.size >= before.writes + writesPerStage);
    await until('roles are given', async () => (await roles()) >= before.roles + rolesPerStage);
  }

  /** Returns the longest time without an acknowledged write since then. */
  function longestGapMs(since: number): number {
    const later = times.filter((at) => at >= since);
    return Math.max(...later.map((at, n) => at - (later[n - 1] ?? since)));
  }

  /**
   * Does something to the primary under load, and waits until another node is the primary and the load goes on. Then undoes it and waits
   * until the cluster is whole.
   */
  async function drill(
    t: TestContext,
    limitMs: number,
    act: (primary: DatabaseNode) => unknown,
    undo: (former: DatabaseNode) => unknown = () => undefined,
  ): Promise<void> {
    await goesOn();
    const former = await cluster.primary();
    const [since, known, refusals] = [performance.now(), acknowledged.size, refused];
    await act(former);
    await until('another node is the primary', async () => (await cluster.primary()).name !== former.name);
    await goesOn();
    await isReady();
    await bound(t, 'the longest time without an acknowledged write', longestGapMs(since), limitMs);
    await undo(former);
    await cluster.isWhole();
    await goesOn();
    const now = await cluster.primary();
    t.diagnostic(
      `${former.name} → ${now.name}: ${acknowledged.size - known} writes acknowledged, ${refused - refusals} refused`,
    );
    for (const process of processes) assert.equal(process.hasEnded(), false, process.stderr());
  }

  const number = (node: DatabaseNode) => cluster.nodes.indexOf(node) + 1;

  test('a planned switch-over', (t) => drill(t, switchoverMs, () => cluster.switchOver()));

  test('a primary that loses its power', (t) =>
    drill(
      t,
      failoverMs,
      (primary) => primary.kill(),
      (former) => former.start(),
    ));

  test('a primary that freezes, and continues when another has taken over', (t) =>
    drill(
      t,
      failoverMs,
      (primary) => primary.freeze(),
      (former) => former.thaw(),
    ));

  test('a primary that is cut off from etcd and the standbys, but not from Latchkey', (t) =>
    drill(
      t,
      failoverMs,
      (primary) => cluster.network.cutFromOthers(number(primary)),
      (former) => cluster.network.reconnect(number(former)),
    ));

  test('a primary whose network is gone', (t) =>
    drill(
      t,
      failoverMs,
      (primary) => cluster.network.unplug(number(primary)),
      (former) => cluster.network.reconnect(number(former)),
    ));

  test('no acknowledged write is lost, and every role is given once', async (t) => {
    await load?.stop();
    const lost: string[] = [];
    for (const [slug, name] of acknowledged) {
      const { status, body } = await call({ method: 'GET', path: `/states/${slug}` });
      if (status !== 200 || JSON.parse(body).name !== name) lost.push(`${name}: ${status} ${body}`);
    }
    t.diagnostic(`${acknowledged.size} writes acknowledged, ${refused} refused, ${lost.length} lost`);
    assert.deepEqual(lost, []);
    // A transfer counts once a few more blocks follow it.
    await world.chain.client.mine({ blocks: 3 });
    await until('every role is given', async () => (await roles()) >= holders);
    const doubled = await query(
      `select l.user_id, string_agg(l.action || ' because of ' || c.cause || ' at ' || l.at, ', ' order by l.id) as changes
       from role_ledger l join change_sets c on c.id = l.change_set_id
       group by l.user_id, l.role_id having count(*) > 1`,
    );
    assert.deepEqual(doubled, []);
    assert.equal(holdersOf(world.discord, guild, guild.roleIds[0] ?? '').length, holders);
    const dead = await query(`select name, last_error from jobs where state = 'dead'`);
    assert.deepEqual(dead, []);
    t.diagnostic(`${holders} roles given`);
    for (const process of processes) assert.equal((await process.stop()).code, 0, process.stderr());
  });
});
