import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@latchkey/test-kit';
import type { Homeserver } from './testing.ts';

const version = '1.163.2';
/** Kept between runs: installing takes minutes. */
const folder = join(import.meta.dirname, '../../../../../.runtime', `synapse-${version}`);
const python = join(folder, 'bin', 'python');

/** Why Synapse cannot run here; undefined if it can. Python and a package index are not part of this project. */
export function synapseProblem(): string | undefined {
  if (existsSync(join(folder, 'installed'))) return undefined;
  const { status, stdout } = spawnSync('python3', [
    '-c',
    'import sys, venv, ensurepip; print(sys.version_info >= (3, 10))',
  ]);
  if (status !== 0) return 'no Python 3 with venv and pip';
  return String(stdout).trim() === 'True' ? undefined : 'Synapse needs Python 3.10 or later';
}

/** Installs Synapse from PyPI into an environment of its own. */
async function install(): Promise<void> {
  if (existsSync(join(folder, 'installed'))) return;
  const run = promisify(execFile);
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `matrix-synapse==${version}`]);
  await writeFile(join(folder, 'installed'), '');
}

/** Starts a homeserver as it is installed, with SQLite and its usual rate limits. It reaches no other server. */
export async function startSynapse(): Promise<Homeserver> {
  await install();
  const home = await mkdtemp(join(tmpdir(), 'latchkey-synapse-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = randomBytes(24).toString('hex');
  const config = join(home, 'homeserver.yaml');
  await writeFile(config, settings({ home, port, secret }));
  await writeFile(join(home, 'log.yaml'), logging);
  const args = ['-m', 'synapse.app.homeserver', '--config-path', config];
  const generated = spawnSync(python, [...args, '--generate-keys'], { cwd: home });
  if (generated.status !== 0) throw new Error(`Synapse made no keys: ${generated.stderr}`);
  const log = join(home, 'output.log');
  const output = openSync(log, 'w');
  const server = spawn(python, args, { cwd: home, stdio: ['ignore', output, output] });
  const ended = once(server, 'exit');
  await until('Synapse responds', async () => {
    if (server.exitCode !== null) throw new Error(`Synapse stopped: ${await readFile(log, 'utf8')}`);
    return fetch(`${url}/_matrix/client/versions`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    addUser: (localpart) => register(url, secret, localpart),
    stop: async () => {
      server.kill();
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Registers a user as its operator does, with the shared secret (Synapse's admin API). */
async function register(url: string, secret: string, localpart: string) {
  const address = `${url}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(address)).json()) as { nonce: string };
  const password = randomBytes(12).toString('hex');
  const mac = createHmac('sha1', secret).update([nonce, localpart, password, 'notadmin'].join('\0')).digest('hex');
  const body = JSON.stringify({ nonce, username: localpart, password, admin: false, mac });
  const response = await fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const answer = (await response.json()) as { user_id?: string; access_token?: string };
  if (answer.user_id === undefined || answer.access_token === undefined)
    throw new Error(`Synapse registered nobody: ${JSON.stringify(answer)}`);
  return { userId: answer.user_id, token: answer.access_token };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

function settings({ home, port, secret }: { home: string; port: number; secret: string }): string {
  return `server_name: matrix.test
pid_file: ${home}/homeserver.pid
listeners:
  - port: ${port}
    type: http
    tls: false
    bind_addresses: ['127.0.0.1']
    resources:
      - names: [client]
database:
  name: sqlite3
  args:
    database: ${home}/homeserver.db
log_config: ${home}/log.yaml
media_store_path: ${home}/media
signing_key_path: ${home}/signing.key
registration_shared_secret: ${secret}
macaroon_secret_key: ${secret}m
form_secret: ${secret}f
report_stats: false
# For the people of the tests, who create more rooms than people do. The limits that the bot meets are those of an installation.
rc_room_creation:
  per_second: 100
  burst_count: 100
trusted_key_servers: []
`;
}

const logging = `version: 1
formatters:
  plain:
    format: '%(asctime)s %(levelname)s %(name)s %(message)s'
handlers:
  console:
    class: logging.StreamHandler
    formatter: plain
root:
  level: WARNING
  handlers: [console]
disable_existing_loggers: false
`;
