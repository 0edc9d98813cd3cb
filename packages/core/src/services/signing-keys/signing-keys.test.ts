import assert from 'node:assert/strict';
import { sign, verify } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { type Database, openDatabase } from '@latchkey/db';
import { memoryLog, patienceMs, seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { currentKey, ensureSigningKeys, findPublicKey, listPublicKeys, rotateKey, signingPurposes } from './index.ts';
import { deleteOldKeys } from './rotate-key.ts';

describe('signing keys', () => {
  let t: TestPlatform;
  const opened: Database[] = [];

  before(async () => {
    t = await testPlatform('signing-keys');
  });
  after(() => t.close());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((db) => db.close()));
    await t.services.db.system.deleteFrom('signing_keys').execute();
    t.advanceSeconds(10);
  });

  /** The platform in another process: with its own connections and randomness, and empty caches. */
  async function otherProcess(seed: string) {
    const { connectionString: url = '' } = t.services.db.pool.options;
    const db = openDatabase({ url, log: memoryLog(), maxConnections: 4, connectTimeoutMs: patienceMs });
    opened.push(db);
    await db.pool.query('select 1');
    return { ...t.services, db, random: seededRandom(seed) };
  }

  const countKeys = async () => (await t.services.db.system.selectFrom('signing_keys').select('kid').execute()).length;

  test('twenty concurrently starting processes end up with one key per purpose', async () => {
    const processes = await Promise.all(Array.from({ length: 20 }, (_, n) => otherProcess(`process ${n}`)));
    await Promise.all(processes.map(ensureSigningKeys));
    assert.equal(await countKeys(), signingPurposes.length);
    for (const purpose of signingPurposes) {
      const kids = await Promise.all(processes.map(async (process) => (await currentKey(process, purpose)).kid));
      assert.equal(new Set(kids).size, 1);
    }
  });

  test('a later start keeps the existing keys', async () => {
    await ensureSigningKeys(t.services);
    const { kid } = await currentKey(t.services, 'jwt');
    await ensureSigningKeys(await otherProcess('later'));
    assert.equal((await currentKey(await otherProcess('reader'), 'jwt')).kid, kid);
    assert.equal(await countKeys(), signingPurposes.length);
  });

  test('without keys the error says what to do', async () => {
    await assert.rejects(currentKey(t.services, 'jwt'), /There is no jwt key yet: start the server once/);
  });

  test('a rotation in one process breaks nothing in another', async () => {
    const [a, b] = [await otherProcess('a'), await otherProcess('b')];
    await ensureSigningKeys(a);
    const old = await currentKey(b, 'jwt');
    await rotateKey(a, 'jwt');
    const fresh = await currentKey(a, 'jwt');
    assert.notEqual(fresh.kid, old.kid);

    // The other process has not noticed yet: its signatures are accepted, and it finds the new key when it sees one of
    // its signatures.
    const late = await currentKey(b, 'jwt');
    assert.equal(late.kid, old.kid);
    const signature = sign('sha256', Buffer.from('late'), late.privateKey);
    const found = await findPublicKey(a, 'jwt', late.kid);
    assert.ok(found && verify('sha256', Buffer.from('late'), found.publicKey, signature));
    assert.equal((await findPublicKey(b, 'jwt', fresh.kid))?.kid, fresh.kid);
    t.advanceSeconds(5);
    assert.equal((await currentKey(b, 'jwt')).kid, fresh.kid);
  });

  test('signing and verifying continue while keys are rotated repeatedly', async () => {
    const [signer, verifier] = [await otherProcess('signer'), await otherProcess('verifier')];
    await ensureSigningKeys(signer);
    let rotations = 0;
    const rotating = (async () => {
      for (; rotations < 15; rotations++) await rotateKey(t.services, 'jwt');
    })();
    for (let n = 0; rotations < 15 || n < 30; n++) {
      const { kid, privateKey } = await currentKey(signer, 'jwt');
      const signature = sign('sha256', Buffer.from(`${n}`), privateKey);
      const key = await findPublicKey(verifier, 'jwt', kid);
      assert.ok(key && verify('sha256', Buffer.from(`${n}`), key.publicKey, signature), `signature ${n} was refused`);
      if (n % 3 === 0) t.advanceSeconds(6);
    }
    await rotating;
  });

  test('rotations and starts that happen together leave one current key and lose none', async () => {
    const processes = await Promise.all(Array.from({ length: 8 }, (_, n) => otherProcess(`rotating ${n}`)));
    const [starting, rotating] = [processes.slice(0, 4), processes.slice(4)];
    const [rotated] = await Promise.all([
      Promise.all(rotating.map((process) => rotateKey(process, 'jwt'))),
      Promise.all(starting.map(ensureSigningKeys)),
    ]);
    const published = await listPublicKeys(await otherProcess('reader'), 'jwt');
    assert.equal(published.filter((key) => key.retiredAt === undefined).length, 1);
    for (const { kid } of rotated) assert.ok(published.some((key) => key.kid === kid));
  });

  test('a retired key is published for 30 days after the current one, and then removed', async () => {
    await ensureSigningKeys(t.services);
    const first = (await currentKey(t.services, 'jwt')).kid;
    const second = (await rotateKey(t.services, 'jwt')).kid;
    t.advanceSeconds(10);
    const third = (await rotateKey(t.services, 'jwt')).kid;
    const kids = async () => (await listPublicKeys(t.services, 'jwt')).map((key) => key.kid);
    assert.deepEqual(await kids(), [third, second, first]);

    t.advanceSeconds(30 * 24 * 60 * 60 - 10);
    assert.deepEqual(await kids(), [third, second]);
    assert.equal(await findPublicKey(t.services, 'jwt', first), undefined);
    assert.equal(await deleteOldKeys(t.services), 1);
    t.advanceSeconds(10);
    assert.equal(await deleteOldKeys(t.services), 1);
    assert.deepEqual(await kids(), [third]);
  });

  test('a key is not found under another purpose', async () => {
    await ensureSigningKeys(t.services);
    const { kid } = await currentKey(t.services, 'action-ecdsa');
    assert.equal(await findPublicKey(t.services, 'jwt', kid), undefined);
  });

  test('a private key is stored encrypted, and does not decrypt in the row of another key', async () => {
    await ensureSigningKeys(t.services);
    const { privateKey, kid } = await currentKey(t.services, 'jwt');
    const secret = privateKey.export({ format: 'jwk' }).d ?? '';
    const rows = await t.services.db.system.selectFrom('signing_keys').selectAll().execute();
    assert.equal(JSON.stringify(rows).includes(secret), false);
    const other = rows.find((row) => row.kid !== kid);
    assert.ok(other);
    await t.services.db.system
      .updateTable('signing_keys')
      .set({ private_key: other.private_key })
      .where('kid', '=', kid)
      .execute();
    await assert.rejects(currentKey(await otherProcess('thief'), 'jwt'), /altered, moved/);
  });

  test('a database error is not cached', async () => {
    const process = await otherProcess('unlucky');
    await ensureSigningKeys(process);
    const failing = { ...process, keyring: { ...process.keyring, open: () => assert.fail('not now') } };
    await assert.rejects(currentKey(failing, 'jwt'), /not now/);
    assert.ok(await currentKey(process, 'jwt'));
  });
});
