import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { createRule } from '../../gating/community-rules/change-rules.ts';
import { findRules, ruleOperations } from '../../gating/community-rules/operations.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { updateAdmins } from '../admins/change-admins.ts';
import { noteInteraction } from '../usage/index.ts';
import { patchCommunity, removeCommunity, replaceCommunity } from './change.ts';
import { absentMetrics, type CommunityPartial, metrics } from './community.ts';
import { createCommunity } from './create.ts';
import { communities } from './operations.ts';
import { communitiesOfAdmin, communitiesOfMember, findCommunities, getCommunityById, getStats } from './reads.ts';
import { addMembers, newCommunity, newGuild, newUser } from './testing.ts';

describe('communities', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('communities');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  /** Whether the access rule of an operation admits an actor to a community. */
  function admits(route: string, actor: Actor, id: string): Promise<boolean> {
    const { access } =
      [...communities.operations, ...ruleOperations].find((operation) => operation.route === route)?.contract ?? {};
    assert.ok(access && 'object' in access && access.object, route);
    return access.object.admits(t.as(actor), id);
  }

  const internal: Actor = {
    kind: 'client',
    credential: 'api-key',
    client: { id: 'own', name: 'own', allowedScopes: ['$internal', 'community:write'], disallowedScopes: [] },
  };

  describe('seeing them', () => {
    it('is for admins, page by page, and for the operator as a whole', async () => {
      const owner = newUser();
      const ids = [];
      for (let count = 0; count < 3; count += 1) {
        const body = { platform: 'discord', communityId: newGuild(t, owner) } as const;
        ids.push((await createCommunity(t.as(owner), { body })).id);
      }
      const first = await findCommunities(t.as(owner), { limit: 2 });
      const second = await findCommunities(t.as(owner), { limit: 2, paginationToken: first.paginationToken });
      assert.deepEqual(
        [...first.items, ...second.items].map(({ id }) => id),
        ids.toSorted(),
      );
      assert.equal(second.paginationToken, undefined);
      assert.deepEqual((await findCommunities(t.as(mallory), {})).items, []);
      const all = await findCommunities(t.as(operator), { limit: 100 });
      assert.ok(ids.every((id) => all.items.some((item) => item.id === id)));
      assert.deepEqual(
        (await communitiesOfAdmin(t.as(owner), owner.userId)).map(({ id }) => id),
        ids.toSorted(),
      );
    });

    it('an app sees those of its creator, and one of the operator’s sees all', async () => {
      const { owner, id } = await newCommunity(t);
      const made = await createDevelopmentApp(t.as(operator), { userId: owner.userId, name: 'App', scopes: [] });
      const client = { id: made.id ?? '', name: 'App', allowedScopes: ['community:read'], disallowedScopes: [] };
      const seen = await findCommunities(t.as({ kind: 'client', credential: 'api-key', client }), {});
      assert.deepEqual(
        seen.items.map((item) => item.id),
        [id],
      );
      const stranger = { ...client, id: 'nobody’s' };
      assert.deepEqual(
        (await findCommunities(t.as({ kind: 'client', credential: 'api-key', client: stranger }), {})).items,
        [],
      );
      const page = await findCommunities(t.as(internal), { limit: 100 });
      assert.ok(page.items.some((item) => item.id === id));
      assert.equal(
        await admits('GET /communities/{id}/tgr', { kind: 'client', credential: 'api-key', client }, id),
        true,
      );
      assert.equal(
        await admits('GET /communities/{id}/tgr', { kind: 'client', credential: 'api-key', client: stranger }, id),
        false,
      );
      assert.equal(await admits('GET /communities/{id}/tgr', internal, id), true);
      // It can read exactly what it lists.
      const program: Actor = { kind: 'client', credential: 'api-key', client };
      const reads = [
        'GET /communities/{id}',
        'GET /communities/{id}/stats',
        'GET /communities/{id}/tgrs',
        'GET /communities/{id}/tpcs',
      ];
      const elsewhere = await newCommunity(t);
      await addMembers(t, elsewhere.id, [{ userId: owner.userId }]);
      for (const route of reads) {
        assert.equal(await admits(route, program, id), true, route);
        assert.equal(await admits(route, { ...program, client: stranger }, id), false, route);
        assert.equal(await admits(route, program, elsewhere.id), false, `${route}: its maker is only a member there`);
      }
      const read = await getCommunityById(t.as(program), { id });
      assert.deepEqual([read.id, read.admins], [id, [owner.userId]]);
      assert.deepEqual(await getStats(t.as(program), { id }), { memberCount: 0 });
      assert.deepEqual((await findRules(t.as(program), { id })).items, []);
      await assert.rejects(getCommunityById(t.as({ ...program, client: stranger }), { id }), {
        code: 'ENTITY_NOT_FOUND',
      });
    });

    it('a member sees the community and its rules, but neither its admins nor its plans', async () => {
      const { owner, id } = await newCommunity(t);
      const [member, gone] = [newUser(), newUser()];
      await createRule(t.as(owner), {
        id,
        body: { type: 'ERC721', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: 'gold' },
      });
      await addMembers(t, id, [{ userId: member.userId }]);
      const seen = await getCommunityById(t.as(member), { id, include: 'tpcs,channels' });
      assert.deepEqual([seen.id, seen.tpcs?.length, seen.channels], [id, 1, []]);
      assert.deepEqual([seen.admins, seen.activePlans, seen.adminUserId], [undefined, undefined, undefined]);
      assert.deepEqual(
        (await communitiesOfMember(t.as(member), member.userId)).map((item) => item.id),
        [id],
      );
      assert.deepEqual((await findCommunities(t.as(member), {})).items, []);
      assert.equal(await admits('GET /communities/{id}', member, id), true);
      assert.equal(await admits('PATCH /communities/{id}/admins', member, id), false);
      assert.equal(await admits('GET /communities/{id}', gone, id), false);
      assert.equal(await admits('GET /communities/{id}', gone, 'DIS#COMM#0'), false);
    });

    it('a stranger finds no row at all, even past the access rules', async () => {
      const { id } = await newCommunity(t);
      await assert.rejects(getCommunityById(t.as(mallory), { id }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(patchCommunity(t.as(mallory), { id, body: { name: 'Mine' } }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(removeCommunity(t.as(mallory), { id }), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(updateAdmins(t.as(mallory), { id, body: ['DIS#USER#666'] }), refusal('ENTITY_NOT_FOUND'));
      for (const table of ['communities', 'community_admins', 'community_rules', 'community_plans'] as const) {
        const rows = await t.as(mallory).tx((tx) => tx.selectFrom(table).selectAll().execute());
        assert.deepEqual(rows, [], table);
      }
    });

    it('an unknown part to include is refused', async () => {
      const { owner, id } = await newCommunity(t);
      await assert.rejects(
        getCommunityById(t.as(owner), { id, include: 'tpcs,secrets' }),
        refusal('INVALID_PARAMETER_VALUE'),
      );
    });
  });

  describe('changing one', () => {
    it('changes what is given, and a replacement clears what is not', async () => {
      const { owner, id } = await newCommunity(t);
      await patchCommunity(t.as(owner), {
        id,
        body: {
          welcomeMessage: 'Hi',
          link: 'https://cats.example',
          disableBkgBalCheck: true,
          channels: [{ name: 'general' }],
        },
      });
      await patchCommunity(t.as(owner), { id, body: { name: 'Dogs' } });
      const patched = await getCommunityById(t.as(owner), { id, include: 'channels' });
      assert.deepEqual(
        [patched.name, patched.welcomeMessage, patched.disableBkgBalCheck, patched.channels],
        ['Dogs', 'Hi', true, [{ name: 'general' }]],
      );
      await replaceCommunity(t.as(owner), { id, body: { iconURL: 'https://cats.example/icon.png', status: 'paused' } });
      const replaced = await getCommunityById(t.as(owner), { id, include: 'channels' });
      assert.deepEqual(
        [replaced.name, replaced.status, replaced.iconURL],
        ['Dogs', 'paused', 'https://cats.example/icon.png'],
      );
      assert.deepEqual(
        [replaced.welcomeMessage, replaced.link, replaced.disableBkgBalCheck, replaced.channels],
        [undefined, undefined, false, []],
      );
    });

    it('takes no owner, admins, plans, rules or statistics from the body', async () => {
      const { owner, id } = await newCommunity(t);
      const body: CommunityPartial = {
        ownerId: 'DIS#USER#1',
        admins: ['DIS#USER#1'],
        activePlans: ['community'],
        platform: 'reddit',
        communityId: '1',
        tpcs: [{ roleId: 'gold' }],
        stats: { memberCount: 5 },
      };
      const before = await getCommunityById(t.as(owner), { id, include: 'tpcs' });
      await patchCommunity(t.as(owner), { id, body });
      await replaceCommunity(t.as(owner), { id, body });
      assert.deepEqual(await getCommunityById(t.as(owner), { id, include: 'tpcs' }), before);
      await assert.rejects(
        patchCommunity(t.as(owner), { id, body: { adminUserId: 'me' } }),
        refusal('VALIDATION_FAILED'),
      );
    });

    it('one that becomes active again has every member checked', async () => {
      const { owner, id } = await newCommunity(t);
      await patchCommunity(t.as(owner), { id, body: { status: 'paused' } });
      const affected = () =>
        t.services.db.system
          .selectFrom('reconcile_queue')
          .select(['user_id', 'cause'])
          .where('community_id', '=', id)
          .execute();
      assert.deepEqual(await affected(), []);
      await patchCommunity(t.as(owner), { id, body: { status: 'active' } });
      assert.deepEqual(await affected(), [{ user_id: '*', cause: 'schedule' }]);
    });

    it('is undone as a whole when the transaction around it fails', async () => {
      const { owner, id } = await newCommunity(t);
      const halfway = t.services.db.transaction({ owner: owner.userId }, async (tx) => {
        await patchCommunity(contextFor(t.services, owner, tx), { id, body: { name: 'Half' } });
        throw new Error('The process died here.');
      });
      await assert.rejects(halfway, /died here/);
      assert.equal((await getCommunityById(t.as(owner), { id })).name, 'Cats');
    });
  });

  describe('its admins', () => {
    it('are replaced as a list that must contain the owner', async () => {
      const { owner, id } = await newCommunity(t);
      const [second, third] = [newUser(), newUser()];
      await updateAdmins(t.as(owner), { id, body: [owner.userId, second.userId, second.userId] });
      assert.deepEqual((await getCommunityById(t.as(second), { id })).admins, [owner.userId, second.userId].toSorted());
      await updateAdmins(t.as(second), { id, body: [third.userId, owner.userId] });
      assert.equal(await admits('GET /communities/{id}/tpcs', second, id), false);
      assert.equal(await admits('GET /communities/{id}/tpcs', third, id), true);
      await assert.rejects(updateAdmins(t.as(third), { id, body: [third.userId] }), refusal('VALIDATION_FAILED'));
      await assert.rejects(updateAdmins(t.as(owner), { id, body: [owner.userId, 'me'] }), refusal('VALIDATION_FAILED'));
      assert.deepEqual((await getCommunityById(t.as(owner), { id })).admins, [owner.userId, third.userId].toSorted());
    });
  });

  describe('removing one', () => {
    it('deletes everything about it and changes no role on the platform', async () => {
      const { owner, community, id } = await newCommunity(t);
      const member = newUser();
      t.host.addMember(community.communityId ?? '', member.nativeId, ['gold']);
      await addMembers(t, id, [{ userId: member.userId, roleIds: ['gold'] }]);
      await noteInteraction(t.services.db.system, id, 'message', t.services.clock());
      await removeCommunity(t.as(owner), { id });
      await assert.rejects(getCommunityById(t.as(owner), { id }), refusal('ENTITY_NOT_FOUND'));
      assert.deepEqual(t.host.rolesOf(community.communityId ?? '', member.nativeId), ['gold']);
      for (const table of [
        'community_admins',
        'community_members',
        'community_plans',
        'community_interactions',
      ] as const) {
        const rows = await t.services.db.system.selectFrom(table).selectAll().where('community_id', '=', id).execute();
        assert.deepEqual(rows, [], table);
      }
    });
  });

  describe('its figures', () => {
    it('come from what was observed, and leave out what was not', async () => {
      const { owner, id } = await newCommunity(t);
      const member = newUser();
      await addMembers(t, id, [
        { userId: member.userId },
        { userId: 'DIS#USER#5' },
        { userId: 'DIS#USER#6', isBot: true },
      ]);
      assert.deepEqual(await getStats(t.as(member), { id }), { memberCount: 2 });
      const now = t.services.clock().getTime();
      const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000);
      for (const [hours, count] of [
        [1, 5],
        [30, 3],
        [100, 2],
      ] as const)
        await noteInteraction(t.services.db.system, id, 'message', hoursAgo(hours), count);
      await noteInteraction(t.services.db.system, id, 'command', hoursAgo(1), 50);
      const stats = await getStats(t.as(owner), { id });
      const filledOrExplained = [...Object.keys(stats), ...Object.keys(absentMetrics)];
      assert.deepEqual(filledOrExplained.sort(), Object.keys(metrics).sort());
      assert.deepEqual(stats, {
        memberCount: 2,
        messagesAllTime: 10,
        messagesInLastDay: 5,
        messagesDailyGrowth: 2,
      });
      await assert.rejects(getStats(t.as(alice), { id }), refusal('ENTITY_NOT_FOUND'));
    });
  });
});
