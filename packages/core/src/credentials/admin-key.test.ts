import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemRandom } from '@latchkey/db';
import { type TestPlatform, testPlatform } from '../testing/index.ts';
import { countAdminKeys, createAdminKey, createFirstAdminKey, revokeAdminKey, verifyAdminKey } from './index.ts';

const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };

describe('admin keys', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('admin-key');
  });
  after(() => t.close());

  test('a new installation gets one first key, however many processes start at once', async () => {
    const platform = { ...t.platform, random: systemRandom };
    const made = await Promise.all(Array.from({ length: 10 }, () => createFirstAdminKey(platform, 'first')));
    const keys = made.filter((key) => key !== undefined);
    assert.equal(keys.length, 1);
    assert.equal(await countAdminKeys(t.platform), 1);
    await revokeAdminKey(t.platform, keys[0]?.id ?? '');
    assert.equal(await createFirstAdminKey(t.platform, 'second'), undefined);
  });

  test('a key stands for the operator until it is revoked', async () => {
    const before = await countAdminKeys(t.platform);
    const { id, key } = await createAdminKey(t.platform, 'Olga');
    assert.match(key, /^admin[0-9A-Za-z]+\.[0-9A-Za-z]+$/);
    assert.ok(key.startsWith(`admin${id}.`));
    assert.deepEqual(await verifyAdminKey(t.platform, key), { kind: 'admin', name: 'Olga' });
    assert.equal(await countAdminKeys(t.platform), before + 1);

    await revokeAdminKey(t.platform, id);
    await assert.rejects(verifyAdminKey(t.platform, key), refused);
    assert.equal(await countAdminKeys(t.platform), before);
    await assert.rejects(revokeAdminKey(t.platform, id), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(revokeAdminKey(t.platform, 'nobody'), { code: 'ENTITY_NOT_FOUND' });
  });

  test('a key that is changed, cut or mixed with another is refused', async () => {
    const [a, b] = [await createAdminKey(t.platform, 'a'), await createAdminKey(t.platform, 'b')];
    const mixed = `${a.key.split('.')[0]}.${b.key.split('.')[1]}`;
    for (const wrong of [
      '',
      'admin',
      `admin${a.id}.`,
      a.key.slice(0, -1),
      `${a.key}x`,
      ` ${a.key}`,
      a.key.toLowerCase(),
      mixed,
      'admin\0.x',
    ]) {
      await assert.rejects(verifyAdminKey(t.platform, wrong), refused, wrong);
    }
  });

  test('neither the table nor the log holds a key', async () => {
    const { key } = await createAdminKey(t.platform, 'secretive');
    const rows = await t.platform.db.system.selectFrom('admin_keys').selectAll().execute();
    assert.equal(JSON.stringify([rows, t.log.lines]).includes(key.split('.')[1] ?? ''), false);
  });
});
