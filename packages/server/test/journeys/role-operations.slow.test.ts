import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor } from '@latchkey/core';
import { changeSets } from '../../src/cli/commands/change-sets.ts';
import { people } from '../harness/outside-world.ts';
import { changeSetsOf } from '../harness/set-up-community.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';

/** What an admin does over HTTP, on a complete server with its worker, a chain and a Discord emulator. */
describe('an admin who manages roles over HTTP', () => {
  let world: World;
  let inCommunity: string;
  before(async () => {
    world = await openWorld();
    inCommunity = `/latchkey/communities/${encodeURIComponent(world.community.id)}`;
  });
  after(() => world.server.close());

  function ask(method: string, path: string, json?: unknown, authorization = world.alice) {
    return world.server.request(method, path, { headers: { authorization }, json });
  }

  test('previews, approves, asks why, undoes, and finds everything in the audit log', async () => {
    const { server, outside, community } = world;
    const { guildId, roleId } = community;
    const rolesOf = () => outside.discord.getGuild(guildId).members.get(people.alice.userId)?.roles;
    const hadIt = rolesOf()?.has(roleId) === true;
    const change = hadIt ? 'grant' : 'revoke';
    // An admin changes it manually: the next check finds the difference.
    if (hadIt) rolesOf()?.delete(roleId);
    else rolesOf()?.add(roleId);

    const preview = await ask('POST', `${inCommunity}/change-sets`, { userIds: [people.alice.userId] });
    assert.deepEqual([preview.status, preview.json.status, preview.json[`${change}s`]], [200, 'previewed', 1]);
    const changeSet = `${changeSetsOf(community.id)}/${preview.json.id}`;
    const shown = await ask('GET', changeSet);
    const [item] = shown.json.items;
    assert.deepEqual(
      [item.userName, item.roleName, item.action, item.state],
      [people.alice.name, 'Key holder', change, 'planned'],
    );
    assert.ok(item.reason.rules[0].name);
    const approved = await ask('POST', `${changeSet}/approve`);
    assert.deepEqual([approved.status, approved.json.decidedBy], [200, `DIS#USER#${people.alice.userId}`]);
    await server.worker.idle();
    assert.equal(rolesOf()?.has(roleId), hadIt);
    assert.equal((await ask('POST', `${changeSet}/approve`)).json.error.code, 'STATE_CONFLICT');

    const entry = (await ask('GET', `${inCommunity}/role-ledger?userId=${people.alice.userId}&limit=1`)).json.items[0];
    assert.deepEqual([entry.changeSetId, entry.action, entry.isAutomatic], [preview.json.id, change, false]);
    const member = `${inCommunity}/members/${people.alice.userId}/roles`;
    const then = await ask('GET', `${member}/${roleId}`);
    assert.deepEqual([then.json.had, then.json.entry.changeSetId], [hadIt, preview.json.id]);
    const now = (await ask('GET', member)).json.roles[0];
    assert.deepEqual([now.roleName, now.has, now.qualifies], ['Key holder', hadIt, hadIt]);
    const holders = await ask('GET', `${inCommunity}/roles/${roleId}/holders`);
    assert.equal(
      holders.json.items.some(({ userName }: { userName: string }) => userName === people.alice.name),
      hadIt,
    );

    const undo = await ask('POST', `${changeSet}/undo`);
    assert.deepEqual([undo.status, undo.json.undoes], [200, preview.json.id]);
    await server.worker.idle();
    assert.equal(rolesOf()?.has(roleId), !hadIt);
    assert.equal((await ask('GET', member)).json.roles[0].isSuppressed, true);
    const check = await ask('POST', `${inCommunity}/role-checks`, { userIds: [people.alice.userId] });
    assert.deepEqual(check.json.userIds, [`DIS#USER#${people.alice.userId}`]);
    await server.worker.idle();
    assert.equal(rolesOf()?.has(roleId), hadIt);
    assert.deepEqual((await ask('GET', `${inCommunity}/blocked-roles`)).json, []);

    const log = (await ask('GET', `${inCommunity}/audit-log?limit=3`)).json.items;
    assert.deepEqual(
      log.map(({ action, target, communityId }: Record<string, string>) => [action, target, communityId]),
      [
        ['roles.check', community.id, community.id],
        ['change-set.undo', preview.json.id, community.id],
        ['change-set.approve', preview.json.id, community.id],
      ],
    );
    const own = (await ask('GET', '/latchkey/account/audit-log?action=change-set.undo')).json.items;
    assert.deepEqual([own.length, own[0].target], [1, preview.json.id]);
  });

  test('command-line decisions of the operator are in the community’s log, without their login', async () => {
    const operator = contextFor(world.server.services, { kind: 'admin', name: 'test' });
    const { rejected } = world.community.changeSets;
    await changeSets.run(operator, ['reject', rejected], { reason: 'not yet' }, world.server.config);
    const [entry] = (await ask('GET', `${inCommunity}/audit-log?action=change-set.reject`)).json.items;
    assert.deepEqual(
      [entry.who, entry.through, entry.target, entry.reason, entry.fromAddress],
      ['$admin', 'command-line', rejected, 'not yet', undefined],
    );
  });

  test('a list continues only for the caller and the filter of its first page', async () => {
    const { json } = await ask('GET', `${inCommunity}/change-sets?limit=1`);
    const next = `paginationToken=${encodeURIComponent(json.paginationToken)}`;
    const second = await ask('GET', `${inCommunity}/change-sets?limit=1&${next}`);
    assert.notEqual(second.json.items[0].id, json.items[0].id);
    const elsewhere = await ask('GET', `${inCommunity}/role-ledger?${next}`);
    assert.deepEqual([elsewhere.status, elsewhere.json.error.code], [400, 'INVALID_PAGINATION_TOKEN']);
  });

  test('an invalid time is refused by name, and a stranger gets "not found"', async () => {
    const role = `${inCommunity}/members/1/roles/2`;
    for (const at of ['yesterday', '2026-01-31', '2016-12-31T23:59:60Z']) {
      const { status, json } = await ask('GET', `${role}?at=${at}`);
      assert.deepEqual(
        [status, json.error.code, json.error.details],
        [400, 'INVALID_PARAMETER_VALUE', { parameter: 'at' }],
      );
    }
    const stranger = await ask('GET', role, undefined, world.mallory);
    assert.deepEqual([stranger.status, stranger.json.error.message], [404, 'Community not found.']);
  });
});
