import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Network } from './network.ts';

const deployed = resolve(import.meta.dirname, '../../../../../deploy/high-availability');
const programs = ['etcd', 'patroni', 'patronictl', 'pgbackrest'];
/** The programs of the newest PostgreSQL from Debian's packages. */
export const postgresFolder = `${globSync('/usr/lib/postgresql/*').toSorted().at(-1) ?? '/usr/lib/postgresql'}/bin`;
/** As which PostgreSQL runs: Debian's package creates the user. */
export const asPostgres = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
export const programEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
};
export const passwords = {
  superuser: 'of-superuser',
  replication: 'of-replication',
  rewind: 'of-rewind',
  repository: 'of-repository',
};

/** Returns why the nodes cannot run here, if so. */
export function withoutPatroni(): string | undefined {
  const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);
  if (!existsSync(join(postgresFolder, 'postgres'))) missing.push('PostgreSQL');
  if (missing.length > 0)
    return `${missing.join(', ')} not installed: on Debian, apt-get install etcd-server etcd-client patroni pgbackrest postgresql.`;
  // Older ones overwrite the lock of the next primary when the former one is back on the network, which loses acknowledged writes.
  const version = spawnSync('patroni', ['--version'], { env: programEnvironment, encoding: 'utf8' }).stdout.trim();
  return Number(/\d+/.exec(version)?.[0]) >= 4
    ? undefined
    : `${version} is too old: it takes Patroni 4, as in Debian 13.`;
}

/** A machine with etcd, Patroni and PostgreSQL, on the files in `deploy/high-availability`. */
export interface DatabaseNode {
  readonly name: string;
  readonly address: string;
  /** The folder of its database. */
  readonly dataDir: string;
  start(): void;
  /** As if the power failed: nothing on it runs any more, at once. */
  kill(): Promise<void>;
  /** Stops every program where it is. Their connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Runs a program on it as the user of PostgreSQL, to its end, and returns what it printed. */
  run(...command: string[]): string;
}

/** What to replace in a file, in this order. */
export type Edits = readonly (readonly [string, string])[];

export interface NodePlace {
  /** What all nodes share: the archive. */
  shared: string;
  own: string;
  network: Network;
}

export function prepareNode(number: number, { shared, own, network }: NodePlace): DatabaseNode {
  const { address, on } = network.machine(number);
  const inside = (name: string) => join(own, name);
  for (const folder of [own, inside('socket'), inside('etcd')]) mkdirSync(folder, { mode: 0o700, recursive: true });

  const configure = (name: string, edits: Edits) => writeConfigured(name, own, [...edits, ...common]);
  const common: Edits = [
    ...[1, 2, 3].map((other) => [`db${other}.example.org`, network.machine(other).address] as const),
    ['10.0.0.1', address],
    ['/usr/lib/postgresql/17/bin', postgresFolder],
    ['/var/lib/postgresql/latchkey', inside('data')],
    ['/var/lib/postgresql', own],
    ['/var/run/postgresql', inside('socket')],
    ['/var/lib/pgbackrest', shared],
    ['/var/lib/etcd/latchkey', inside('etcd')],
    ['SUPERUSER_PASSWORD', passwords.superuser],
    ['REPLICATION_PASSWORD', passwords.replication],
    ['REWIND_PASSWORD', passwords.rewind],
    ['REPOSITORY_PASSPHRASE', passwords.repository],
  ];
  configure('patroni.yml', [
    ['name: db1\n', `name: db${number}\n`],
    ['listen: db1.', `listen: db${number}.`],
    ['connect_address: db1.', `connect_address: db${number}.`],
  ]);
  configure('etcd.env', [
    ['ETCD_NAME=db1\n', `ETCD_NAME=db${number}\n`],
    ['PEER_URLS=http://db1.', `PEER_URLS=http://db${number}.`],
    ['CLIENT_URLS=http://db1.', `CLIENT_URLS=http://db${number}.`],
  ]);
  configure('pgbackrest.conf', privateFolders(own));
  execFileSync('chown', ['-R', 'postgres:postgres', own]);

  const env = { ...programEnvironment, PGBACKREST_CONFIG: inside('pgbackrest.conf') };
  let machine: ChildProcess | undefined;
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of machine === undefined ? [] : processesIn(machine)) process.kill(pid, signal);
  };
  return {
    name: `db${number}`,
    address,
    dataDir: inside('data'),
    start: () => {
      const log = openSync(inside('log'), 'a');
      const user = asPostgres.join(' ');
      const script = `set -a; . ${inside('etcd.env')}; set +a; ${user} etcd & ${user} patroni ${inside('patroni.yml')} & wait`;
      // The first process of the machine changes no user: the kernel would then no longer end it with its parent.
      const isolated = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
      machine = spawn('setpriv', ['--pdeathsig=KILL', '--', ...on, ...isolated, 'sh', '-c', script], {
        env,
        cwd: '/',
        stdio: ['ignore', log, log],
      });
      closeSync(log);
    },
    kill: async () => {
      if (machine === undefined || machine.exitCode !== null || machine.signalCode !== null) return;
      machine.kill('SIGKILL');
      await once(machine, 'exit');
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    run: (...command) => {
      const [program = '', ...args] = [...on, ...asPostgres, ...command];
      return execFileSync(program, args, { env, cwd: '/', encoding: 'utf8', maxBuffer: 1e8 });
    },
  };
}

/** Writes a file of `deploy/high-availability` as an operator would for a machine. */
export function writeConfigured(name: string, folder: string, edits: Edits): void {
  const filled = edits.reduce<string>(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(join(deployed, name), 'utf8'),
  );
  writeFileSync(join(folder, name), filled);
}

/** Keeps in this folder what pgBackRest has in /var/log, /tmp and /var/spool of a machine of its own. */
export function privateFolders(own: string): Edits {
  const folders = ['log-path', 'lock-path', 'spool-path'].map((name) => `${name}=${own}\n`).join('');
  return [['[global]\n', `[global]\n${folders}`]];
}

/** All processes in the process namespace of the machine. */
function processesIn(machine: ChildProcess): number[] {
  const first = readFileSync(`/proc/${machine.pid}/task/${machine.pid}/children`, 'utf8').trim();
  const namespace = namespaceOf(first);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && namespaceOf(name) === namespace)
    .map(Number);
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It has ended.
    return undefined;
  }
}
