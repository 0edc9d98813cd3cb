import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate, tenantUrlOf } from '@latchkey/db';
import { startPgBouncer, withCluster, withoutPgBouncer, withStandby } from '@latchkey/db/testing';
import { bound, until, volume } from '@latchkey/test-kit';
import {
  command,
  type Environment,
  freePorts,
  type LatchkeyProcess,
  runLatchkey,
  startLatchkey,
  statusOf,
} from '../harness/processes.ts';

// What whole processes add to the tests of packages/db: every part of them uses the right URL.
const shallow =
  volume(0, 1) === 0 ? 'The deep run starts whole processes; packages/db tests the parts in every run.' : undefined;
const writes = 50;

/** A server and a worker, with an application that writes. */
class World implements AsyncDisposable {
  readonly server: LatchkeyProcess;
  readonly worker: LatchkeyProcess;
  readonly url: string;
  readonly #environment: Environment;
  readonly acknowledged = new Map<string, string>();
  #key = '';

  constructor(environment: Environment, port: number) {
    this.#environment = environment;
    this.url = `http://localhost:${port}`;
    this.server = startLatchkey(['server'], environment);
    this.worker = startLatchkey(['worker'], environment);
  }

  async begin(): Promise<void> {
    await this.server.printed(/server is running/);
    await this.worker.printed(/worker is running/);
    const made = await command(['dev-app', 'Writer'], this.#environment);
    [, this.#key = ''] = /shown only once:\n(\S+)/.exec(made) ?? [];
    await this.isReady();
  }

  async isReady(): Promise<void> {
    await until('the server is ready', async () => (await statusOf(`${this.url}/health/ready`)) === 200);
  }

  /** Stores a state; true if that was acknowledged. */
  async write(name: string): Promise<boolean> {
    const answer = await fetch(`${this.url}/states`, {
      method: 'POST',
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    const body = await answer.text();
    if (answer.status === 200) this.acknowledged.set(JSON.parse(body).slug, name);
    else assert.ok([429, 503].includes(answer.status), body);
    return answer.status === 200;
  }

  async writeAll(round: string): Promise<void> {
    for (let n = 0; n < writes; n += 1) await until(`${round} ${n} is written`, () => this.write(`${round} ${n}`));
  }

  async nothingIsLost(): Promise<void> {
    for (const [slug, name] of this.acknowledged) {
      const found = await until(`${name} is read`, async () => {
        const answer = await fetch(`${this.url}/states/${slug}`);
        const body = await answer.text();
        return ![429, 503].includes(answer.status) && body;
      });
      assert.equal(JSON.parse(found).name, name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.server[Symbol.asyncDispose](), this.worker[Symbol.asyncDispose]()]);
  }
}

async function settingsOf(port: number): Promise<Environment> {
  return {
    LATCHKEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 5).toString('base64')}`,
    LATCHKEY_PORT: String(port),
    LATCHKEY_ANONYMOUS_RATE: '1000000/1',
  };
}

test('a server and a worker behind PgBouncer', { skip: shallow ?? withoutPgBouncer() ?? false }, async (t) => {
  await withCluster(async (cluster) => {
    await migrate(cluster.url);
    await using pooler = await startPgBouncer(cluster.url, 4);
    const port = await freePorts();
    const pooled = { ...(await settingsOf(port)), DATABASE_URL: pooler.through(cluster.url) };
    await t.test('do not start without a direct URL, and say so', async () => {
      const { code, stderr } = await runLatchkey(['server'], pooled);
      assert.equal(code, 1);
      assert.match(stderr, /DATABASE_URL leads through a pooler .* Set LATCHKEY_DIRECT_DATABASE_URL/);
    });
    const environment = {
      ...pooled,
      LATCHKEY_DIRECT_DATABASE_URL: cluster.url,
      LATCHKEY_TENANT_DATABASE_URL: pooler.through(tenantUrlOf(cluster.url)),
    };
    await using world = new World(environment, port);
    await world.begin();
    await t.test('work, and continue after its restart', async () => {
      await world.writeAll('before');
      await pooler.restart();
      await world.isReady();
      await world.writeAll('after');
      await world.nothingIsLost();
    });
  });
});

test('a server and a worker whose standby is promoted', { skip: shallow ?? false }, async (t) => {
  await withStandby(migrate, async (pair) => {
    const port = await freePorts();
    const environment = {
      ...(await settingsOf(port)),
      DATABASE_URL: pair.url,
      LATCHKEY_TENANT_DATABASE_URL: tenantUrlOf(pair.url),
    };
    await using world = new World(environment, port);
    await world.begin();
    await world.writeAll('before');
    const since = performance.now();
    await pair.failOver();
    await until('a write is acknowledged', () => world.write('first after the failover'));
    await world.isReady();
    await bound(t, 'continuing after the failover', performance.now() - since, 10_000);
    await world.writeAll('after');
    await world.nothingIsLost();
    for (const latchkey of [world.server, world.worker]) assert.equal(latchkey.hasEnded(), false);
  });
});
