import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { someAddresses } from '@latchkey/chains/testing';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until, volume } from '@latchkey/test-kit';
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
import { type Environment, freePorts, type LatchkeyProcess, startLatchkey, statusOf } from '../harness/processes.ts';

const root = resolve(import.meta.dirname, '../../../..');
const writesPerStage = 40;
const rolesPerStage = 10;
/** What happens to requests while versions change matters here, not how many there are. */
const pauseMs = 20;
/** The load goes on while processes start, up to this many roles. */
const mostRolesPerStage = 60;
const stages = 8;
const members = stages * mostRolesPerStage;

/** Returns what git prints, or nothing if it fails: for example where there is no repository. */
function git(...args: string[]): string {
  return spawnSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 1e9 }).stdout ?? '';
}

interface Version {
  commit: string;
  isReleased: boolean;
}

/** The previous version: the newest release before this commit; before the first one, the newest commit with fewer migrations. */
function findPrevious(): Version | undefined {
  const releases = git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname');
  const [release] = releases.split('\n').filter(Boolean);
  if (release !== undefined) return { commit: release, isReleased: true };
  const commit = newestWithFewerMigrations();
  return commit === undefined ? undefined : { commit, isReleased: false };
}

const migrations = 'packages/db/migrations';
/** Only versions that check the schema, and leave migrating to its own step, can be returned to. */
const checksSchema = 'export async function schemaFault';

function newestWithFewerMigrations(): string | undefined {
  const count = (commit: string) => git('ls-tree', commit, `${migrations}/`).split('\n').length;
  const now = count('HEAD');
  return git('rev-list', 'HEAD', '--', migrations)
    .split('\n')
    .filter(Boolean)
    .flatMap((commit) => git('rev-list', '--parents', '-1', commit).trim().split(' ').slice(1))
    .find(
      (commit) => count(commit) < now && git('show', `${commit}:packages/db/src/migrate.ts`).includes(checksSchema),
    );
}

/** Unpacks a commit beside the packages that are installed here. */
function unpack({ commit, isReleased }: Version, folder: string): void {
  const archive = join(folder, 'tree.tar');
  git('archive', '--output', archive, commit);
  assert.equal(spawnSync('tar', ['-xf', archive, '-C', folder]).status, 0, `git archive ${commit}`);
  // Until its release, a migration may be worded anew, which a database that has it would refuse.
  if (!isReleased)
    for (const name of readdirSync(join(folder, migrations)))
      copyFileSync(join(root, migrations, name), join(folder, migrations, name));
  linkPackages('node_modules', folder);
  for (const group of ['packages', 'apps'])
    for (const name of readdirSync(join(folder, group))) linkPackages(join(group, name, 'node_modules'), folder);
}

/** Latchkey's own packages are those of the folder; all others are the installed ones. */
function linkPackages(place: string, folder: string): void {
  const installed = join(root, place);
  if (!existsSync(installed)) return;
  const own = '@latchkey';
  mkdirSync(join(folder, place));
  for (const name of readdirSync(installed))
    if (name !== own) symlinkSync(join(installed, name), join(folder, place, name));
  if (!existsSync(join(installed, own))) return;
  mkdirSync(join(folder, place, own));
  for (const name of readdirSync(join(installed, own)))
    symlinkSync(readlinkSync(join(installed, own, name)), join(folder, place, own, name));
}

const previous = volume(0, 1) === 0 ? undefined : findPrevious();
const skip =
  volume(0, 1) === 0
    ? 'The deep run starts the processes of two versions.'
    : previous === undefined &&
      'There is no earlier version in this copy: it has no history, or a shallow one (git fetch --unshallow).';

interface Server {
  process: LatchkeyProcess;
  url: string;
}

