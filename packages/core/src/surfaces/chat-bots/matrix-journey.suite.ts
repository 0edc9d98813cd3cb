import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '@latchkey/db';
import { createMatrix, type Matrix } from '@latchkey/platforms/matrix';
import { until } from '@latchkey/test-kit';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { applyNow } from '../../gating/role-changes/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { findNews } from '../admin-notices/testing.ts';
import { checkCommunitySetup } from '../setup/check-setup.ts';
import { listGateBypasses } from '../telegram-gate/operations.ts';
import { selectPosition, takeChatEvents } from './index.ts';
import { type Homeserver, linkWallet, type MatrixUser, person, startTestWorker, token } from './testing.ts';

/** A member’s journey on a homeserver, over HTTP, with a real database and worker. */
export function matrixJourney(name: string, start: () => Promise<Homeserver>, skip: string | false = false): void {
  describe(`the journey of a Matrix member on ${name}`, { skip }, () => {
    let t: TestPlatform;
    let homeserver: Homeserver;
    let matrix: Matrix;
    let services: Services;
    let ctx: Context;
    let worker: Worker;
    let bot: MatrixUser;
    let owner: MatrixUser;
    let ada: MatrixUser;
    let listening: { stop(): Promise<void> } = { stop: () => Promise.resolve() };
    const wallet = '0x00000000000000000000000000000000000000e1';
    /** The homeserver does not answer the bot. */
    let isDown = false;

    // The homeserver's pauses end by its own clock, so ours keeps running too.
    const [startedAt, origin] = [Date.now(), performance.now()];
    const clock = () => new Date(startedAt + performance.now() - origin);

    const listen = () => {
      const ended = new AbortController();
      const id = { platform: 'matrix', bot: 'matrix/test' } as const;
      const done = matrix.bot.listen(
        {
          isTurn: async () => true,
          position: () => selectPosition(services.db.system, id.bot),
          take: (events) => takeChatEvents(services, id, events),
        },
        ended.signal,
      );
      return {
        stop: async () => {
          ended.abort();
          await done;
        },
      };
    };

    before(async () => {
      t = await testPlatform('matrix-journey');
      await ensureSigningKeys(t.services);
      homeserver = await start();
      [bot, owner, ada] = [
        await person(homeserver, 'latchkey'),
        await person(homeserver, 'owner'),
        await person(homeserver, 'ada'),
      ];
      matrix = createMatrix({
        homeserverUrl: homeserver.url,
        accessToken: bot.token,
        fetch: (url, init) => (isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init)),
        clock,
        log: t.log,
        random: t.services.random,
        sleep: async (ms, signal) => void (await delay(ms / 20, undefined, { signal })),
      });
      services = { ...t.services, clock, bots: { matrix: matrix.bot }, hosts: { matrix: matrix.host } };
      ctx = contextFor(services, { kind: 'system', job: 'test' });
      worker = startTestWorker(services);
      listening = listen();
    });
    after(async () => {
      await listening.stop();
      await worker?.stop(1_000);
      await homeserver?.stop();
      await t?.close();
    });

    const room = (id: string) => `/v3/rooms/${encodeURIComponent(id)}`;
    const membershipOf = async (id: string, { userId }: MatrixUser) => {
      const answer = await owner
        .call('GET', `${room(id)}/state/m.room.member/${encodeURIComponent(userId)}`)
        .catch(() => undefined);
      return answer?.membership;
    };
    const levelOf = async (id: string, { userId }: MatrixUser) => {
      const { users } = await owner.call('GET', `${room(id)}/state/m.room.power_levels/`);
      return (users as Record<string, number>)[userId];
    };
    const hold = (amount: string) =>
      t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: token, account: wallet }, amount);
    const resync = (communityId: string) =>
      enqueueReconcile(services.db.system, { communityId, members: '*', cause: 'schedule' });
    const is = async (words: string, read: () => Promise<unknown>, wanted: unknown) =>
      until(words, async () => (await read()) === wanted);

    // Synapse repeats its first response to the same request for two minutes.
    let syncs = 0;
    /** What the bot wrote to a user privately, in the rooms that they accepted. */
    const toldTo = async (user: MatrixUser): Promise<string[]> => {
      const { rooms } = (await user.call('GET', `/v3/sync?timeout=${++syncs}`)) as { rooms?: Record<string, object> };
      for (const id of Object.keys(rooms?.invite ?? {}))
        await user.call('POST', `/v3/join/${encodeURIComponent(id)}`, {});
      const joined = Object.values(rooms?.join ?? {}) as { timeline: { events: Record<string, unknown>[] } }[];
      return joined
        .flatMap(({ timeline }) => timeline.events)
        .filter(({ type, sender }) => type === 'm.room.message' && sender === bot.userId)
        .map(({ content }) => String((content as { body?: unknown }).body));
    };

    it('asks to join, is admitted, gets a room and a level, and loses each when the token is gone', async () => {
      const space = (
        await owner.call('POST', '/v3/createRoom', {
          name: 'Cat Club',
          room_version: '11',
          creation_content: { type: 'm.space' },
          power_level_content_override: {
            users: { [owner.userId]: 100, [bot.userId]: 100 },
            events: { 'm.room.power_levels': 100, 'm.room.topic': 10 },
          },
          initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: 'knock' } }],
          invite: [bot.userId],
        })
      ).room_id as string;
      const id = communityKey('matrix', space);
      const community = await until('the community is known', () => selectCommunity(services.db.system, id));
      assert.deepEqual([community.name, community.owner_id], ['Cat Club', userKey('matrix', owner.userId)]);

      // Its creator has more power than any level (room version 12).
      const holders = (
        await owner.call('POST', '/v3/createRoom', {
          name: 'Holders',
          room_version: '12',
          power_level_content_override: { users: { [bot.userId]: 100 } },
          initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: 'invite' } }],
        })
      ).room_id as string;
      await owner.call('PUT', `${room(space)}/state/m.space.child/${encodeURIComponent(holders)}`, {
        via: ['matrix.test'],
      });
      await owner.call('POST', `${room(holders)}/invite`, { user_id: bot.userId });
      await is('the bot is in the room', () => membershipOf(holders, bot), 'join');
      await until('no job is left', async () => (await jobs()) === 0);
      assert.equal(await selectCommunity(services.db.system, communityKey('matrix', holders)), undefined);

      const roles = await matrix.host.readRoles(space);
      assert.deepEqual(
        roles.map((role) => role.id),
        ['member', 'level:10', 'level:50', `room:${holders}`],
      );
      assert.deepEqual(
        (
          await matrix.host.findFaults?.(
            space,
            roles.map((role) => role.id),
          )
        )?.map(({ roleId, fault }) => [roleId, fault]),
        [['level:50', 'ruling']],
      );
      const asOwner = contextFor(services, {
        kind: 'user',
        userId: userKey('matrix', owner.userId),
        platform: 'matrix',
        scopes: [],
        credential: 'wallet-session',
      });
      const needs = { type: 'ERC20', chainId: 1, contractAddress: token };
      for (const [minToken, roleId] of [
        ['1', 'member'],
        ['5', `room:${holders}`],
        ['5', 'level:10'],
      ] as const)
        await createRule(asOwner, { id, body: { ...needs, minToken, roleId } });

      // Without a wallet the request is declined, with a link to link one.
      await ada.call('POST', `/v3/knock/${encodeURIComponent(space)}`, {});
      await is('the request is declined', () => membershipOf(space, ada), 'leave');
      await until('the bot said why', async () => (await toldTo(ada)).some((text) => text.includes('http')));

      await linkWallet(services, ada.userId, wallet);
      hold('9');
      await ada.call('POST', `/v3/knock/${encodeURIComponent(space)}`, {});
      await is('the request is accepted', () => membershipOf(space, ada), 'invite');
      await ada.call('POST', `/v3/join/${encodeURIComponent(space)}`, {});
      await is('the room is open', () => membershipOf(holders, ada), 'invite');
      await is('the level is given', () => levelOf(space, ada), 10);
      await ada.call('POST', `/v3/join/${encodeURIComponent(holders)}`, {});
      const member = await matrix.host.readMember(space, ada.userId);
      assert.deepEqual([...(member?.roleIds ?? [])].sort(), ['level:10', 'member', `room:${holders}`]);

      // A chain that does not respond changes nothing.
      t.holdings.fail('evm:1', 'The node is down.');
      await applyNow(ctx, community, userKey('matrix', ada.userId), { liftSuppressions: false });
      t.holdings.fail('evm:1', undefined);
      assert.deepEqual([await membershipOf(holders, ada), await levelOf(space, ada)], ['join', 10]);

      hold('2');
      await resync(id);
      await is('the room is closed', () => membershipOf(holders, ada), 'leave');
      await is('the level is taken', () => levelOf(space, ada), undefined);
      assert.equal(await membershipOf(space, ada), 'join');

      hold('0');
      await resync(id);
      await is('the member is out', () => membershipOf(space, ada), 'leave');
      assert.equal(await membershipOf(space, owner), 'join', 'an admin stays');
      const ledgerOf = async (action: string) => {
        const words = 'select from role_ledger where user_id = $1 and action = $2';
        return (await services.db.pool.query(words, [userKey('matrix', ada.userId), action])).rows.length;
      };
      // The declined request, the room, the level, and being a member.
      await is('the ledger has every removal', () => ledgerOf('revoke'), 4);
      assert.equal(await ledgerOf('grant'), 3);
    });

    /** A space with a room in it, both with the bot, and a rule for being in the room. */
    const newClub = async ({ rule = 'invite', invite = 50 }: { rule?: string; invite?: number } = {}) => {
      const power_level_content_override = {
        users: { [owner.userId]: 100, [bot.userId]: 100 },
        events: { 'm.room.power_levels': 100, 'm.room.tombstone': 100, 'm.room.topic': 10 },
        invite,
      };
      const invited = { power_level_content_override, room_version: '11', invite: [bot.userId] };
      const space = (
        await owner.call('POST', '/v3/createRoom', {
          ...invited,
          name: 'Dog Club',
          creation_content: { type: 'm.space' },
          initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: 'public' } }],
        })
      ).room_id as string;
      const id = communityKey('matrix', space);
      await until('the community is known', () => selectCommunity(services.db.system, id));
      const inside = (
        await owner.call('POST', '/v3/createRoom', {
          ...invited,
          name: 'Kennel',
          initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: rule } }],
        })
      ).room_id as string;
      await owner.call('PUT', `${room(space)}/state/m.space.child/${encodeURIComponent(inside)}`, {
        via: ['matrix.test'],
      });
      await is('the bot is in the room', () => membershipOf(inside, bot), 'join');
      await until('the room is one of the space', async () =>
        (await matrix.host.readRoles(space)).some((role) => role.id === `room:${inside}`),
      );
      const asOwner = contextFor(services, {
        kind: 'user',
        userId: userKey('matrix', owner.userId),
        platform: 'matrix',
        scopes: [],
        credential: 'wallet-session',
      });
      const needs = { type: 'ERC20', chainId: 1, contractAddress: token };
      await createRule(asOwner, { id, body: { ...needs, minToken: '5', roleId: `room:${inside}` } });
      return { space, id, inside };
    };
    const checksOf = async (communityId: string) => (await checkCommunitySetup(ctx, { communityId })).checks;
    const stateIn = async (communityId: string, checkId: string) =>
      (await checksOf(communityId)).find(({ id }) => id === checkId)?.state;

    it('is found in a room that they entered around the gate, and the setup says how it is closed', async () => {
      hold('0');
      const { space, id, inside } = await newClub({ rule: 'public', invite: 0 });
      assert.deepEqual(
        (await checksOf(id)).filter(({ state }) => state !== 'ok').map((check) => [check.id, check.state]),
        [
          [`join-rule.room:${inside}`, 'advised'],
          [`invites.room:${inside}`, 'advised'],
        ],
      );
      await ada.call('POST', `/v3/join/${encodeURIComponent(space)}`, {});
      await ada.call('POST', `/v3/join/${encodeURIComponent(inside)}`, {});
      const ways = async () => (await listGateBypasses(ctx, { communityId: id })).items;
      await until('the join is listed', async () => (await ways()).length > 0);
      assert.deepEqual(
        (await ways()).map(({ kind, joins, names, roleName, canRevoke }) => [kind, joins, names, roleName, canRevoke]),
        [['public', 1, ['ada'], 'Kennel', false]],
      );
      await is('she is removed, as the rule says', () => membershipOf(inside, ada), 'leave');
      await findNews(ctx);
      const { rows } = await services.db.pool.query<{ about: string }>(
        `select about from admin_notices where community_id = $1 and kind = 'gate-bypass' and closed_at is null`,
        [id],
      );
      assert.deepEqual(
        rows.map(({ about }) => about),
        (await ways()).map((way) => way.id),
      );
      assert.equal(await stateIn(id, 'gate-bypasses'), 'advised');

      // The owner closes it. Who is invited by hand is listed with the inviter, and who is invited by the bot is not.
      await owner.call('PUT', `${room(inside)}/state/m.room.join_rules/`, { join_rule: 'invite' });
      assert.equal(await stateIn(id, `join-rule.room:${inside}`), 'ok');
      await owner.call('POST', `${room(inside)}/invite`, { user_id: ada.userId });
      await ada.call('POST', `/v3/join/${encodeURIComponent(inside)}`, {});
      await until('the invite is listed', async () => (await ways()).length === 2);
      assert.deepEqual(
        (await ways()).map(({ kind, byName }) => [kind, byName]),
        [
          ['added', 'owner'],
          ['public', undefined],
        ],
      );
      await is('she is removed again', () => membershipOf(inside, ada), 'leave');
      hold('9');
      await resync(id);
      await is('the bot lets her in', () => membershipOf(inside, ada), 'invite');
      await ada.call('POST', `/v3/join/${encodeURIComponent(inside)}`, {});
      await is('she is in', () => membershipOf(inside, ada), 'join');

      // A room of the space that only members of an ungated space can join is open to all of them.
      const allow = [{ type: 'm.room_membership', room_id: space }];
      await owner.call('PUT', `${room(inside)}/state/m.room.join_rules/`, { join_rule: 'restricted', allow });
      const open = (await checksOf(id)).find((check) => check.id === `join-rule.room:${inside}`);
      assert.deepEqual([open?.state, open?.reason.includes('“Dog Club”')], ['advised', true]);
      await ada.call('POST', `${room(inside)}/leave`, {});
      await ada.call('POST', `/v3/join/${encodeURIComponent(inside)}`, {});
      await until('the join through the space is listed', async () => (await ways()).length === 3);
      assert.equal((await ways())[0]?.kind, 'other-room');
    });

    it('loses room and level when they leave or are banned, also unseen or during an outage, and gets them again', async () => {
      hold('9');
      const { space, id, inside } = await newClub();
      const asOwner = contextFor(services, {
        kind: 'user',
        userId: userKey('matrix', owner.userId),
        platform: 'matrix',
        scopes: [],
        credential: 'wallet-session',
      });
      const needs = { type: 'ERC20', chainId: 1, contractAddress: token };
      await createRule(asOwner, { id, body: { ...needs, minToken: '5', roleId: 'level:10' } });
      const join = (roomId: string) => ada.call('POST', `/v3/join/${encodeURIComponent(roomId)}`, {});
      const arrive = async () => {
        await join(space);
        await is('she is let into the room', () => membershipOf(inside, ada), 'invite');
        await is('the level is given', () => levelOf(space, ada), 10);
        await join(inside);
        await until('every change is recorded', async () => (await openChanges(id)) === 0);
      };
      const isOut = async () => {
        await is('the room is closed', () => membershipOf(inside, ada), 'leave');
        await is('the level is taken', () => levelOf(space, ada), undefined);
        await until('every change is recorded', async () => (await openChanges(id)) === 0);
      };
      await arrive();
      // A check that the new rules caused could find the leave first.
      await until('the checks of the new rules are over', async () => {
        const waiting = `select from jobs where name like 'gating.%' and payload ->> 'communityId' = $1
          union all select from reconcile_queue where community_id = $1`;
        return (await services.db.pool.query(waiting, [id])).rows.length === 0;
      });
      await ada.call('POST', `${room(space)}/leave`, {});
      await isOut();
      const { rows } = await services.db.pool.query<{ cause: string; has_left: boolean; action: string }>(
        `select distinct p.cause, l.action, (l.reason ->> 'hasLeft')::boolean as has_left from role_ledger l
         join change_sets p on p.id = l.change_set_id where l.community_id = $1 and l.action = 'revoke'`,
        [id],
      );
      assert.deepEqual(rows, [{ cause: 'left', action: 'revoke', has_left: true }]);

      // She comes back, and is banned.
      await arrive();
      await owner.call('POST', `${room(space)}/ban`, { user_id: ada.userId });
      await isOut();
      await owner.call('POST', `${room(space)}/unban`, { user_id: ada.userId });

      // She leaves while no process listens: the next re-check finds it, once the homeserver answers.
      await arrive();
      await listening.stop();
      await ada.call('POST', `${room(space)}/leave`, {});
      isDown = true;
      await resync(id);
      await until('the re-check failed', async () => {
        const failed =
          "select from jobs where name = 'gating.check' and failures > 0 and payload ->> 'communityId' = $1";
        return (await services.db.pool.query(failed, [id])).rows.length > 0;
      });
      isDown = false;
      assert.deepEqual([await membershipOf(inside, ada), await levelOf(space, ada)], ['join', 10]);
      await isOut();
      listening = listen();
      await arrive();
    });

    it('keeps rules, roles and community when a room or the whole space is upgraded', async () => {
      hold('9');
      const { space, id, inside } = await newClub();
      await ada.call('POST', `/v3/join/${encodeURIComponent(space)}`, {});
      await is('she is let into the room', () => membershipOf(inside, ada), 'invite');
      const upgrade = async (roomId: string) =>
        (await owner.call('POST', `${room(roomId)}/upgrade`, { new_version: '12' })).replacement_room as string;
      const next = await upgrade(inside);
      // As clients do after an upgrade: the new room takes the place of the old one, and the bot is invited like all others.
      await owner.call('PUT', `${room(space)}/state/m.space.child/${encodeURIComponent(next)}`, {
        via: ['matrix.test'],
      });
      await owner.call('PUT', `${room(space)}/state/m.space.child/${encodeURIComponent(inside)}`, {});
      assert.equal(await stateIn(id, `replaced.${inside}`), undefined, 'no rule is about the old room any more');
      await owner.call('POST', `${room(next)}/invite`, { user_id: bot.userId });
      const rolesOf = async (communityId: string) =>
        (await selectRules(services.db.system, communityId)).map(({ role_id }) => role_id);
      await until('the rule gives the new room', async () => (await rolesOf(id))[0] === `room:${next}`);
      await is('she is let into the new room', () => membershipOf(next, ada), 'invite');
      assert.equal(await selectCommunity(services.db.system, communityKey('matrix', next)), undefined);

      const newSpace = await upgrade(space);
      await until('the community follows', async () => {
        const community = await selectCommunity(services.db.system, id);
        return community?.community_id === newSpace && community.status === 'active';
      });
      assert.equal(await selectCommunity(services.db.system, communityKey('matrix', newSpace)), undefined);
      assert.deepEqual(await rolesOf(id), [`room:${next}`]);
      await until('the room is one of the new space', async () =>
        (await matrix.host.readRoles(newSpace)).some((role) => role.id === `room:${next}`),
      );
      await ada.call('POST', `/v3/join/${encodeURIComponent(newSpace)}`, {});
      hold('0');
      await until(
        'she is a member there',
        async () => (await matrix.host.readMember(newSpace, ada.userId)) !== undefined,
      );
      await resync(id);
      await is('the room is closed', () => membershipOf(next, ada), 'leave');
      assert.equal(await membershipOf(newSpace, ada), 'join');
    });

    it('is not led away by a room that only claims to replace theirs', async () => {
      const { space, id, inside } = await newClub();
      const claim = (
        await ada.call('POST', '/v3/createRoom', {
          name: 'Kennel',
          room_version: '11',
          creation_content: { predecessor: { room_id: space, event_id: '$none' } },
          power_level_content_override: { users: { [ada.userId]: 100, [bot.userId]: 100 } },
          invite: [bot.userId],
        })
      ).room_id as string;
      await until(
        'the bot is in',
        async () => (await selectCommunity(services.db.system, communityKey('matrix', claim))) !== undefined,
      );
      assert.equal((await selectCommunity(services.db.system, id))?.community_id, space);
      assert.deepEqual(
        (await selectRules(services.db.system, id)).map(({ role_id }) => role_id),
        [`room:${inside}`],
      );
    });

    it('answers a command privately and once, also one that was written while no process listened', async () => {
      const id = (await owner.call('POST', '/v3/createRoom', { invite: [bot.userId], name: 'Talk' })).room_id as string;
      await is('the bot is in', () => membershipOf(id, bot), 'join');
      await listening.stop();
      await ada.call('GET', '/v3/account/whoami');
      await owner.call('PUT', `${room(id)}/send/m.room.message/1`, { msgtype: 'm.text', body: '!connect' });
      listening = listen();
      const links = async () => (await toldTo(owner)).filter((text) => text.includes('!connect: link a wallet'));
      await until('it is answered', async () => (await links()).length > 0);
      await listening.stop();
      listening = listen();
      await until('no job is left', async () => (await jobs()) === 0);
      assert.equal((await links()).length, 1);
    });

    it('sends the link that signs a user in', async () => {
      assert.equal(matrix.login.readAccount(' @Ada:Example.org '), '@ada:example.org');
      for (const text of ['ada', '@ada', 'ada:example.org', '@ada:example.org#1', ''])
        assert.equal(matrix.login.readAccount(text), undefined);
      let url = '';
      // A homeserver with its usual limits may still refuse the bot's messages after the tests before.
      await until('the homeserver accepts it', async () => {
        try {
          url = await matrix.login.send(ada.userId, 'Open https://latchkey.test/login');
        } catch (error) {
          if (!(error instanceof PlatformFailed) || error.retryAfterSeconds === undefined) throw error;
        }
        return url !== '';
      });
      assert.match(url, /^https:\/\/matrix\.to\/#\//);
      await until('it arrived', async () => (await toldTo(ada)).includes('Open https://latchkey.test/login'));
    });

    const openChanges = async (communityId: string) => {
      const open = "select from change_set_items where community_id = $1 and state in ('planned', 'pending', 'sent')";
      return (await services.db.pool.query(open, [communityId])).rows.length;
    };
    const jobs = async () =>
      (await ctx.db.pool.query("select from jobs where name like 'chat-bots.%' and state <> 'dead'")).rows.length;
  });
}
