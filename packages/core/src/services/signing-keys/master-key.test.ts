import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createKeyring, type Database, hashSecret, type MasterKey } from '@latchkey/db';
import type { SealedColumn } from '../../shared/module.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkMasterKey, currentKey, ensureSigningKeys, rewrapAll, rotateKey, signingKeysSealed } from './index.ts';

describe('the master key', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('master-key');
  });
  after(() => t.close());
  beforeEach(async () => {
    await t.services.db.system.deleteFrom('signing_keys').execute();
    await t.services.db.system.deleteFrom('master_key_check').execute();
    t.advanceSeconds(10);
  });

  const random = seededRandom('master-key');
  const oldKey: MasterKey = { id: 'old', key: random.bytes(32) };
  const newKey: MasterKey = { id: 'new', key: random.bytes(32) };
  const withKeys = (...keys: [MasterKey, ...MasterKey[]]) => ({ ...t.services, keyring: createKeyring(keys, random) });
  const wrongKey = /The master key is not the one this database was created with\. Restore the right one/;

  test('the master key of the first start is accepted at every later start, and no other is', async () => {
    await checkMasterKey(withKeys(oldKey));
    await checkMasterKey(withKeys(oldKey));
    await checkMasterKey(withKeys(newKey, oldKey));
    await assert.rejects(checkMasterKey(withKeys(newKey)), wrongKey);
    await assert.rejects(checkMasterKey(withKeys({ id: 'old', key: newKey.key })), wrongKey);
  });

  test('processes that start concurrently with one key agree, and one with another key is refused', async () => {
    const right = Array.from({ length: 10 }, () => checkMasterKey(withKeys(oldKey)));
    await Promise.all(right);
    await assert.rejects(checkMasterKey(withKeys(newKey)), wrongKey);
  });

  test('after rewrapping, the old master key can be removed', async () => {
    const before = withKeys(oldKey);
    await checkMasterKey(before);
    await ensureSigningKeys(before);
    const kid = (await currentKey(before, 'jwt')).kid;
    await rotateKey(before, 'action-ecdsa');

    assert.deepEqual(await rewrapAll(withKeys(newKey, oldKey), signingKeysSealed), { rewrapped: 6, unreadable: [] });
    t.advanceSeconds(10);
    await checkMasterKey(withKeys(newKey));
    assert.equal((await currentKey(withKeys(newKey), 'jwt')).kid, kid);
    await assert.rejects(checkMasterKey(withKeys(oldKey)), wrongKey);
    assert.deepEqual(await rewrapAll(withKeys(newKey), signingKeysSealed), { rewrapped: 0, unreadable: [] });
  });

  test('a value that no key decrypts is named and does not keep the others from being rewrapped', async () => {
    const before = withKeys(oldKey);
    await ensureSigningKeys(before);
    const { kid } = await currentKey(before, 'jwt');
    const lost = createKeyring([{ id: 'lost', key: random.bytes(32) }], random).seal('elsewhere', 'x');
    await t.services.db.system.updateTable('signing_keys').set({ private_key: lost }).where('kid', '=', kid).execute();
    const report = await rewrapAll(withKeys(newKey, oldKey), signingKeysSealed);
    assert.deepEqual(report, { rewrapped: 3, unreadable: [`signing_keys.private_key:${kid}`] });
  });

  const answers: SealedColumn = {
    table: 'idempotent_requests',
    column: 'answer',
    idColumns: ['caller', 'key_hash'],
    placeOf: (caller, keyHash) => `idempotent_requests.answer:${caller}:${keyHash}`,
  };

  test('tables of any size and with several key columns are rewrapped, and empty values are skipped', async () => {
    const { keyring } = withKeys(oldKey);
    const rows = Array.from({ length: 1_200 }, (_, n) => {
      const [caller, hash] = [`caller ${n % 7}`, hashSecret(`${n}`)];
      const answer = n % 10 === 0 ? null : keyring.seal(answers.placeOf(caller, hash), `answer ${n}`);
      return { caller, key_hash: hash, request_hash: hash, status: 200, answer, created_at: t.services.clock() };
    });
    await t.services.db.system.insertInto('idempotent_requests').values(rows).execute();
    assert.deepEqual(await rewrapAll(withKeys(newKey, oldKey), [answers]), { rewrapped: 1_080, unreadable: [] });
    const { keyring: fresh } = withKeys(newKey);
    const stored = await t.services.db.system.selectFrom('idempotent_requests').selectAll().execute();
    const opened = stored
      .filter((row) => row.answer !== null)
      .map((row) => fresh.openText(answers.placeOf(row.caller, row.key_hash), row.answer ?? ''));
    assert.equal(new Set(opened).size, 1_080);
  });

  test('a value that changes while it is being rewrapped keeps the change', async () => {
    const ctx = withKeys(newKey, oldKey);
    const { system } = ctx.db;
    await ensureSigningKeys(withKeys(oldKey));
    const changeAll = async () => {
      for (const { kid } of await system.selectFrom('signing_keys').select('kid').execute()) {
        const private_key = ctx.keyring.seal(`signing_keys.private_key:${kid}`, 'changed');
        await system.updateTable('signing_keys').set({ private_key }).where('kid', '=', kid).execute();
      }
    };
    // Another writer intervenes between the read and the write of a batch.
    const transaction: Database['transaction'] = async (tenant, work) => {
      await changeAll();
      return ctx.db.transaction(tenant, work);
    };
    const report = await rewrapAll({ ...ctx, db: { ...ctx.db, transaction } }, signingKeysSealed);
    assert.deepEqual(report, { rewrapped: 0, unreadable: [] });
    for (const { kid, private_key } of await system.selectFrom('signing_keys').selectAll().execute()) {
      assert.equal(ctx.keyring.openText(`signing_keys.private_key:${kid}`, private_key), 'changed');
    }
  });
});
