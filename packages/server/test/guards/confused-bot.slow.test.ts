import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { malloryId } from '../harness/identities.ts';
import { people } from '../harness/outside-world.ts';
import { keyRule } from '../harness/set-up-community.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';

/**
 * One bot serves every guild, and its calls have guilds, members and roles in their paths. An admin of one guild must
 * not reach another one through an id that contains a path.
 */
describe('ids that are paths', () => {
  let world: World;
  let headers: Record<string, string>;

  before(async () => {
    world = await openWorld();
    headers = { authorization: world.mallory };
    // Mallory is in alice's guild, and would like the role there.
    world.outside.discord.addMember(world.community.guildId, { id: people.mallory.userId });
  });
  after(() => world.server.close());

  const rolesInAlicesGuild = () => [
    ...(world.outside.discord.getGuild(world.community.guildId).members.get(people.mallory.userId)?.roles ?? []),
  ];

  test('in a rule do not make the bot grant a role in another guild', async () => {
    const { server, outside, community, foreign } = world;
    const place = `${community.guildId}/members/${people.mallory.userId}/roles/${community.roleId}`;
    for (const way of ['../../../../', '..%2f..%2f..%2f..%2f', '..\\..\\..\\..\\']) {
      const roleId = `${way}${place}`;
      const path = `/communities/${encodeURIComponent(foreign.id)}/tpcs`;
      const { status } = await server.request('POST', path, { headers, json: keyRule(outside, roleId) });
      assert.equal(status, 422);
      // However it got in, the bot does not call that path.
      await sql`update community_rules set role_id = ${roleId} where community_id = ${foreign.id}`.execute(
        server.services.db.system,
      );
      const query = `communityId=${encodeURIComponent(foreign.id)}&userId=${encodeURIComponent(malloryId)}`;
      await server.request('POST', `/role-manager/roles?${query}`, { headers });
      await server.worker.idle();
      assert.deepEqual(rolesInAlicesGuild(), [], way);
    }
  });

  test('of a member do not make the bot read another guild', async () => {
    const { server, outside, community, foreign } = world;
    // Without the worker, only these requests make the bot call Discord.
    await server.worker.idle();
    await server.worker.stop(5_000);
    outside.discord.resetCounts();
    for (const way of ['../../', '..%2f..%2f', '..\\..\\']) {
      const userId = `${way}${community.guildId}/members/${people.alice.userId}`;
      const json = { communityId: foreign.id, userId };
      const answers = [
        await server.request('POST', '/role-manager/check-user-roles', { headers, json }),
        await server.request('POST', '/role-manager/check-community-roles', { headers, json }),
        await server.request(
          'GET',
          `/access-control/${encodeURIComponent(foreign.id)}/${encodeURIComponent(userId)}/roles`,
          { headers },
        ),
      ];
      for (const { text } of answers) assert.ok(!text.includes(people.alice.name), text);
    }
    const { byRoute } = outside.discord.counts();
    assert.equal(
      byRoute['GET /guilds/:guild/members/:user'] ?? 0,
      0,
      'the bot requested a member that was not in the request',
    );
  });
});
