import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { DiscordEvent } from '@latchkey/core/ports';
import { fuzzAnswers, volume } from '@latchkey/test-kit';
import { readEvent } from './create-gateway.ts';

const guild_id = '100';
const user = { id: '7', username: 'ada', bot: false };
const recorded: readonly [string, Record<string, unknown>][] = [
  ['GUILD_MEMBER_ADD', { guild_id, user, roles: ['1', '2'] }],
  ['GUILD_MEMBER_UPDATE', { guild_id, user, roles: ['1'] }],
  ['GUILD_MEMBER_REMOVE', { guild_id, user }],
  ['MESSAGE_CREATE', { guild_id, author: user, content: 'hello' }],
  ['GUILD_CREATE', { id: guild_id, name: 'Guild', owner_id: '9', unavailable: false }],
  ['GUILD_DELETE', { id: guild_id, unavailable: true }],
  ['GUILD_UPDATE', { id: guild_id, name: 'Guild' }],
  ['CHANNEL_UPDATE', { guild_id, id: '5' }],
  ['GUILD_ROLE_UPDATE', { guild_id, role: { id: '1' } }],
  ['GUILD_ROLE_DELETE', { guild_id, role_id: '1' }],
];

test('a malformed event is dropped, and one about a member triggers a re-check', () => {
  assert.deepEqual(readEvent({ t: 'GUILD_MEMBER_UPDATE', d: { guild_id, roles: ['1'] } }), {
    kind: 'member-unreadable',
    guildId: guild_id,
  });
  assert.equal(readEvent({ t: 'GUILD_MEMBER_UPDATE', d: null }), undefined);
  assert.equal(readEvent({ t: 'GUILD_DELETE', d: { id: guild_id, unavailable: 'no' } }), undefined);
  assert.equal(readEvent({ t: 'MESSAGE_CREATE', d: [] }), undefined);
});

test('however a gateway event is corrupted, it is read correctly or dropped', async () => {
  for (const [t, d] of recorded) {
    let change: ((body: unknown) => unknown) | undefined;
    await fuzzAnswers<DiscordEvent | undefined>({
      name: `discord event ${t}`,
      rounds: volume(40, 2_000),
      intercept: (next) => {
        change = next;
      },
      read: async () => readEvent({ t, d: change === undefined ? d : change(d) }),
      isRight: (got, truth) => got === undefined || got.kind === 'member-unreadable' || isDeepStrictEqual(got, truth),
      // Without these fields, a message is a private one, an author is a person, and an unavailable server counts as left.
      optional: ['unavailable', 'bot', 'guild_id', 'username'],
    });
  }
});
