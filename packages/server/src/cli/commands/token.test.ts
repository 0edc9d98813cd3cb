import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureSigningKeys } from '@latchkey/core';
import { operator, testPlatform } from '@latchkey/core/testing';
import type { Config } from '../../config.ts';
import { token } from './token.ts';

test('a token that acts as a user is announced to that user', async (t) => {
  const platform = await testPlatform('operator-token-notice');
  t.after(() => platform.close());
  await ensureSigningKeys(platform.services);
  t.mock.method(process.stdout, 'write', () => true);
  for (const kind of ['ae', 'bearer'])
    await token.run(platform.as(operator), [kind], { user: `DIS#USER#${kind}`, reason: 'ticket 12' }, {
      baseUrl: 'https://latchkey.test',
    } as Config);
  const notices = await platform.services.db.system
    .selectFrom('jobs')
    .select('payload')
    .where('name', '=', 'security-notices.tell')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    notices.map(({ payload }) => payload),
    ['ae', 'bearer'].map((kind) => ({ userId: `DIS#USER#${kind}`, loginMethod: 'operator-token' })),
  );
});
