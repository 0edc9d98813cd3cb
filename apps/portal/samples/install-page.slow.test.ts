import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { queryOnce, withCluster } from '@latchkey/db/testing';
import { behindPort } from '@latchkey/server/testing/tcp-database';
import { readYaml, takeTurns, until, volume } from '@latchkey/test-kit';
import { readPage } from '../pages/read-page.ts';
import { samplesOf } from './read-samples.ts';

const portal = join(import.meta.dirname, '..');
const root = join(portal, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const program = 'packages/server/src/cli/main.ts';
const samples = samplesOf(readPage(join(portal, 'operators/install.md'), portal));
const of = (way: string) => samples.filter(({ tabs }) => tabs[0] === way);
/** Each command on one line. */
const commandsIn = (text: string) => text.replaceAll(/ *\\\n */g, ' ').split('\n');
const linesOf = (way: string) => of(way).flatMap(({ language, text }) => (language === 'bash' ? commandsIn(text) : []));
const { test } = takeTurns('the ways to install', 2);
/** Each command checks the whole clone first, which takes minutes on a busy machine. */
const isDeep = volume(0, 1) === 1;
const password = 'correct-horse';

type Environment = Record<string, string>;

/** Does what the page says with a new PostgreSQL, whose roles are made by the statements of the page. */
async function withInstallation(work: (place: Installation) => Promise<void>): Promise<void> {
  await withCluster(async ({ adminUrl, url }) => {
    await queryOnce(adminUrl, 'drop database latchkey with (force)');
    for (const role of ['latchkey', 'latchkey_tenant', 'latchkey_signer'])
      await queryOnce(adminUrl, `drop role if exists ${role}`);
    const [sql] = samples.filter(({ language }) => language === 'sql');
    for (const statement of sql?.text.replaceAll('…', password).split('\n') ?? []) await queryOnce(adminUrl, statement);
    const reachable = await behindPort(url);
    reachable.open();
    await using place = new Installation(new URL(reachable.url).host);
    try {
      await work(place);
    } finally {
      await place[Symbol.asyncDispose]();
      await reachable.close();
    }
  });
}

class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-install-'));
  readonly #database: string;
  #children: ChildProcess[] = [];

  constructor(database: string) {
    this.#database = database;
  }

  /** Fills in what the page leaves to its reader. */
  fill(text: string): string {
    const key = spawnSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }).stdout.trim();
    return text
      .replaceAll('PASSWORD@localhost/', `${password}@${this.#database}/`)
      .replaceAll(/@postgres:5432\//g, `@${this.#database}/`)
      .replaceAll(/A{43}=/g, key);
  }

  /** Copies the tracked files, as a clone has them: what the page installs comes from the registry. */
  clone(): void {
    const tracked = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
    for (const path of tracked.stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      cpSync(join(root, path), join(this.folder, path));
    }
  }

  /** Runs a command to its end, and returns what it printed. */
  async finish(command: readonly string[], environment: Environment, codes: readonly number[] = [0]): Promise<string> {
    const child = this.#spawn(command, environment);
    await until('the command ends', () => child.process.exitCode !== null || child.process.signalCode !== null);
    assert.ok(codes.includes(child.process.exitCode ?? -1), `${command.join(' ')}\n${child.output()}`);
    return child.output();
  }

  /** Starts a process, and waits until it says that it runs. */
  async start(command: readonly string[], environment: Environment): Promise<void> {
    const child = this.#spawn(command, environment);
    const role = command.at(-1) ?? '';
    await until(`the ${role} runs`, () => {
      assert.equal(child.process.exitCode, null, child.output());
      return child.output().includes(`Latchkey ${role} is running`);
    });
  }

  #spawn([name = '', ...args]: readonly string[], environment: Environment) {
    const { PATH, HOME, TMPDIR } = process.env;
    const process_ = spawn(name, args, {
      cwd: existsSync(join(this.folder, 'package.json')) ? this.folder : root,
      env: { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), LATCHKEY_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [process_.stdout, process_.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
    this.#children.push(process_);
    return { process: process_, output: () => printed };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill('SIGTERM');
      await until('the process ends', () => child.exitCode !== null || child.signalCode !== null);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await until('a port is given', () => server.listening);
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' ? address?.port : '');
}

const isReady = async (port: string) =>
  assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200);
/** What `doctor` says is complete: nothing fails, and what could not be checked is named. */
const fine = [0, 2];

test('npm: a clone with a file .env becomes a server, a worker and an operator key', {
  skip: !isDeep && 'the deep run does this',
}, async () => {
  await withInstallation(async (place) => {
    place.clone();
    const port = await freePort();
    for (const { language, title, text } of of('npm')) {
      if (language === 'env') writeFileSync(join(place.folder, title ?? '.env'), place.fill(text));
      if (language !== 'bash') continue;
      for (const line of commandsIn(text)) {
        const command = line.split(' ');
        if (/ (?:server|worker)$/.test(line))
          await place.start(command, line.endsWith('server') ? { LATCHKEY_PORT: port } : {});
        else await place.finish(command, {}, line.endsWith('doctor') ? fine : [0]);
      }
    }
    await isReady(port);
    const has = (name: string) => existsSync(join(place.folder, 'node_modules', name));
    assert.deepEqual([has('pg'), has('hardhat'), has('playwright-core')], [true, false, false], 'only for production');
  });
});

test('Compose: the filled-in settings reach every service, and each one starts with them', async () => {
  await withInstallation(async (place) => {
    const [copy = '', up = '', ...inside] = linesOf('Docker Compose');
    const [from = '', to = ''] = copy.split(' ').slice(1);
    const settings = parseEnv(fillSample(read(from)));
    const file = /-f (\S+)/.exec(up)?.[1] ?? '';
    assert.equal(dirname(to), dirname(file), 'Compose reads the .env beside its file');
    const services = servicesOf(file, { ...settings });
    const port = await freePort();
    for (const [name, { command, environment = {} }] of services) {
      if (command === undefined) continue;
      const own = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, place.fill(value)]));
      const words = ['node', program, ...command];
      const local = { ...own, LATCHKEY_METRICS_HOST: '127.0.0.1', LATCHKEY_METRICS_PORT: '0' };
      if (name === 'migrate') await place.finish(words, own);
      else await place.start(words, name === 'server' ? { ...local, LATCHKEY_PORT: port } : local);
    }
    await isReady(port);
    const { environment = {} } = services.get('server') ?? {};
    const own = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, place.fill(value)]));
    for (const line of inside) {
      const words = line.split(' ');
      const command = words.slice(words.indexOf('latchkey') + 1);
      assert.equal(words[words.indexOf('exec') + 1], 'server');
      await place.finish(['node', program, ...command], own, command[0] === 'doctor' ? fine : [0]);
    }
  });
});