describe('two versions under load', { skip }, () => {
  const addresses = someAddresses(members);
  const agent = keepAlive();
  /** The servers that a load balancer would choose from. */
  const balanced: Server[] = [];
  const running = new Set<LatchkeyProcess>();
  const acknowledged = new Map<string, string>();
  const counts = { reads: 0, credentials: 0, refusals: 0, holders: 0 };
  /** Headers of sessions and tokens, with a request that they are for. */
  const credentials: { path: string; headers: Record<string, string> }[] = [];
  let database: TestDatabase;
  let world: GatedWorld;
  let guild: GatedGuild;
  let client: pg.Client;
  let folder: string;
  let older: string;
  let environment: Environment;
  let operator: Record<string, string>;
  let load: Load | undefined;
  let failure: unknown;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-versions-'));
    older = join(folder, 'older');
    mkdirSync(older);
    assert.ok(previous !== undefined);
    unpack(previous, older);
    world = await startGatedWorld({ areLimitsWide: true });
    database = await createTestDatabase({ name: 'versions' });
    client = new pg.Client(database.adminUrl);
    await client.connect();
    environment = {
      ...world.environment,
      DATABASE_URL: database.url,
      LATCHKEY_BASE_URL: 'http://localhost:3000',
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
    };
  });
  after(async () => {
    await Promise.all([...running].map((process) => process[Symbol.asyncDispose]()));
    agent.destroy();
    await load?.stop().catch(() => undefined);
    await client.end();
    await world[Symbol.asyncDispose]();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  async function command(tree: string, ...args: string[]): Promise<string> {
    await using process = startLatchkey(args, environment, tree);
    const { code } = await process.ended();
    assert.equal(code, 0, process.stdout() + process.stderr());
    return process.stdout();
  }

  async function start(tree: string, kind: 'server' | 'worker'): Promise<Server> {
    const port = await freePorts();
    const process = startLatchkey([kind], { ...environment, LATCHKEY_PORT: String(port) }, tree);
    running.add(process);
    await process.printed(new RegExp(`${kind} is running`));
    const server = { process, url: `http://127.0.0.1:${port}` };
    if (kind === 'server') {
      await until('the server is ready', async () => (await statusOf(`${server.url}/health/ready`)) === 200);
      balanced.push(server);
    }
    return server;
  }

  async function stop(server: Server): Promise<void> {
    const at = balanced.indexOf(server);
    if (at >= 0) balanced.splice(at, 1);
    assert.equal((await server.process.stop()).code, 0, server.process.stderr());
    running.delete(server.process);
  }

  let turns = 0;

  /** Sends a request to one server after the other while the answer is the documented "not now". Any other failure fails the test. */
  async function call({ headers, ...request }: Call): Promise<Outcome> {
    return until(`${request.method} ${request.path} is answered`, async () => {
      turns += 1;
      const server = balanced[turns % balanced.length];
      const outcome = await send(agent, server?.url ?? '', { ...request, headers: headers ?? {} });
      if (outcome.status === 503 && outcome.headers['retry-after'] !== undefined) {
        counts.refusals += 1;
        return false;
      }
      assert.equal(outcome.status, 200, `${request.method} ${request.path}: ${outcome.body} ${outcome.failure ?? ''}`);
      return outcome;
    });
  }

  async function write(name: string): Promise<void> {
    const outcome = await call({
      method: 'POST',
      path: '/states',
      headers: { ...operator, 'idempotency-key': name.replace(' ', '-') },
      json: { name },
    });
    acknowledged.set(JSON.parse(outcome.body).slug, name);
  }

  async function readState(slug: string, name: string): Promise<void> {
    const { body } = await call({ method: 'GET', path: `/states/${slug}` });
    assert.equal(JSON.parse(body).name, name);
    counts.reads += 1;
  }

  async function useCredentials(): Promise<void> {
    for (const { path, headers } of credentials) {
      await call({ method: 'GET', path, headers });
      counts.credentials += 1;
    }
  }

  /** A session of the console and a token, made by one version. */
  async function makeCredentials(tree: string, server: Server): Promise<void> {
    const console = { 'x-latchkey-console': '1' };
    const answer = await send(agent, server.url, {
      method: 'POST',
      path: '/latchkey/session',
      headers: { ...operator, ...console },
    });
    assert.equal(answer.status, 200, answer.body);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    credentials.push({ path: '/latchkey/session', headers: { ...console, cookie: cookie.split(';')[0] ?? '' } });
    const forUser = ['--user', 'DIS#USER#1', '--reason', 'test', '--ttl-seconds', '3600'];
    const authorization = (await command(tree, 'token', 'ae', ...forUser)).trim();
    credentials.push({ path: '/latchkey/account/audit-log', headers: { authorization } });
  }

  /** Gives one more member what the rule asks for. */
  async function giveKey(): Promise<void> {
    await delay(10 * pauseMs);
    const member = addresses[counts.holders];
    if (member === undefined) return;
    counts.holders += 1;
    await world.chain.mintKeys([member]);
  }

  const ledger = async (): Promise<number> =>
    (await client.query('select count(*)::int as n from role_ledger')).rows[0].n;

  /** Lets the load go on until there was enough of everything. */
  async function stage(t: TestContext, name: string): Promise<void> {
    await t.test(name, async (subtest) => {
      mostHolders = counts.holders + mostRolesPerStage;
      const before = { writes: acknowledged.size, roles: await ledger(), credentials: counts.credentials };
      await until('enough was written and used', async () => {
        if (failure !== undefined) throw failure;
        return (
          acknowledged.size >= before.writes + writesPerStage &&
          counts.credentials > before.credentials + credentials.length &&
          (await ledger()) >= before.roles + rolesPerStage
        );
      });
      subtest.diagnostic(`${acknowledged.size - before.writes} writes, ${(await ledger()) - before.roles} roles`);
    });
    if (failure !== undefined) throw failure;
  }

  let written = 0;
  let mostHolders = 0;

  /** One turn of one of the four loops of the load. */
  async function work(loop: number, turn: number): Promise<void> {
    if (loop === 0) {
      written += 1;
      await write(`state ${written}`);
    } else if (loop === 1) {
      const states = [...acknowledged];
      const [slug, name] = states[turn % states.length] ?? [];
      if (slug !== undefined && name !== undefined) await readState(slug, name);
    } else if (loop === 2) await useCredentials();
    else if (counts.holders < mostHolders) await giveKey();
  }

  async function gate(): Promise<void> {
    guild = fillGuild(world.discord, addresses);
    const ownerId = 'DIS#USER#1';
    const path = `/communities/${encodeURIComponent(guild.communityId)}`;
    await call({
      method: 'POST',
      path: '/communities',
      headers: operator,
      json: { platform: 'discord', communityId: guild.id, ownerId },
    });
    await client.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       select id, id, 'discord', 'evm', address, now()
       from unnest($1::text[], $2::text[]) as member (id, address)`,
      [
        guild.members.map(({ userId }) => `DIS#USER#${userId}`),
        guild.members.map(({ address }) => getAddress(address)),
      ],
    );
    const rule = keyRule(world.chain, guild.roleIds[0] ?? '');
    await call({ method: 'POST', path: `${path}/tpcs`, headers: operator, json: rule });
  }

  test('roll forward, share the work, roll back and forward again: nothing fails, is lost or happens twice', async (t) => {
    await command(older, 'migrate');
    const key = await command(older, 'admin-key', 'create', 'test');
    operator = { 'x-api-key': /shown only once:\n\s*(\S+)/.exec(key)?.[1] ?? '' };
    let [server, worker] = [await start(older, 'server'), await start(older, 'worker')];
    await gate();
    await makeCredentials(older, server);

    load = startLoad(4, async (loop, turn) => {
      await delay(pauseMs);
      await work(loop, turn).catch((error: unknown) => {
        failure ??= error;
        throw error;
      });
    });
    await stage(t, 'the older version');

    /** Replaces the processes of one version by those of another, one by one. */
    const roll = async (tree: string, name: string) => {
      const [nextServer, nextWorker] = [await start(tree, 'server'), await start(tree, 'worker')];
      await makeCredentials(tree, nextServer);
      await stage(t, `${name}, half and half`);
      await t.test(`${name}, the other half stops`, async () => {
        await stop(worker);
        await stop(server);
      });
      [server, worker] = [nextServer, nextWorker];
      await stage(t, name);
    };
    await command(root, 'migrate');
    await stage(t, 'the older version on the newer schema');
    await roll(root, 'forward');
    await roll(older, 'back');
    await roll(root, 'forward again');
    await load.stop();

    assert.equal(failure, undefined);
    // A transfer counts once a few more blocks follow it.
    await world.chain.client.mine({ blocks: 3 });
    await until('every role is written', async () => (await ledger()) >= counts.holders);
    await until('no job is left', async () => {
      const { rows } = await client.query(`select from jobs where state <> 'dead' and run_at <= now()`);
      return rows.length === 0;
    });
    for (const [slug, name] of acknowledged) await readState(slug, name);
    await useCredentials();
    for (const process of [...running]) assert.equal((await process.stop()).code, 0, process.stderr());

    const { noOpWrites } = world.discord.counts();
    const { rows: dead } = await client.query(`select name, last_error from jobs where state = 'dead'`);
    const { rows: doubled } = await client.query(
      `select user_id from role_ledger group by user_id, role_id, action having count(*) > 1`,
    );
    const { rows: states } = await client.query('select count(*)::int as n from slugs');
    t.diagnostic(
      `${previous?.commit.slice(0, 8)} to HEAD: ${acknowledged.size} writes, ${counts.holders} roles, ${counts.reads} reads, ` +
        `${counts.credentials} uses of ${credentials.length} sessions and tokens, ${counts.refusals} times 503`,
    );
    assert.deepEqual(dead, []);
    assert.deepEqual([doubled.length, noOpWrites], [0, 0], 'no role is written twice');
    assert.equal(await ledger(), counts.holders);
    assert.equal(holdersOf(world.discord, guild, guild.roleIds[0] ?? '').length, counts.holders, 'no role is lost');
    assert.equal(states[0].n, acknowledged.size, 'nothing is written twice');
  });
});
