import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScope, scopes } from '@latchkey/kernel';
import en from '../messages/en.ts';
import { limitsOf as limitMessagesOf } from './limits.ts';

const limitsOf = (ids: readonly string[]): string[] => limitMessagesOf(ids).map((message) => en[message]);

test('what an application asks for is not listed as what it may not do', () => {
  const all = limitsOf(['openid', 'user:read']);
  assert.equal(all.length, 5);
  assert.ok(!limitsOf(['user:wallet:write']).some((words) => /wallets$|sign in/.test(words) && !/hold/.test(words)));
  assert.ok(!limitsOf(['user:pkp:sign']).includes('move what your wallets hold'));
  assert.ok(!limitsOf(['community:write']).includes('manage your communities'));
});

test('nothing lets an application see keys, and each limit is lifted by scopes that there are', () => {
  const ids = Object.keys(scopes);
  assert.deepEqual(limitsOf(ids), ['see your keys or recovery phrases']);
  for (const id of ids.filter((scope) => limitsOf([scope]).length < 5)) assert.ok(isScope(id));
});