/** Fills in the sample settings as its own comments say. */
function fillSample(text: string): string {
  const word = spawnSync('openssl', ['rand', '-hex', '24'], { encoding: 'utf8' }).stdout.trim();
  const key = spawnSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }).stdout.trim();
  return text
    .replace(/^LATCHKEY_DOMAIN=$/m, 'LATCHKEY_DOMAIN=latchkey.example.org')
    .replaceAll(/^(LATCHKEY_(?:DATABASE|TENANT|SIGNER)_PASSWORD)=$/gm, `$1=${password}`)
    .replaceAll(/^(\w+_(?:PASSWORD|TOKEN))=$/gm, (line, name: string) =>
      name.includes('BOT') ? line : `${name}=${word}`,
    )
    .replaceAll(/^(LATCHKEY_\w*MASTER_KEYS)=$/gm, `$1=k1:${key}`);
}

interface Service {
  command?: string[];
  env_file?: unknown;
  environment?: Environment;
}

/** Reads a compose file as Compose does: variables are filled in after the file is parsed, and a service with `env_file` gets all settings. */
function servicesOf(path: string, settings: Record<string, string | undefined>): Map<string, Service> {
  const fillIn = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name: string, kind?: string, other?: string) => {
      const value = settings[name];
      if (value) return value;
      assert.notEqual(kind, '?', `${name} is required by ${path}, and the sample settings leave it empty`);
      return other ?? '';
    });
  const [{ services }] = readYaml(read(path)) as [{ services: Record<string, Service> }];
  return new Map(
    Object.entries(services).map(([name, { command, env_file: file, environment = {} }]) => {
      const own = Object.entries(environment).map(([key, value]) => [key, fillIn(String(value ?? ''))]);
      const all = { ...(file !== undefined && settings), ...Object.fromEntries(own) };
      return [name, { environment: all, ...(command !== undefined && { command }) }];
    }),
  );
}

const withoutSystemd =
  process.getuid?.() !== 0 || spawnSync('systemctl', ['--version']).status !== 0
    ? 'Needs systemctl, and root for new users.'
    : false;

