import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createRule } from '../../gating/community-rules/change-rules.ts';
import { findRulesWithRoles } from '../../gating/community-rules/operations.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { eraseAccount } from '../../modules.ts';
import { getSubscribedSpaces } from '../../partners/snapshot/operations.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { getSubscriptions } from '../community/operations.ts';
import { findCommunities } from '../community/reads.ts';
import { newCommunity, newUser } from '../community/testing.ts';
import { createGuestPass, listGuestPasses } from '../guest-passes/index.ts';
import { communityReader, confirmedCommunityAdmin } from './guards.ts';
import {
  applicationAccessOperations,
  grantApplicationAccess,
  listApplicationAccess,
  revokeApplicationAccess,
} from './operations.ts';

describe('an application to which admins granted access to their community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('application-access');
  });
  after(() => t.close());

  async function newProgram(scopes: string[] = ['community:read', 'discord:guild', 'discord:message']) {
    const maker = newUser();
    const { id = '' } = await createDevelopmentApp(t.as(operator), { userId: maker.userId, name: 'Reader', scopes });
    const client = { id, name: 'Reader', allowedScopes: scopes, disallowedScopes: [] };
    const actor: Actor = { kind: 'client', credential: 'api-key', client };
    return { clientId: id, actor, maker };
  }
  const listed = async (actor: Actor) => (await findCommunities(t.as(actor), {})).items.map(({ id }) => id);
  const reads = (actor: Actor, id: string, scope: 'discord:guild' | 'discord:message') =>
    communityReader('id', scope).object?.admits(t.as(actor), id);

  test('reads that community and no other, until the access is revoked', async () => {
    const { owner, id } = await newCommunity(t);
    const other = await newCommunity(t);
    const { clientId, actor } = await newProgram();
    await createRule(t.as(owner), {
      id,
      body: { type: 'ERC20', chainId: 1, contractAddress: `0x${'a'.repeat(40)}`, minToken: '1', roleId: 'gold' },
    });
    assert.deepEqual([await listed(actor), await reads(actor, id, 'discord:guild')], [[], false]);
    const granted = await grantApplicationAccess(t.as(owner), { communityId: id, clientId });
    assert.deepEqual([granted.name, granted.scopes], ['Reader', ['community:read', 'discord:guild']]);
    assert.deepEqual(await listed(actor), [id]);
    assert.equal((await findRulesWithRoles(t.as(actor), { id })).items.length, 1);
    assert.deepEqual(
      [await reads(actor, id, 'discord:guild'), await reads(actor, other.id, 'discord:guild')],
      [true, false],
    );
    assert.equal(await reads(actor, id, 'discord:message'), false, 'writing must be granted explicitly');
    assert.deepEqual(await listApplicationAccess(t.as(owner), { communityId: id }), [granted]);
    await revokeApplicationAccess(t.as(owner), { communityId: id, clientId });
    assert.deepEqual([await listed(actor), await reads(actor, id, 'discord:guild')], [[], false]);
    await assert.rejects(revokeApplicationAccess(t.as(owner), { communityId: id, clientId }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  test('reads the plans, the guest passes and the Snapshot spaces of that community', async () => {
    const { owner, id } = await newCommunity(t);
    const { clientId, actor } = await newProgram();
    const pass = await createGuestPass(t.as(owner), {
      guildId: id,
      body: { name: 'Visitor', roleSet: [{ id: '770000000000000077' }] },
    });
    await assert.rejects(listGuestPasses(t.as(actor), { guildId: id }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getSubscriptions(t.as(actor), { communityId: id }), { code: 'ENTITY_NOT_FOUND' });
    await grantApplicationAccess(t.as(owner), { communityId: id, clientId });
    const plans = await getSubscriptions(t.as(actor), { communityId: id });
    assert.deepEqual(
      plans.map(({ sk }) => sk),
      ['PLAN#starter'],
    );
    assert.deepEqual(await listGuestPasses(t.as(actor), { guildId: id }), [pass]);
    assert.deepEqual(await getSubscribedSpaces(t.as(actor), { communityId: id }), []);
    await revokeApplicationAccess(t.as(owner), { communityId: id, clientId });
    await assert.rejects(listGuestPasses(t.as(actor), { guildId: id }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getSubscribedSpaces(t.as(actor), { communityId: id }), { code: 'ENTITY_NOT_FOUND' });
  });

  test('writes only by scopes that an admin granted, and these replace the ones before', async () => {
    const { owner, id } = await newCommunity(t);
    const { clientId, actor } = await newProgram();
    const grant = (scopes: string[]) =>
      grantApplicationAccess(t.as(owner), { communityId: id, clientId, body: { scopes } });
    await grant(['discord:message']);
    assert.deepEqual(
      [await reads(actor, id, 'discord:message'), await reads(actor, id, 'discord:guild'), await listed(actor)],
      [true, false, []],
    );
    for (const [scopes, message] of [
      [['community:write'], /cannot contain "community:write": choose from community:read/],
      [['role-manager'], /the operator did not grant the application: role-manager/],
      [[], /must name a scope/],
    ] as const)
      await assert.rejects(grant([...scopes]), { code: 'VALIDATION_FAILED', message });
    assert.equal(await reads(actor, id, 'discord:message'), true, 'a refused change changes nothing');
  });

  test('is granted access only by admins in person: no stranger, no member and no application for an admin', async () => {
    const { owner, id } = await newCommunity(t);
    const { clientId, maker } = await newProgram();
    const grant = { communityId: id, clientId };
    await assert.rejects(grantApplicationAccess(t.as(maker), grant), { code: 'ENTITY_NOT_FOUND' });
    assert.equal(await confirmedCommunityAdmin('id').object?.admits(t.as(maker), id), false);
    for (const { method, contract } of applicationAccessOperations)
      if (method !== 'GET') assert.deepEqual(contract.access.scopes, [], 'no scope lets a limited token in');
    await assert.rejects(grantApplicationAccess(t.as(owner), { communityId: id, clientId: 'nobody' }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  test('keeps its access when the admin who granted it is erased, without the name', async () => {
    const { owner, id } = await newCommunity(t);
    const { clientId, actor } = await newProgram();
    await grantApplicationAccess(t.as(owner), { communityId: id, clientId });
    await eraseAccount(t.as(operator), owner.userId);
    const [row] = await t.services.db.system
      .selectFrom('community_access')
      .selectAll()
      .where('community_id', '=', id)
      .execute();
    assert.notEqual(row?.granted_by_id ?? owner.userId, owner.userId);
    assert.deepEqual(await listed(actor), [id]);
  });
});
