import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { prepareSignerSchema } from '@latchkey/db';
import { createTestDatabase, queryOnce } from '@latchkey/db/testing';
import { until, volume } from '@latchkey/test-kit';
import { makeHostedKey, makeHostedWallet } from '../harness/hosted-keys.ts';
import {
  type DatabaseUrls,
  type PatroniCluster,
  startPatroniCluster,
  urlsOn,
  withoutCluster,
} from '../harness/patroni/cluster.ts';
import { type RestoredServer, restoreElsewhere } from '../harness/patroni/restore.ts';
import {
  command,
  type DataFolder,
  type Environment,
  freePorts,
  makeDataFolder,
  runLatchkey,
  startLatchkey,
  statusOf,
} from '../harness/processes.ts';

const skip =
  volume(0, 1) === 0 ? 'The deep run starts database nodes with Patroni and pgBackRest.' : (withoutCluster() ?? false);
const writes = 20;
const signerKey = Buffer.alloc(32, 6);
const lineOf = (key: Buffer) => `k1:${key.toString('base64')}\n`;

describe('an archive of pgBackRest', { skip }, () => {
  /** The states that were written before and after the moment to which the restore goes. */
  const kept = new Map<string, string>();
  const later = new Map<string, string>();
  let cluster: PatroniCluster;
  let folder: DataFolder;
  let another: DataFolder;
  let restored: RestoredServer | undefined;
  let apiKey: string;

  before(async () => {
    cluster = await startPatroniCluster();
    [folder, another] = await Promise.all([makeDataFolder(), makeDataFolder()]);
    await writeFile(join(folder.path, 'master-keys'), lineOf(Buffer.alloc(32, 5)), { mode: 0o600 });
    await writeFile(join(folder.path, 'signer-keys'), lineOf(signerKey), { mode: 0o600 });
  });
  after(async () => {
    await restored?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    await Promise.all([folder?.[Symbol.asyncDispose](), another?.[Symbol.asyncDispose]()]);
  });

  /** The settings of a machine with this data folder. */
  const settings = (urls: DatabaseUrls, { path }: DataFolder): Environment => ({
    DATABASE_URL: urls.system,
    LATCHKEY_TENANT_DATABASE_URL: urls.tenant,
    LATCHKEY_SIGNER_DATABASE_URL: urls.signer,
    LATCHKEY_DATA_DIR: path,
    LATCHKEY_ANONYMOUS_RATE: '1000000/1',
  });

  /** Runs a server on the database while `work` uses its address. */
  async function withServer(environment: Environment, work: (url: string) => Promise<void>): Promise<void> {
    const port = await freePorts();
    const { LATCHKEY_SIGNER_DATABASE_URL: _, ...ofServer } = environment;
    await using process = startLatchkey(['server'], { ...ofServer, LATCHKEY_PORT: String(port) });
    await process.printed(/server is running/);
    const url = `http://127.0.0.1:${port}`;
    await until('the server is ready', async () => (await statusOf(`${url}/health/ready`)) === 200);
    await work(url);
    assert.equal((await process.stop()).code, 0, process.stderr());
  }

  async function write(url: string, name: string, states: Map<string, string>): Promise<void> {
    const answer = await fetch(`${url}/states`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    const body = await answer.text();
    assert.equal(answer.status, 200, body);
    states.set(JSON.parse(body).slug, name);
  }

  const signer = async () => urlsOn(`${(await cluster.primary()).address}:5432`).signer;
  const superuser = async () => cluster.superuserUrl(await cluster.primary(), 'latchkey');

  /** Waits until everything written so far is in the archive. */
  async function isArchived(): Promise<void> {
    const [row] = await queryOnce<{ name: string }>(
      await superuser(),
      'select pg_walfile_name(pg_switch_wal()) as name',
    );
    const name = row?.name ?? '';
    await until('the archive has it', async () => {
      const [archiver] = await queryOnce<{ last: string | null }>(
        await superuser(),
        'select last_archived_wal as last from pg_stat_archiver',
      );
      return (archiver?.last ?? '') >= name;
    });
  }

  test('leads back to a second before a mistake, on another machine, with keys, signer and everything else', async (t) => {
    const environment = settings(cluster.urls, folder);
    await command(['migrate'], environment);
    await command(['dev-app', 'Writer'], environment);
    const key = await command(['admin-key', 'create', 'test'], environment);
    apiKey = /shown only once:\n\s*(\S+)/.exec(key)?.[1] ?? '';
    let moment = '';
    await withServer(environment, async (url) => {
      await prepareSignerSchema(cluster.urls.signer);
      await makeHostedWallet(await superuser(), 'DIS#USER#9', '9');
      await makeHostedKey(await signer(), signerKey, 'DIS#USER#9', '9');
      await cluster.archive('backup', '--type=full');
      for (let n = 0; n < writes; n += 1) await write(url, `before ${n}`, kept);
      // The archive continues on the next primary, and a restore follows it there.
      await cluster.switchOver();
      await cluster.isWhole();
      await until('the server is ready', async () => (await statusOf(`${url}/health/ready`)) === 200);
      for (let n = 0; n < writes; n += 1) await write(url, `after the switch-over ${n}`, kept);

      const [row] = await queryOnce<{ now: string }>(await superuser(), 'select clock_timestamp()::text as now');
      moment = row?.now ?? '';
      await until('a second has passed', async () => {
        const [then] = await queryOnce<{ over: boolean }>(
          await superuser(),
          `select clock_timestamp() >= $1::timestamptz + interval '1 second' as over`,
          [moment],
        );
        return then?.over === true;
      });
      // The mistake: applications, their keys, hosted wallets and short links are gone.
      await queryOnce(await superuser(), 'truncate slugs, hosted_wallets, client_apps cascade');
      await queryOnce(await signer(), 'delete from keys');
      await isArchived();
    });

    const since = performance.now();
    restored = await restoreElsewhere(cluster, moment);
    t.diagnostic(`restored as of ${moment} in ${Math.round(performance.now() - since)} ms`);
    // What is kept in another safe place: the files with the master keys.
    for (const name of ['master-keys', 'signer-keys']) await cp(join(folder.path, name), join(another.path, name));
    const there = settings(restored.urls, another);
    await withServer(there, async (url) => {
      for (const [slug, name] of kept) {
        const answer = await fetch(`${url}/states/${slug}`);
        assert.equal(answer.status, 200, `${name} is there`);
        assert.equal(((await answer.json()) as { name: string }).name, name);
      }
      await write(url, 'with the key of before', later);
    });
    const backups = join(another.path, 'backups');
    await mkdir(backups);
    await command(['backup', join(backups, 'restored.backup')], there);
    const scratch = await createTestDatabase({ name: 'scratch' });
    const drill = await runLatchkey(['drill', backups, '--database', scratch.url], there);
    await scratch.drop();
    assert.equal(drill.code, 0, drill.stdout + drill.stderr);
    assert.match(drill.stdout, /^ok {4}[1-9]\d* encrypted values open with the master keys$/m);
    assert.match(
      drill.stdout,
      /^ok {4}the keys of 1 hosted wallets are there and open with the signer’s master keys$/m,
    );
    t.diagnostic(`${kept.size} writes before the moment, all there`);
  });
});
