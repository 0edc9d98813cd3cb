import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts';
import { layoutOf } from '../embedded/layout.ts';
import { isAlive } from '../embedded/postmaster-file.ts';
import { queryOnce } from './query-once.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { makeTestFolder, type TestFolder } from './test-folder.ts';

type Server = Pick<EmbeddedPostgres, 'url' | 'adminUrl' | 'pid'>;

/** A primary, and a standby that every commit waits for. */
export interface StandbyPair {
  readonly primary: Server;
  readonly standby: Server;
  /** One URL with both hosts, the standby first. */
  readonly url: string;
  /** Kills the primary, and promotes the standby, which then has no standby itself. */
  failOver(): Promise<void>;
  /** Makes the killed server the standby of the other. */
  rejoin(): Promise<void>;
  /** Stops the primary and starts it again. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Fills the disk of the primary, so that it exits. Undefined if a small disk cannot be created. */
  readonly fillDisk: (() => Promise<void>) | undefined;
  /** Why the small disk is unavailable. */
  readonly noDisk: string | undefined;
  /** Frees space, and starts the primary. */
  freeDisk(): Promise<void>;
}

// Keeps little enough WAL for a small disk, and enough for a copy to follow from.
const settings = { max_wal_size: '96MB', wal_keep_size: '96MB', wal_retrieve_retry_interval: '200ms' };
const unneeded =
  /\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+|pg_stat_tmp\/.+|pgsql_tmp.*|pg_internal\.init.*)$/;
const mostSwitches = 200;

const socketOf = (url: string) => new URL(url).searchParams.get('host') ?? '';

interface Place {
  folder: TestFolder;
  disk: SmallDisk | undefined;
  server: EmbeddedPostgres | undefined;
}

/** Starts a pair of servers, on small disks if requested and possible. */
export async function startStandbyPair(
  prepare: (url: string) => Promise<unknown>,
  { onSmallDisks = false } = {},
): Promise<StandbyPair & AsyncDisposable> {
  const places: Place[] = [];
  let noDisk: string | undefined;
  let first: Place | undefined;
  let second: Place | undefined;

  async function openPlace(): Promise<Place> {
    const folder = await makeTestFolder();
    const mounted = onSmallDisks ? await mountSmallDisk(folder.dataDir) : 'No small disk was requested.';
    if (typeof mounted === 'string') noDisk = mounted;
    const place = { folder, disk: typeof mounted === 'string' ? undefined : mounted, server: undefined };
    places.push(place);
    return place;
  }

  async function start(place: Place, more: Record<string, string> = {}): Promise<EmbeddedPostgres> {
    const { dataDir } = place.folder;
    place.server = await startEmbeddedPostgres({ dataDir, log: () => undefined, settings: { ...settings, ...more } });
    place.folder.serverPid = place.server.pid;
    return place.server;
  }

  async function follow(standby: Place, primary: Place): Promise<void> {
    const { url, adminUrl } = serverOf(primary);
    await copyRunning(adminUrl, primary.folder.dataDir, standby.folder.dataDir);
    const conninfo = `host='${socketOf(url)}' port=5432 user=postgres application_name=standby`;
    await start(standby, { primary_conninfo: conninfo });
    await queryOnce(adminUrl, `alter system set synchronous_standby_names to 'standby'`);
    await queryOnce(adminUrl, 'select pg_reload_conf()');
    const following = `select from pg_stat_replication where sync_state = 'sync'`;
    await until('the standby follows', async () => (await queryOnce(adminUrl, following)).length === 1);
  }

  const dispose = async () => {
    for (const { server } of places.toReversed()) await server?.stop('immediate').catch(() => undefined);
    for (const { disk, folder } of places) {
      disk?.unmount();
      await folder.remove();
    }
  };
  try {
    const [one, two] = [await openPlace(), await openPlace()];
    const { url } = await start(one);
    await prepare(url);
    await follow(two, one);
    [first, second] = [one, two];
    const both = new URL(url);
    both.searchParams.set('host', `${socketOf(serverOf(two).url)},${socketOf(url)}`);
    const primary = () => first ?? one;
    const standby = () => second ?? two;
    const { disk } = one;
    return {
      get primary() {
        return serverOf(primary());
      },
      get standby() {
        return serverOf(standby());
      },
      url: both.href,
      noDisk,
      failOver: async () => {
        process.kill(serverOf(primary()).pid, 'SIGKILL');
        await queryOnce(serverOf(standby()).adminUrl, 'select pg_promote(wait => true)');
        [first, second] = [standby(), primary()];
      },
      rejoin: async () => {
        await serverOf(standby())
          .stop('immediate')
          .catch(() => undefined);
        await rm(layoutOf(standby().folder.dataDir).cluster, { recursive: true, force: true, maxRetries: 5 });
        await follow(standby(), primary());
      },
      restart: async (mode) => {
        await serverOf(primary()).stop(mode);
        await start(primary());
      },
      fillDisk: disk && (() => fill(primary())),
      freeDisk: async () => {
        await until('the server has ended', () => !isAlive(serverOf(primary()).pid));
        await primary().disk?.free();
        await start(primary());
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function serverOf({ server }: Place): EmbeddedPostgres {
  if (server === undefined) throw new Error('This server was not started yet.');
  return server;
}

/** Fills the disk, and uses up the space that the server has reserved. */
async function fill({ disk, server }: Place): Promise<void> {
  await disk?.fill();
  for (let switched = 0; switched < mostSwitches; switched += 1) {
    const more = queryOnce(
      server?.adminUrl ?? '',
      `select pg_logical_emit_message(false, 'full', ''), pg_switch_wal()`,
    );
    if (
      await more.then(
        () => false,
        () => true,
      )
    )
      return;
  }
  throw new Error('The disk is full, and the server keeps running.');
}

/** Copies the files of a running server as the files of a standby. */
async function copyRunning(adminUrl: string, fromDir: string, toDir: string): Promise<void> {
  const [from, to] = [layoutOf(fromDir).cluster, layoutOf(toDir).cluster];
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    await until('the files are copied', () =>
      cp(from, to, { recursive: true, filter: (path) => !unneeded.test(path) }).then(
        () => true,
        // A table that was dropped meanwhile; the standby learns that from the WAL.
        () => rm(to, { recursive: true, force: true }).then(() => false),
      ),
    );
    const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop()');
    await writeFile(join(to, 'backup_label'), rows[0]?.label ?? '');
    await writeFile(join(to, 'postgresql.auto.conf'), '');
    await writeFile(join(to, 'standby.signal'), '');
  } finally {
    await client.end();
  }
}