test('systemd: the commands of the page make the users and enable the units on an empty file system', {
  skip: withoutSystemd,
}, () => {
  const system = mkdtempSync(join(tmpdir(), 'latchkey-system-'));
  try {
    const etc = join(system, 'etc');
    for (const folder of ['systemd/system', 'latchkey']) mkdirSync(join(etc, folder), { recursive: true });
    writeFileSync(join(etc, 'passwd'), 'root:x:0:0::/root:/bin/sh\n');
    writeFileSync(join(etc, 'group'), 'root:x:0:\n');
    for (const { title, text } of of('systemd').filter(({ language }) => language === 'env'))
      writeFileSync(join(system, title ?? ''), text);
    // Nothing is started: no systemd runs there.
    const inSystem = (line: string) =>
      line
        .replace(/^useradd /, `useradd --prefix ${system} `)
        .replace(/^systemctl enable --now /, `systemctl --root=${system} enable `)
        .replaceAll(' /etc/', ` ${etc}/`);
    const lines = linesOf('systemd').filter((line) => /^(?:useradd|cp|systemctl) /.test(line));
    for (const line of lines) {
      const { status, stderr } = spawnSync('sh', ['-c', inSystem(line)], { cwd: root, encoding: 'utf8' });
      assert.equal(status, 0, `${line}\n${stderr}`);
    }
    const users = readFileSync(join(etc, 'passwd'), 'utf8').match(/^[\w-]+/gm);
    assert.deepEqual(users, ['root', 'latchkey', 'latchkey-signer']);
    const enabled = readdirSync(join(etc, 'systemd/system/multi-user.target.wants')).toSorted();
    assert.deepEqual(
      enabled,
      ['migrate', 'server', 'signer', 'worker'].map((name) => `latchkey-${name}.service`),
    );
    for (const unit of enabled) {
      const text = readFileSync(join(etc, 'systemd/system', unit), 'utf8');
      const [, file = ''] = /^EnvironmentFile=(.+)$/m.exec(text) ?? [];
      assert.ok(existsSync(join(system, file)), `${unit} reads ${file}, which the page does not write.`);
    }
  } finally {
    rmSync(system, { recursive: true, force: true });
  }
});

test('systemd: the units start with the settings files of the page, and commands do', async () => {
  await withInstallation(async (place) => {
    const files = new Map(
      of('systemd')
        .filter(({ language }) => language === 'env')
        .map(({ title, text }) => [title ?? '', parseEnv(place.fill(text)) as Environment]),
    );
    const lines = linesOf('systemd');
    const users = lines.filter((line) => line.startsWith('useradd')).map((line) => line.split(' ').at(-1));
    const copied =
      lines
        .find((line) => line.startsWith('cp '))
        ?.split(' ')
        .slice(1, -1) ?? [];
    const started =
      lines
        .find((line) => line.startsWith('systemctl'))
        ?.split(' ')
        .slice(3) ?? [];
    const port = await freePort();
    for (const unit of started) {
      const path = copied.find((name) => name.endsWith(`/${unit}.service`));
      assert.ok(path, `${unit} is started, and was not copied`);
      const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(read(path))?.[1] ?? '';
      assert.ok(users.includes(value('User')), value('User'));
      const settings = files.get(value('EnvironmentFile'));
      assert.ok(settings, `${value('EnvironmentFile')} is not on the page`);
      const own = parseEnv(value('Environment').replaceAll(' ', '\n')) as Environment;
      const command = ['node', ...value('ExecStart').split(' ').slice(1)];
      const local = { ...own, ...settings, LATCHKEY_DATA_DIR: place.folder, LATCHKEY_METRICS_PORT: '0' };
      if (value('Type') === 'oneshot') await place.finish(command, local);
      else await place.start(command, command.at(-1) === 'server' ? { ...local, LATCHKEY_PORT: port } : local);
    }
    await isReady(port);
    for (const line of lines.filter((text) => text.startsWith('systemd-run'))) {
      const [, file = ''] = /EnvironmentFile=(\S+)/.exec(line) ?? [];
      const [, folder = ''] = /WorkingDirectory=(\S+)/.exec(line) ?? [];
      assert.equal(folder, '/opt/latchkey');
      const command = line.slice(line.indexOf(program)).split(' ');
      const printed = await place.finish(
        ['node', ...command],
        files.get(file) ?? {},
        command[1] === 'doctor' ? fine : [0],
      );
      if (command[1] === 'admin-key') assert.match(printed, /shown only once/);
    }
  });
});
