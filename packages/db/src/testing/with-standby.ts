import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/index.ts';
import { layoutOf } from '../embedded/layout.ts';
import { queryOnce } from './query-once.ts';
import { makeTestFolder } from './test-folder.ts';

/** A primary, and a standby that every commit waits for. */
export interface StandbyPair {
  primary: Pick<EmbeddedPostgres, 'url' | 'adminUrl' | 'pid'>;
  standby: Pick<EmbeddedPostgres, 'url' | 'adminUrl' | 'pid'>;
  /** One URL with both hosts, the standby first. */
  url: string;
  /** Ends the primary without a word, and lets the standby take over. */
  failOver(): Promise<void>;
}

/** Runs `work` with a primary and its standby, on a database that `prepare` has brought into shape. */
export async function withStandby(
  prepare: (url: string) => Promise<unknown>,
  work: (pair: StandbyPair) => Promise<void>,
): Promise<void> {
  const folders = [await makeTestFolder(), await makeTestFolder()] as const;
  const servers: EmbeddedPostgres[] = [];
  const start = async (at: 0 | 1, settings: Record<string, string>) => {
    const server = await startEmbeddedPostgres({ dataDir: folders[at].dataDir, log: () => undefined, settings });
    folders[at].serverPid = server.pid;
    servers.push(server);
    return server;
  };
  try {
    const first = await start(0, {});
    await prepare(first.url);
    await first.stop();
    const [from, to] = folders.map(({ dataDir }) => layoutOf(dataDir).cluster);
    await cp(from ?? '', to ?? '', { recursive: true });
    await writeFile(join(to ?? '', 'standby.signal'), '');
    const socket = (url: string) => new URL(url).searchParams.get('host') ?? '';
    const conninfo = `host='${socket(first.url)}' port=5432 user=postgres application_name=standby`;
    const primary = await start(0, { synchronous_standby_names: 'standby' });
    const standby = await start(1, { primary_conninfo: conninfo });
    await until(
      'the standby follows',
      async () =>
        (await queryOnce(primary.adminUrl, `select from pg_stat_replication where sync_state = 'sync'`)).length === 1,
    );
    const both = new URL(primary.url);
    both.searchParams.set('host', `${socket(standby.url)},${socket(primary.url)}`);
    await work({
      primary,
      standby,
      url: both.href,
      failOver: async () => {
        process.kill(primary.pid, 'SIGKILL');
        await queryOnce(standby.adminUrl, 'select pg_promote(wait => true)');
      },
    });
  } finally {
    for (const server of servers.toReversed()) await server.stop('immediate').catch(() => undefined);
    for (const folder of folders) await folder.remove();
  }
}
