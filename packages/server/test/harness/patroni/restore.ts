import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { freePorts } from '../processes.ts';
import { type DatabaseUrls, type PatroniCluster, urlsOn } from './cluster.ts';
import { asPostgres, passwords, postgresFolder, privateFolders, programEnvironment, writeConfigured } from './node.ts';

export interface RestoredServer extends AsyncDisposable {
  urls: DatabaseUrls;
}

/**
 * Restores the archive of a cluster as of a time to a machine that has nothing of the cluster's but the archive and its passphrase, and
 * starts PostgreSQL there.
 */
export async function restoreElsewhere(
  { archiveFolder, network }: Pick<PatroniCluster, 'archiveFolder' | 'network'>,
  at: string,
): Promise<RestoredServer> {
  const own = mkdtempSync(join(tmpdir(), 'lk-restored-'));
  chmodSync(own, 0o755);
  const dataDir = join(own, 'data');
  const socket = join(own, 'socket');
  for (const folder of [dataDir, socket]) mkdirSync(folder, { mode: 0o700 });
  writeConfigured('pgbackrest.conf', own, [
    ...privateFolders(own),
    ['/var/lib/postgresql/latchkey', dataDir],
    ['/var/run/postgresql', socket],
    ['/var/lib/pgbackrest', archiveFolder],
    ['REPOSITORY_PASSPHRASE', passwords.repository],
  ]);
  execFileSync('chown', ['-R', 'postgres:postgres', own]);
  const options = {
    env: { ...programEnvironment, PGBACKREST_CONFIG: join(own, 'pgbackrest.conf') },
    cwd: '/',
  };
  const [user = '', ...asUser] = asPostgres;
  const target = ['--type=time', `--target=${at}`, '--target-action=promote'];
  execFileSync(user, [...asUser, 'pgbackrest', '--stanza=latchkey', ...target, 'restore'], options);

  const port = await freePorts();
  // The files are those of a node of Patroni: what belongs to that node is replaced.
  const settings = {
    listen_addresses: network.here,
    port: String(port),
    unix_socket_directories: socket,
    archive_mode: 'off',
    synchronous_standby_names: '',
    hba_file: join(dataDir, 'pg_hba.conf'),
    ident_file: join(dataDir, 'pg_ident.conf'),
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(
    'setpriv',
    ['--pdeathsig=KILL', ...asUser, join(postgresFolder, 'postgres'), '-D', dataDir, ...given],
    {
      ...options,
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const host = `${network.here}:${port}`;
  const superuser = `postgres://postgres:${passwords.superuser}@${host}/postgres`;
  await until('the restored server accepts writes', async () => {
    if (server.exitCode !== null) throw new Error('The restored server has ended.');
    const client = new pg.Client(superuser);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return !(await client.query('select pg_is_in_recovery() as is')).rows[0].is;
    } catch {
      return false;
    } finally {
      client.end().catch(() => undefined);
    }
  });
  return {
    urls: urlsOn(host),
    [Symbol.asyncDispose]: async () => {
      if (server.exitCode === null) {
        server.kill('SIGQUIT');
        await once(server, 'exit');
      }
      rmSync(own, { recursive: true, force: true });
    },
  };
}
