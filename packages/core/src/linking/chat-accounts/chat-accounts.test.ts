import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { listChatAccounts } from './operations.ts';

describe('the chat accounts of a person', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('chat-accounts');
  });
  after(() => t.close());

  let links = 0;
  async function link(userId: string, address: string, namespace = 'evm') {
    links += 1;
    await sql`
      insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
      values (${`link-${links}`}, ${userId}, 'discord', ${namespace}, ${address}, ${t.services.clock()})`.execute(
      t.services.db.system,
    );
  }

  test('are the signed-in one and those that proved the same wallets, with the shared wallets', async () => {
    const me = newUser();
    const other = `TEL#USER#${me.nativeId}`;
    await link(me.userId, '0x01');
    await link(me.userId, '0x02');
    await link(me.userId, '0x03');
    await link(other, '0x01');
    await link(other, '0x02');
    await link('RED#USER#stranger', '0x09');
    await link(`ETH#USER#${me.nativeId}`, '0x03');
    const { items } = await listChatAccounts(t.as({ ...me, name: 'Ann <b>' }), {});
    assert.deepEqual(items, [
      { accountId: me.userId, platform: 'discord', name: 'Ann <b>', isCurrent: true, sharedWallets: [] },
      { accountId: other, platform: 'telegram', isCurrent: false, sharedWallets: ['0x01', '0x02'] },
    ]);
  });

  test('exclude accounts that only share an X account, and have the names their communities know', async () => {
    const [me, known, follower] = [newUser(), newUser(), newUser()];
    const { id } = await newCommunity(t);
    await addMembers(t, id, [{ userId: known.userId }]);
    await sql`update community_members set user_name = 'Known' where user_id = ${known.userId}`.execute(
      t.services.db.system,
    );
    await link(me.userId, '77', 'twitter');
    await link(follower.userId, '77', 'twitter');
    await link(me.userId, '0x55');
    await link(known.userId, '0x55');
    const { items } = await listChatAccounts(t.as(me), {});
    assert.deepEqual(
      items.map(({ accountId, name }) => [accountId, name]),
      [
        [me.userId, undefined],
        [known.userId, 'Known'],
      ],
    );
  });
});
