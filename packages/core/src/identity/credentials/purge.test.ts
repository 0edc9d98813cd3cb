import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashSecret } from '@latchkey/db';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { credentialJobs, credentialSchedules, purgeExpiredCredentials } from './index.ts';

const day = 24 * 60 * 60;

describe('purging expired credentials', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('sweep');
  });
  after(() => t.close());

  const ago = (seconds: number) => new Date(t.services.clock().getTime() - seconds * 1000);
  const count = async (
    table: 'access_tokens' | 'revoked_tokens' | 'used_nonces' | 'idempotent_requests' | 'rate_windows',
  ) => (await t.services.db.system.selectFrom(table).selectAll().execute()).length;

  /** Adds to each table one row that expired a second ago, and one that expires in a second. */
  async function fill(): Promise<void> {
    const { system } = t.services.db;
    for (const [n, late] of [1, -1].entries()) {
      const hash = hashSecret(`${n}`);
      const token = {
        user_id: 'u',
        platform: 'p',
        user_name: null,
        client_id: null,
        scopes: [],
        issued_at: ago(day),
        revoked_at: null,
      };
      await system
        .insertInto('access_tokens')
        .values({ token_hash: hash, expires_at: ago(late), ...token })
        .execute();
      await system
        .insertInto('revoked_tokens')
        .values({ jti: `${n}`, expires_at: ago(late) })
        .execute();
      await system
        .insertInto('used_nonces')
        .values({ nonce_hash: hash, expires_at: ago(late) })
        .execute();
      const answered = { caller: 'c', key_hash: hash, request_hash: hash, status: 200, answer: null };
      await system
        .insertInto('idempotent_requests')
        .values({ ...answered, created_at: ago(day + late) })
        .execute();
      await system
        .insertInto('rate_windows')
        .values({ bucket: `${n}`, window_start: ago(32 * day + late), used: 1 })
        .execute();
    }
  }

  test('deletes expired rows and nothing else', async () => {
    await fill();
    assert.equal(await purgeExpiredCredentials(t.services), 5);
    for (const table of [
      'access_tokens',
      'revoked_tokens',
      'used_nonces',
      'idempotent_requests',
      'rate_windows',
    ] as const) {
      assert.equal(await count(table), 1, table);
    }
    assert.equal(await purgeExpiredCredentials(t.services), 0);
  });

  test('continues over more than one batch', async () => {
    await t.services.db.pool.query(
      `insert into used_nonces select encode(sha256(n::text::bytea), 'hex'), $1 from generate_series(10, 10010) n`,
      [ago(1)],
    );
    const kept = (await count('used_nonces')) - 10_001;
    await purgeExpiredCredentials(t.services);
    assert.equal(await count('used_nonces'), kept);
  });

  test('stops between batches when asked to', async () => {
    await t.services.db.pool.query(
      `insert into used_nonces select encode(sha256(n::text::bytea), 'hex'), $1 from generate_series(20001, 20010) n`,
      [ago(1)],
    );
    assert.equal(await purgeExpiredCredentials(t.services, AbortSignal.abort()), 0);
    assert.equal(await purgeExpiredCredentials(t.services), 10);
  });

  test('is due every hour', () => {
    assert.deepEqual(
      credentialSchedules.map(({ cron, job }) => [cron, job.name]),
      [['37 * * * *', 'credentials.purge']],
    );
    assert.deepEqual(
      credentialJobs.map(({ name }) => name),
      ['credentials.purge'],
    );
  });
});
