import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@latchkey/test-kit';
import pg from 'pg';
import { childEnvironment, unprivilegedPrefix } from '../embedded/run-program.ts';

/** Returns why a test with the real PgBouncer cannot run here, if so. */
export function withoutPgBouncer(): string | undefined {
  const { status } = spawnSync('pgbouncer', ['--version'], { env: childEnvironment });
  return status === 0 ? undefined : 'PgBouncer is not installed: on Debian, apt-get install pgbouncer.';
}

export interface PgBouncer extends AsyncDisposable {
  /** Returns the URL of the same database and login through the pooler. */
  through(url: string): string;
  /** Kills it, and starts it again. */
  restart(): Promise<void>;
}

/**
 * Starts a real PgBouncer in transaction mode in front of the embedded server of `url`, with `size` connections per
 * login.
 */
export async function startPgBouncer(url: string, size: number): Promise<PgBouncer> {
  // A short path: socket paths have a length limit.
  const folder = await mkdtemp(join(tmpdir(), 'lk-pgb-'));
  const upstream = new URL(url);
  const port = 6432;
  const through = (direct: string) => {
    const pooled = new URL(direct);
    pooled.port = String(port);
    pooled.searchParams.set('host', folder);
    return pooled.href;
  };
  await writeFile(join(folder, 'users'), '"latchkey" ""\n"latchkey_tenant" ""\n');
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${upstream.searchParams.get('host')} port=${upstream.port}
[pgbouncer]
listen_addr =
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${size}
server_login_retry = 1
`,
  );
  const command = [...(await unprivilegedPrefix()), 'pgbouncer', join(folder, 'pgbouncer.ini')];
  let child = await launch(command, through(url));
  return {
    through,
    restart: async () => {
      await end(child);
      child = await launch(command, through(url));
    },
    [Symbol.asyncDispose]: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch([program = '', ...args]: string[], url: string): Promise<ChildProcess> {
  const child = spawn(program, args, { env: childEnvironment, stdio: 'ignore' });
  await until('PgBouncer accepts connections', async () => {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
