import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { prepareSignerSchema, signerUrlOf, writeBackup } from '@latchkey/db';
import { createTestDatabase, queryOnce, type TestDatabase } from '@latchkey/db/testing';
import { type CommandLine, startCommandLine } from '../harness/command-line.ts';
import { makeHostedKey, makeHostedWallet } from '../harness/hosted-keys.ts';
import { type DataFolder, type Environment, makeDataFolder } from '../harness/processes.ts';

const keyOf = (byte: number) => Buffer.alloc(32, byte);
const lineOf = (byte: number) => `k1:${keyOf(byte).toString('base64')}`;

describe('a drill', () => {
  let database: TestDatabase;
  let scratch: TestDatabase;
  let folder: DataFolder;
  let commandLine: CommandLine;
  let environment: Environment;
  /** A folder of backups of which the newest is sound. */
  let backups: string;
  let sound: string;

  before(async () => {
    [database, scratch] = await Promise.all([
      createTestDatabase({ name: 'drilled', migrate: true }),
      createTestDatabase({ name: 'scratch' }),
    ]);
    folder = await makeDataFolder();
    backups = join(folder.path, 'backups');
    await mkdir(backups);
    commandLine = startCommandLine();
    environment = {
      DATABASE_URL: database.url,
      LATCHKEY_DATA_DIR: folder.path,
      LATCHKEY_MASTER_KEYS: lineOf(5),
    };
    // Seals values, and brings the row of a ledger.
    await done(['dev-app', 'Writer']);
    await queryOnce(
      database.url,
      `with community as (
         insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
           created_at, updated_at)
         values ('DIS#COMM#1', 'discord', '1', 'Cats', 'active', 'DIS#USER#1', '{}', true, now(), now()))
       insert into change_sets (id, community_id, cause, status, is_urgent, grants, revokes, calls, unknowns, created_at, written_grants)
       values ('p1', 'DIS#COMM#1', 'chain', 'done', false, 1, 0, 1, 0, now(), 1);
       insert into role_ledger (community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks)
       values ('DIS#COMM#1', 'DIS#USER#9', 'r', 'grant', now(), 'p1', true, '{}', '{}')`,
    );
    await makeWallet('DIS#USER#9', '9');
    await done(['backup', join(backups, 'before.backup')]);
    await prepareSignerSchema(signerUrlOf(database.url));
    await makeKey('DIS#USER#9', '9');
    sound = join(backups, 'newest.backup');
    const said = await done(['backup', sound], withSigner());
    assert.match(
      said,
      /^It includes the sealed keys of hosted wallets\. Store the signer’s master keys separately too/m,
    );
    await utimes(join(backups, 'before.backup'), 1, 1);
  });
  after(async () => {
    await commandLine[Symbol.asyncDispose]();
    await Promise.all([database.drop(), scratch.drop()]);
    await folder[Symbol.asyncDispose]();
  });

  const withSigner = (): Environment => ({ LATCHKEY_SIGNER_DATABASE_URL: signerUrlOf(database.url) });
  const withSignerKeys = (byte = 6): Environment => ({ LATCHKEY_SIGNER_MASTER_KEYS: lineOf(byte) });

  async function done(args: string[], more: Environment = {}): Promise<string> {
    const { code, stdout, stderr } = await commandLine.run(args, { ...environment, ...more });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  const makeWallet = (userId: string, id: string) => makeHostedWallet(database.url, userId, id);
  const makeKey = (userId: string, id: string) => makeHostedKey(signerUrlOf(database.url), keyOf(6), userId, id);

  async function drill(place: string, more: Environment = withSignerKeys(), options: string[] = []) {
    const args = ['drill', place, '--database', scratch.url, ...options];
    const outcome = await commandLine.run(args, { ...environment, ...more });
    const left = await queryOnce(scratch.url, `select from pg_class where relnamespace = 'public'::regnamespace`);
    assert.equal(left.length, 0, 'the scratch database is empty again');
    return outcome;
  }

  test('says that the newest backup of a folder is sound and how old it is, in a database of its own', async () => {
    const { code, stdout, stderr } = await commandLine.run(['drill', backups], { ...environment, ...withSignerKeys() });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^ok {4}[1-9]\d* encrypted values open with the master keys$/m);
    assert.match(stdout, /^ok {4}the keys of 1 hosted wallets are there and open with the signer’s master keys$/m);
    assert.match(stdout, /^ok {4}the ledgers add up: 1 role changes, 0 payments and refunds$/m);
    assert.match(
      stdout,
      /^ok {4}\d+ tables of .*newest\.backup were restored, with every constraint, and rolled back$/m,
    );
    assert.match(stdout, /^The backup is \d+ minutes old \(\d{4}-.*Z\)\. It is sound\.$/m);
    assert.deepEqual((await readdir(backups)).toSorted(), ['before.backup', 'newest.backup']);
  });

  test('refuses a backup that is truncated, damaged or not there', async () => {
    const whole = await readFile(sound);
    const cut = join(folder.path, 'cut.backup');
    await writeFile(cut, whole.subarray(0, -20));
    const truncated = await drill(cut);
    assert.deepEqual([truncated.code, truncated.stdout], [1, '']);
    assert.match(truncated.stderr, /The backup is truncated/);
    const missing = await drill(join(folder.path, 'missing'));
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /File not found/);
    await mkdir(join(folder.path, 'empty'));
    assert.match((await drill(join(folder.path, 'empty'))).stderr, /has no file that ends in \.backup/);
  });

  test('refuses a database that has something in it', async () => {
    const args = ['drill', sound, '--database', database.url];
    const { code, stderr } = await commandLine.run(args, { ...environment, ...withSignerKeys() });
    assert.equal(code, 1);
    assert.match(stderr, /The database is not empty/);
  });

  test('refuses a wrong master key, and master keys of the signer that are wrong or absent', async () => {
    const wrong = await drill(sound, { ...withSignerKeys(), LATCHKEY_MASTER_KEYS: lineOf(7) });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /The backup needs the master key k1 \(/);
    const ofSigner = await drill(sound, withSignerKeys(8));
    assert.equal(ofSigner.code, 1);
    assert.match(ofSigner.stdout, /^FAIL {2}2 encrypted values cannot be decrypted with any of the master keys/m);
    assert.match(ofSigner.stdout, /^ok {4}the ledgers add up/m);
    assert.match(ofSigner.stdout, /It is not sound\.$/m);
    const absent = await drill(sound, {});
    assert.equal(absent.code, 1);
    assert.match(absent.stdout, /^FAIL {2}The signer’s master keys are missing/m);
  });

  test('refuses a backup without the keys of its hosted wallets, or without one of them', async () => {
    const without = await drill(join(backups, 'before.backup'));
    assert.equal(without.code, 1);
    assert.match(without.stdout, /^FAIL {2}The keys of 1 hosted wallets are not in the backup\. Set LATCHKEY_SIGNER/m);
    const unset = await done(['backup', join(folder.path, 'unset.backup')]);
    assert.match(unset, /^It does not include the keys of hosted wallets, which only the signer’s login reads\./m);
    await makeWallet('DIS#USER#8', '8');
    const lacking = join(folder.path, 'lacking.backup');
    await done(['backup', lacking], withSigner());
    await queryOnce(database.url, `delete from hosted_wallets where id = '8'`);
    const { code, stdout } = await drill(lacking);
    assert.equal(code, 1);
    assert.match(stdout, /^FAIL {2}The backup lacks the keys of 1 of 2 hosted wallets\.$/m);
  });

  test('refuses ledgers that do not add up, and a backup that is too old', async () => {
    await queryOnce(
      database.url,
      `update change_sets set written_grants = 2;
       select setval(pg_get_serial_sequence('role_ledger', 'id'), 1, false)`,
    );
    const wrong = join(folder.path, 'wrong.backup');
    await done(['backup', wrong], withSigner());
    await queryOnce(
      database.url,
      `update change_sets set written_grants = 1;
       select setval(pg_get_serial_sequence('role_ledger', 'id'), 1)`,
    );
    const { code, stdout } = await drill(wrong);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^FAIL {2}The ledgers do not add up: 1 change sets whose role changes are not all in the ledger; the numbers of role_ledger start again\.$/m,
    );
    const aged = join(folder.path, 'aged.backup');
    await writeBackup({
      url: database.url,
      variable: 'DATABASE_URL',
      signerUrl: signerUrlOf(database.url),
      path: aged,
      keys: [],
      now: new Date(Date.now() - 5 * 3_600_000),
      progress: () => undefined,
    });
    const old = await drill(aged, withSignerKeys(), ['--max-age-hours', '4']);
    assert.equal(old.code, 1);
    assert.match(old.stdout, /^FAIL {2}The backup is older than 4 hours\.\nThe backup is 5\.0 hours old/m);
    assert.match((await drill(aged, withSignerKeys(), ['--max-age-hours', 'x'])).stderr, /whole number greater than 0/);
  });

  test('a folder gets a backup with the time in its name, and keeps the newest of these and every other file', async () => {
    const nightly = join(folder.path, 'nightly');
    await mkdir(nightly);
    const others = ['latchkey-20200101T020000Z.backup', 'latchkey-20200102T020000Z.backup', 'by-hand.backup', 'notes'];
    for (const name of others) await writeFile(join(nightly, name), '');
    assert.match(await done(['backup', nightly, '--keep', '2']), /^Removed latchkey-20200101T020000Z\.backup\.$/m);
    const left = (await readdir(nightly)).toSorted();
    assert.deepEqual([left.length, left.includes(others[0] ?? ''), left.includes(others[1] ?? '')], [4, false, true]);
    assert.ok(left.some((name) => /^latchkey-20\d{6}T\d{6}Z\.backup$/.test(name) && !others.includes(name)));
    const file = ['backup', join(nightly, 'one.backup'), '--keep', '2'];
    assert.match((await commandLine.run(file, environment)).stderr, /--keep needs a folder that exists/);
  });

  test('with --record the alerts learn whether it was sound, also if there was nothing to try', async () => {
    const results = () => queryOnce(database.url, 'select is_sound from drills order by at');
    assert.deepEqual(await results(), [], 'without it, nothing is recorded');
    assert.equal((await drill(sound, withSignerKeys(), ['--record'])).code, 0);
    assert.deepEqual(await results(), [{ is_sound: true }]);
    const missing = await drill(join(folder.path, 'missing'), withSignerKeys(), ['--record']);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /File not found/);
    assert.equal((await drill(sound, withSignerKeys(8), ['--record'])).code, 1);
    assert.deepEqual(await results(), [{ is_sound: true }, { is_sound: false }, { is_sound: false }]);
    const unreachable = {
      ...withSignerKeys(),
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      LATCHKEY_DATABASE_WAIT_SECONDS: '0',
    };
    const unrecorded = await drill(sound, unreachable, ['--record']);
    assert.equal(unrecorded.code, 1, 'a result that no alert learns is no success');
  });

  test('and a restore brings the keys back, at once or when the signer’s login is known', async () => {
    for (const isAtOnce of [true, false]) {
      const restored = await createTestDatabase({ name: 'with-keys' });
      const there = { DATABASE_URL: restored.url };
      const login = { ...there, LATCHKEY_SIGNER_DATABASE_URL: signerUrlOf(restored.url) };
      const first = await commandLine.run(['restore', sound], { ...environment, ...(isAtOnce ? login : there) });
      if (isAtOnce) assert.equal(first.code, 0, first.stdout + first.stderr);
      else {
        assert.equal(first.code, 1);
        assert.match(first.stderr, /are not restored yet\. Set LATCHKEY_SIGNER_DATABASE_URL and run: .* --signer/);
        assert.match(await done(['restore', sound, '--signer'], login), /^Restored the keys of 1 hosted wallets\.$/m);
      }
      const content = 'select user_id, wallet_id, address, private_key from keys';
      assert.deepEqual(
        await queryOnce(signerUrlOf(restored.url), content),
        await queryOnce(signerUrlOf(database.url), content),
      );
      const again = await commandLine.run(['restore', sound, '--signer'], { ...environment, ...login });
      assert.match(again.stderr, /The signer already has keys/);
      await restored.drop();
    }
  });
});
