import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemRandom } from '@latchkey/db';
import { selectAuditEntries } from '../../services/audit/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import {
  countAdminKeys,
  createAdminKey,
  createFirstAdminKey,
  listAdminKeys,
  revokeAdminKey,
  verifyAdminKey,
} from './index.ts';

const here = '127.0.0.1';
const refused = { name: 'AppError', code: 'INVALID_CREDENTIAL' };

describe('admin keys', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('admin-key');
  });
  after(() => t.close());

  test('a new installation gets one first key, however many processes start at once', async () => {
    const services = { ...t.services, random: systemRandom };
    const made = await Promise.all(Array.from({ length: 10 }, () => createFirstAdminKey(services, 'first')));
    const keys = made.filter((key) => key !== undefined);
    assert.equal(keys.length, 1);
    assert.equal(await countAdminKeys(t.services), 1);
    await revokeAdminKey(t.services, keys[0]?.id ?? '');
    assert.equal(await createFirstAdminKey(t.services, 'second'), undefined);
  });

  test('a key acts as the operator until it is revoked', async () => {
    const before = await countAdminKeys(t.services);
    const { id, key } = await createAdminKey(t.services, 'Olga');
    assert.match(key, /^admin[0-9A-Za-z]+\.[0-9A-Za-z]+$/);
    assert.ok(key.startsWith(`admin${id}.`));
    assert.deepEqual(await verifyAdminKey(t.services, key, here), { kind: 'admin', name: 'Olga', keyId: id });
    assert.equal(await countAdminKeys(t.services), before + 1);

    await revokeAdminKey(t.services, id);
    await assert.rejects(verifyAdminKey(t.services, key, here), refused);
    assert.equal(await countAdminKeys(t.services), before);
    await assert.rejects(revokeAdminKey(t.services, id), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(revokeAdminKey(t.services, 'nobody'), { code: 'ENTITY_NOT_FOUND' });
  });

  test('a key that is changed, cut or mixed with another is refused', async () => {
    const [a, b] = [await createAdminKey(t.services, 'a'), await createAdminKey(t.services, 'b')];
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
      await assert.rejects(verifyAdminKey(t.services, wrong, here), refused, wrong);
    }
  });

  test('a key that expires works until then and no longer', async () => {
    const expiresAt = new Date(t.services.clock().getTime() + 60_000);
    const before = await countAdminKeys(t.services);
    const { id, key } = await createAdminKey(t.services, 'for a minute', { expiresAt });
    t.advanceSeconds(59);
    assert.equal((await verifyAdminKey(t.services, key, here)).kind, 'admin');
    assert.equal(await countAdminKeys(t.services), before + 1);
    t.advanceSeconds(1);
    await assert.rejects(verifyAdminKey(t.services, key, here), refused);
    assert.equal(await countAdminKeys(t.services), before);
    const listed = (await listAdminKeys(t.services)).find((one) => one.id === id);
    assert.deepEqual(listed?.expires_at, expiresAt);
    await assert.rejects(createAdminKey(t.services, 'late', { expiresAt }), { code: 'VALIDATION_FAILED' });
  });

  test('a key restricted to IP addresses is refused from elsewhere, and its use there is logged', async () => {
    const allowedIpAddresses = ['192.0.2.0/24', '2001:db8::/32', '203.0.113.7'];
    const { id, key } = await createAdminKey(t.services, 'office', { allowedIpAddresses });
    for (const address of ['192.0.2.200', '::ffff:192.0.2.1', '2001:db8::5', '203.0.113.7'])
      assert.equal((await verifyAdminKey(t.services, key, address)).kind, 'admin', address);
    for (const address of ['192.0.3.1', '203.0.113.70', '2001:db9::1', '127.0.0.1', '', 'localhost'])
      await assert.rejects(verifyAdminKey(t.services, key, address), refused, address);
    assert.ok(JSON.stringify(t.log.lines).includes(id));
    for (const wrong of ['192.0.2.0/33', '192.0.2', 'office.example', '::/129', '', '10.0.0.0/8/8'])
      await assert.rejects(createAdminKey(t.services, 'x', { allowedIpAddresses: [wrong] }), {
        code: 'VALIDATION_FAILED',
      });
  });

  test('who created and revoked a key is audited, and the key itself is not', async () => {
    const change = { who: '$command-line/olga', through: 'command-line', reason: 'new laptop' } as const;
    const { id, key } = await createAdminKey(t.services, 'Olga', { allowedIpAddresses: ['192.0.2.1'] }, change);
    await revokeAdminKey(t.services, id, change);
    const entries = await selectAuditEntries(t.services.db.system, { userId: change.who, limit: 9 });
    assert.deepEqual(
      entries.map(({ action, target, reason }) => [action, target, reason]),
      ['admin-key.revoke', 'admin-key.create'].map((action) => [action, id, 'new laptop']),
    );
    assert.deepEqual(entries[1]?.details, { name: 'Olga', expiresAt: null, addresses: ['192.0.2.1'] });
    assert.ok(!JSON.stringify(entries).includes(key.split('.')[1] ?? ''));
  });

  test('neither the table nor the log holds a key', async () => {
    const { key } = await createAdminKey(t.services, 'secretive');
    const rows = await t.services.db.system.selectFrom('admin_keys').selectAll().execute();
    assert.equal(JSON.stringify([rows, t.log.lines]).includes(key.split('.')[1] ?? ''), false);
  });
});
