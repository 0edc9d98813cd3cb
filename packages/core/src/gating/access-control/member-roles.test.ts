import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addMembers, newCommunity, newUser } from '../../communities/community/testing.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createRule } from '../community-rules/index.ts';
import { getCommunityUserRoles } from './operations.ts';
import { coin, erc20, link, newAccount, other } from './testing.ts';

describe('the roles of a member', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('access-control-member');
  });
  after(() => t.close());

  test('the community’s rules are checked against all linked wallets', async () => {
    const { owner, id } = await newCommunity(t);
    const member = newUser();
    const [first, second] = [newAccount(), newAccount()];
    await addMembers(t, id, [{ userId: member.userId, roleIds: ['gold'] }]);
    await link(t, member.userId, first);
    await link(t, member.userId, second);
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: coin, account: second }, '5');
    await createRule(t.as(owner), { id, body: erc20(coin, 'silver', { minToken: '5' }) });
    await createRule(t.as(owner), { id, body: erc20(other, 'gold') });
    for (const userId of [member.userId, member.nativeId]) {
      assert.deepEqual(await getCommunityUserRoles(t.as(owner), { communityId: id, userId }), {
        roles: [
          { id: 'silver', granted: true },
          { id: 'gold', granted: false },
        ],
        errors: [],
      });
    }
  });

  test('a user without wallets qualifies for nothing, and a rule that cannot be read leaves its role undecided', async () => {
    const { owner, id } = await newCommunity(t);
    await createRule(t.as(owner), { id, body: erc20(coin, 'silver') });
    await createRule(t.as(owner), { id, body: erc20(other, 'gold') });
    await t.services.db.system
      .updateTable('community_rules')
      .set({ definition: { type: 'NO_SUCH_KIND' } })
      .where('community_id', '=', id)
      .where('role_id', '=', 'gold')
      .execute();
    const { roles, errors } = await getCommunityUserRoles(t.as(owner), { communityId: id, userId: '1' });
    assert.deepEqual(roles, [{ id: 'silver', granted: false }]);
    assert.equal(errors?.[0]?.code, 'UNREADABLE_RULE');
  });

  test('a non-admin sees no community', async () => {
    const { id } = await newCommunity(t);
    await assert.rejects(getCommunityUserRoles(t.as(mallory), { communityId: id, userId: '1' }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });
});
