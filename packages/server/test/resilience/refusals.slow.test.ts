import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase } from '@latchkey/db/testing';
import { type CommandLine, startCommandLine } from '../harness/command-line.ts';
import {
  type DataFolder,
  type Environment,
  freePorts,
  makeDataFolder,
  occupyPort,
  runLatchkey,
  startLatchkey,
} from '../harness/processes.ts';

describe('a Latchkey that cannot run reports why', () => {
  let commandLine: CommandLine;
  before(() => {
    commandLine = startCommandLine();
  });
  after(() => commandLine[Symbol.asyncDispose]());

  /** Starts something that must not start, and returns the error. */
  async function refusal(args: readonly string[], environment: Environment): Promise<string> {
    const { code, stderr, stdout } = await commandLine.run(args, environment);
    assert.equal(code, 1, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /^ +at /m);
    assert.doesNotMatch(stdout, /Latchkey is running/);
    return stderr;
  }

  test('all mistakes in the environment are reported at once, and the process exits with 78', async () => {
    const { code, stderr: reply } = await runLatchkey(['start'], {
      LATCHKEY_PORT: '70000',
      LATCHKEY_BASE_URL: 'latchkey.example',
      DATABASE_URL: 'mysql://root:hunter2@db/latchkey',
      LATCHKEY_ANONYMOUS_RATE: 'many',
      LATCHKEY_ETHEREUM_HEADER: 'perhaps',
      LATCHKEY_LOG_LEVEL: 'loud',
    });
    assert.equal(code, 78);
    assert.match(reply, /^Invalid configuration:\n/);
    for (const name of ['PORT', 'BASE_URL', 'ANONYMOUS_RATE', 'ETHEREUM_HEADER', 'LOG_LEVEL'])
      assert.match(reply, new RegExp(`^ {2}LATCHKEY_${name} must `, 'm'));
    assert.match(reply, /^ {2}DATABASE_URL must be a URL that starts with postgres:\/\/ or postgresql:\/\/\.$/m);
    assert.doesNotMatch(reply, /hunter2/);
  });

  test('an invalid number of processes is refused, and so is one for anything but the server', async () => {
    for (const requested of ['0', 'many', '1.5'])
      assert.match(
        await refusal(['server', '--processes', requested], {}),
        /^--processes must be a whole number from 1 to 256/,
      );
    assert.match(await refusal(['worker', '--processes', '2'], {}), /^worker does not take --processes\./);
  });

  test('an unreachable database is named without its password', async () => {
    const port = await freePorts();
    await using folder = await makeDataFolder();
    const environment = { LATCHKEY_DATA_DIR: folder.path, LATCHKEY_PORT: '0', LATCHKEY_DATABASE_WAIT_SECONDS: '0' };
    const DATABASE_URL = `postgres://someone:hunter2@localhost:${port}/latchkey`;
    const reply = await refusal(['worker'], { ...environment, DATABASE_URL });
    assert.match(reply, new RegExp(`^The database latchkey at localhost:${port} cannot be used \\(.*ECONNREFUSED`));
    assert.match(reply, /Start it, or correct DATABASE_URL\.\n$/);
    assert.doesNotMatch(reply, /hunter2/);
  });

  test('a tenant login that would see everything is refused', async () => {
    await using folder = await makeDataFolder();
    const database = await createTestDatabase({ migrate: true, name: 'strong-login' });
    try {
      const reply = await refusal(['worker'], {
        LATCHKEY_DATA_DIR: folder.path,
        DATABASE_URL: database.url,
        LATCHKEY_TENANT_DATABASE_URL: database.url,
      });
      assert.match(reply, /^The login latchkey of LATCHKEY_TENANT_DATABASE_URL sees the rows of every tenant/);
      assert.match(reply, /create role latchkey_tenant login password/);
    } finally {
      await database.drop();
    }
  });

  test('a file in place of the data folder, or inside it, is refused with a remedy', async () => {
    await using folder = await makeDataFolder();
    const file = join(folder.path, 'file');
    await writeFile(file, 'a file');
    for (const part of ['start', 'server']) {
      const reply = await refusal([part], { LATCHKEY_DATA_DIR: file, LATCHKEY_PORT: '0' });
      assert.match(reply, /^The data folder .* cannot be (created|used) .*(EEXIST|ENOTDIR).*(choose|Choose) another/);
    }
    const reply = await refusal(['start'], { LATCHKEY_DATA_DIR: join(file, 'below'), LATCHKEY_PORT: '0' });
    assert.match(
      reply,
      /^The data folder .* cannot be created \(ENOTDIR\)\. Choose another with LATCHKEY_DATA_DIR\.\n$/,
    );
    assert.equal(await readFile(file, 'utf8'), 'a file');
  });

  test('a database of another PostgreSQL version is left alone, and the error says what to do', async () => {
    await using folder = await makeDataFolder();
    const cluster = join(folder.path, 'postgres', 'cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(join(cluster, 'PG_VERSION'), '14\n');
    const reply = await refusal(['start'], { LATCHKEY_DATA_DIR: folder.path, LATCHKEY_PORT: '0' });
    assert.match(
      reply,
      /^The database in .* was created by PostgreSQL 14 .* dump it .* move it away .* set DATABASE_URL/,
    );
    assert.equal(await readFile(join(cluster, 'PG_VERSION'), 'utf8'), '14\n');
  });

  test('unknown and misspelled commands show the help', async () => {
    const [unknown, misspelled, help] = await Promise.all([
      refusal(['constructor'], {}),
      refusal(['apps', '--stauts', 'x'], {}),
      commandLine.run([], {}),
    ]);
    assert.equal(unknown, 'Unknown command: constructor. Try: npm run latchkey -- help\n');
    assert.match(misspelled, /^apps does not take --stauts\.\nUsage: latchkey apps \[--status PENDING\]/);
    assert.match(help.stdout, /^ {2}start\n {6}everything a machine needs/m);
  });

  describe('once the database runs', () => {
    let folder: DataFolder;
    let environment: Environment;
    before(async () => {
      folder = await makeDataFolder();
      environment = {
        LATCHKEY_DATA_DIR: folder.path,
        LATCHKEY_PORT: String(await freePorts()),
        LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:9',
        LATCHKEY_SIGNER: 'false',
      };
      // A command creates the database and the master key, like a start, and exits.
      assert.equal((await commandLine.run(['apps'], environment)).code, 0);
    });
    after(() => folder[Symbol.asyncDispose]());

    test('a port in use is named, and the database is stopped again', async () => {
      await using taken = await occupyPort(0);
      const reply = await refusal(['start'], { ...environment, LATCHKEY_PORT: String(taken.port) });
      assert.equal(
        reply,
        `Port ${taken.port} is in use by another program. Stop that program, or choose another port: LATCHKEY_PORT=${taken.port + 1}.\n`,
      );
      assert.equal(await folder.postgresPid(), undefined);
    });

    test('a mail catcher with a port in use says so, and the database is stopped again', async () => {
      for (const offset of [0, 1]) {
        const port = await freePorts();
        await using _taken = await occupyPort(port + offset);
        const { LATCHKEY_SMTP_URL: _none, ...withCatcher } = environment;
        const reply = await refusal(['start'], { ...withCatcher, LATCHKEY_MAIL_CATCHER_PORT: String(port) });
        assert.match(
          reply,
          new RegExp(`^Ports ${port} and ${port + 1}, used by the mail catcher, are taken\\. Set LATCHKEY_`),
        );
      }
      assert.equal(await folder.postgresPid(), undefined);
    });

    test('a master key that is malformed, or not the one of the database, is refused before it does harm', async () => {
      const file = join(folder.path, 'master-keys');
      const right = await readFile(file, 'utf8');
      await writeFile(file, 'k1:tooshort\n');
      assert.match(
        await refusal(['start'], environment),
        /master-keys has a malformed master key \(number 1\): each must be /,
      );
      await writeFile(file, `k1:${Buffer.alloc(32, 7).toString('base64')}\n`);
      const reply = await refusal(['start'], environment);
      assert.match(reply, /^The master key is not the one this database was created with\. Restore the right one/);
      assert.equal(await folder.postgresPid(), undefined);
      await writeFile(file, right);
      await using again = startLatchkey(['start'], environment);
      await again.printed(/Ctrl-C stops everything/);
      assert.equal((await again.stop()).code, 0);
    });
  });
});
