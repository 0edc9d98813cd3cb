import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type MemberWrite, PlatformFailed } from '@latchkey/core/ports';
import { type MatrixEmulator, startMatrixEmulator } from '@latchkey/emulators/matrix';
import { createMatrix, type Matrix } from './index.ts';
import { readSync } from './read-sync.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

describe('Matrix, with one bot', () => {
  let emulator: MatrixEmulator;
  let matrix: Matrix;
  let owner: Call;
  let ada: Call;
  let nowMs = 1_700_000_000_000;
  const ids = { bot: '@bot:matrix.test', owner: '@owner:matrix.test', ada: '@ada:matrix.test' };
  const quiet = { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined };

  const as = (name: string): { call: Call; token: string } => {
    const { token } = emulator.world.addUser(name);
    const call: Call = async (method, path, body) => {
      const response = await fetch(`${emulator.url}/_matrix/client/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    return { call, token };
  };
  const open = (token: string) =>
    createMatrix({
      homeserverUrl: `${emulator.url}/`,
      accessToken: token,
      fetch,
      clock: () => new Date(nowMs),
      timeoutMs: 5_000,
      log: { ...quiet, for: () => quiet } as never,
      random: { bytes: () => new Uint8Array([1]), id: () => `t${nowMs++}` } as never,
    });

  before(async () => {
    emulator = await startMatrixEmulator({ nowMs: () => nowMs });
    const bot = as('bot');
    owner = as('owner').call;
    ada = as('ada').call;
    matrix = open(bot.token);
  });
  afterEach(() => emulator.behave());
  after(() => emulator.stop());

  const room = (id: unknown) => `/rooms/${encodeURIComponent(String(id))}`;
  /** A room that Ada is in, where the bot has a level. */
  const newRoom = async (botLevel = 100, levels: Record<string, unknown> = {}, rule = 'invite') => {
    const { room_id: id } = await owner('POST', '/createRoom', {
      name: 'Talk',
      invite: [ids.bot, ids.ada],
      power_level_content_override: { users: { [ids.owner]: 100, [ids.bot]: botLevel }, ...levels },
      initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: rule } }],
    });
    await matrix.bot.enter(String(id), { isPrivate: false, userId: ids.owner });
    await ada('POST', `/join/${encodeURIComponent(String(id))}`, {});
    return String(id);
  };
  const write = (communityId: string, change: Partial<MemberWrite>) =>
    matrix.host.writeMember({
      communityId,
      userId: ids.ada,
      add: [],
      remove: [],
      held: ['member'],
      reason: 'a test',
      ...change,
    });

  it('lists everyone in a room with their level, and says who manages it', async () => {
    const id = await newRoom();
    const members = [];
    for await (const page of matrix.host.readMembers(id)) members.push(...page);
    assert.deepEqual(
      members.map(({ userId, roleIds, isBot, isProtected }) => [userId, roleIds, isBot, isProtected]),
      [
        [ids.owner, ['member', 'level:100'], false, true],
        [ids.bot, ['member', 'level:100'], true, true],
        [ids.ada, ['member'], false, false],
      ],
    );
    assert.equal(await matrix.host.findOwner?.(id), ids.owner);
    assert.deepEqual(
      [await matrix.host.administers?.(id, ids.owner), await matrix.host.administers?.(id, ids.ada)],
      [true, false],
    );
    assert.equal(await matrix.host.readMember(id, '@nobody:matrix.test'), undefined);
  });

  it('gives and takes a level that only lets members take part, and keeps one that an admin raised', async () => {
    const id = await newRoom(100, { events_default: 10 });
    assert.deepEqual(await write(id, { add: ['level:10'] }), {
      kind: 'written',
      roleIds: ['member', 'level:10'],
      calls: 1,
    });
    assert.deepEqual(await write(id, { add: ['level:10'] }), {
      kind: 'written',
      roleIds: ['member', 'level:10'],
      calls: 0,
    });
    assert.deepEqual(await write(id, { remove: ['level:10'] }), { kind: 'written', roleIds: ['member'], calls: 1 });
    const { users, ...rest } = await owner('GET', `${room(id)}/state/m.room.power_levels/`);
    const raised = { ...rest, users: { ...(users as object), [ids.ada]: 20 } };
    await owner('PUT', `${room(id)}/state/m.room.power_levels/`, raised);
    const refused = await write(id, { add: ['level:10'] });
    assert.ok(refused.kind === 'forbidden' && refused.scope === 'change' && refused.advice.includes('higher'));
    assert.deepEqual((await matrix.host.readMember(id, ids.ada))?.roleIds, ['member', 'level:20']);
  });

  it('checks the rights of the bot in each gated room, and lists the settings that let people around the rule', async () => {
    const id = await newRoom(20, { invite: 0, kick: 50 }, 'public');
    await owner('PUT', `${room(id)}/state/m.room.history_visibility/`, { history_visibility: 'world_readable' });
    const found = async (roleIds: string[]) =>
      ((await matrix.host.checkSetup?.(id, roleIds)) ?? []).map((check) => [check.id, check.state]);
    assert.deepEqual(await found([]), [['bot', 'ok']], 'without a rule nothing else matters');
    assert.deepEqual(await found(['member', 'level:10']), [
      ['bot', 'ok'],
      ['permission.levels', 'broken'],
      ['permission.invite.member', 'ok'],
      ['permission.kick.member', 'broken'],
      ['join-rule.member', 'advised'],
      ['invites.member', 'advised'],
      ['history.member', 'advised'],
    ]);
    await owner('PUT', `${room(id)}/state/m.room.join_rules/`, { join_rule: 'knock' });
    await owner('PUT', `${room(id)}/state/m.room.history_visibility/`, { history_visibility: 'shared' });
    await owner('PUT', `${room(id)}/state/m.room.power_levels/`, {
      users: { [ids.owner]: 100, [ids.bot]: 100 },
      invite: 50,
    });
    assert.deepEqual(
      (await found(['member', 'level:10'])).filter(([, state]) => state !== 'ok'),
      [],
    );
    await owner('POST', `${room(id)}/upgrade`, { new_version: '11' });
    assert.deepEqual(
      (await found(['member'])).filter(([, state]) => state === 'broken'),
      [[`replaced.${id}`, 'broken']],
    );
    emulator.misbehave({ kind: 'status', status: 502 });
    await assert.rejects(matrix.host.checkSetup?.(id, ['member']) ?? Promise.resolve(), { kind: 'unavailable' });
    emulator.behave();
  });

  it('refuses to let members moderate by a rule, and says what the level allows', async () => {
    const id = await newRoom();
    const refused = await write(id, { add: ['level:50'] });
    assert.ok(refused.kind === 'forbidden' && refused.fault === 'ruling');
    assert.deepEqual(refused.permissions, ['Remove users', 'Ban users', 'Delete messages', 'Change settings']);
    const above = await newRoom(50);
    assert.deepEqual(
      (await matrix.host.findFaults?.(above, ['member', 'level:10', 'room:!x:matrix.test', 'gold']))?.map(
        ({ fault }) => fault,
      ),
      ['permission', 'missing', 'missing'],
    );
  });

  it('removes members, but nobody whose level is not below its own', async () => {
    const id = await newRoom();
    const kept = await write(id, { userId: ids.owner, remove: ['member'] });
    assert.ok(kept.kind === 'forbidden' && kept.scope === 'change');
    assert.deepEqual(await write(id, { remove: ['member'] }), {
      kind: 'written',
      roleIds: [],
      calls: 1,
      hasLeft: true,
    });
    assert.deepEqual(await write(id, { remove: ['member'] }), { kind: 'gone' });
  });

  it('answers requests to join, and nobody who does not ask', async () => {
    const id = await newRoom(100, {}, 'knock');
    await ada('POST', `${room(id)}/leave`, {});
    const request = { isJoinRequest: true, held: [] };
    assert.deepEqual(await write(id, { ...request, add: ['member'] }), { kind: 'gone' });
    await ada('POST', `/knock/${encodeURIComponent(id)}`, {});
    assert.deepEqual(await write(id, { ...request, remove: ['member'] }), {
      kind: 'written',
      roleIds: [],
      calls: 1,
      hasLeft: true,
    });
    await ada('POST', `/knock/${encodeURIComponent(id)}`, {});
    assert.deepEqual(await write(id, { ...request, add: ['member'] }), {
      kind: 'written',
      roleIds: ['member'],
      calls: 1,
    });
  });

  it('does not invite a member again who left a gated room, and withdraws nothing that is not there', async () => {
    const { room_id: space } = await owner('POST', '/createRoom', {
      creation_content: { type: 'm.space' },
      invite: [ids.bot, ids.ada],
      power_level_content_override: { users: { [ids.owner]: 100, [ids.bot]: 100 } },
    });
    const id = String(space);
    await matrix.bot.enter(id, { isPrivate: false, userId: ids.owner });
    await ada('POST', `/join/${encodeURIComponent(id)}`, {});
    const inside = await newRoom();
    await owner('PUT', `${room(id)}/state/m.space.child/${encodeURIComponent(inside)}`, { via: ['matrix.test'] });
    const role = `room:${inside}`;
    assert.deepEqual((await matrix.host.readMember(id, ids.ada))?.roleIds, ['member', role]);
    await ada('POST', `${room(inside)}/leave`, {});
    const refused = await write(id, { add: [role] });
    assert.ok(refused.kind === 'forbidden' && refused.scope === 'change' && refused.roleId === role);
    assert.deepEqual(await write(id, { remove: [role] }), { kind: 'written', roleIds: ['member'], calls: 0 });
    await owner('POST', `${room(inside)}/ban`, { user_id: ids.ada });
    const banned = await write(id, { add: [role] });
    assert.ok(banned.kind === 'forbidden' && banned.advice.includes('banned'));
  });

  it('says what a member still has who left the space, takes it, and leaves alone who never was in it', async () => {
    const levels = { users: { [ids.owner]: 100, [ids.bot]: 100 }, events: { 'm.room.topic': 10 } };
    const { room_id: space } = await owner('POST', '/createRoom', {
      creation_content: { type: 'm.space' },
      invite: [ids.bot, ids.ada],
      power_level_content_override: levels,
    });
    const id = String(space);
    await matrix.bot.enter(id, { isPrivate: false, userId: ids.owner });
    await ada('POST', `/join/${encodeURIComponent(id)}`, {});
    const inside = await newRoom();
    await owner('PUT', `${room(id)}/state/m.space.child/${encodeURIComponent(inside)}`, { via: ['matrix.test'] });
    await write(id, { add: ['level:10'] });
    const passer = as('passer');
    await owner('POST', `${room(inside)}/invite`, { user_id: '@passer:matrix.test' });
    await passer.call('POST', `/join/${encodeURIComponent(inside)}`, {});
    const roles = ['level:10', `room:${inside}`];
    const leftIn = async (spaceId: string) => {
      const pages = matrix.host.readMembers(spaceId)[Symbol.asyncIterator]();
      let page = await pages.next();
      while (!page.done) page = await pages.next();
      return page.value?.left;
    };
    const readLeft = (userId: string) => matrix.host.readLeftRoles?.(id, userId);
    assert.deepEqual([await readLeft(ids.ada), await leftIn(id)], [[], []], 'she is a member');

    for (const leave of [
      () => ada('POST', `${room(id)}/leave`, {}),
      () => owner('POST', `${room(id)}/kick`, { user_id: ids.ada }),
      () => owner('POST', `${room(id)}/ban`, { user_id: ids.ada }),
    ]) {
      await leave();
      assert.deepEqual([await readLeft(ids.ada), await leftIn(id)], [roles, [{ userId: ids.ada, roleIds: roles }]]);
      await owner('POST', `${room(id)}/unban`, { user_id: ids.ada });
      await owner('POST', `${room(id)}/invite`, { user_id: ids.ada });
      await ada('POST', `/join/${encodeURIComponent(id)}`, {});
    }
    await ada('POST', `${room(id)}/leave`, {});
    assert.deepEqual(await readLeft('@passer:matrix.test'), []);
    for (const fault of [{ kind: 'status', status: 502 }, { kind: 'cut' }, { kind: 'malformed' }] as const) {
      emulator.misbehave(fault);
      await assert.rejects(readLeft(ids.ada) ?? Promise.resolve(), { kind: 'unavailable' });
      await assert.rejects(leftIn(id), { kind: 'unavailable' });
      emulator.behave();
    }

    // What the bot may not take is not named: it would be refused each time.
    const powers = await owner('GET', `${room(inside)}/state/m.room.power_levels/`);
    const put = (users: object) =>
      owner('PUT', `${room(inside)}/state/m.room.power_levels/`, { ...powers, users: { ...users } });
    await put({ ...(powers.users as object), [ids.ada]: 100 });
    assert.deepEqual(await readLeft(ids.ada), ['level:10']);
    await ada('PUT', `${room(inside)}/state/m.room.power_levels/`, powers);

    assert.deepEqual(await write(id, { add: [`room:${inside}`] }), { kind: 'gone' });
    assert.deepEqual(await write(id, { remove: roles }), { kind: 'written', roleIds: [], calls: 2, hasLeft: true });
    assert.deepEqual([await readLeft(ids.ada), await leftIn(id)], [[], []]);
    const { membership } = await owner(
      'GET',
      `${room(inside)}/state/m.room.member/${encodeURIComponent('@passer:matrix.test')}`,
    );
    assert.equal(membership, 'join');

    // In the new version of a space nobody has left: those who do not come along keep what they have.
    const { room_id: next } = await owner('POST', '/createRoom', {
      creation_content: { type: 'm.space', predecessor: { room_id: id, event_id: '$x' } },
      invite: [ids.bot],
      power_level_content_override: levels,
    });
    await matrix.bot.enter(String(next), { isPrivate: false, userId: ids.owner });
    await owner('PUT', `${room(next)}/state/m.space.child/${encodeURIComponent(inside)}`, { via: ['matrix.test'] });
    await owner('POST', `${room(inside)}/invite`, { user_id: ids.ada });
    assert.deepEqual([await matrix.host.readLeftRoles?.(String(next), ids.ada), await leftIn(String(next))], [[], []]);
  });

  it('takes the power level of a member whom it removes: it would outlast that', async () => {
    const id = await newRoom(100, { events_default: 10 });
    await write(id, { add: ['level:10'] });
    assert.deepEqual(await write(id, { remove: ['member', 'level:10'] }), {
      kind: 'written',
      roleIds: [],
      calls: 2,
      hasLeft: true,
    });
    const { users } = await owner('GET', `${room(id)}/state/m.room.power_levels/`);
    assert.equal((users as Record<string, number>)[ids.ada], undefined);
  });

  it('writes privately only where nobody but the user reads', async () => {
    const direct = { preset: 'trusted_private_chat', is_direct: true, invite: [ids.bot] };
    const roomOf = async (userId: string) =>
      decodeURIComponent((await matrix.login.send(userId, 'a link')).split('#/')[1]?.split('?')[0] ?? '');
    const { room_id: own } = await owner('POST', '/createRoom', direct);
    await matrix.bot.enter(String(own), { isPrivate: true, userId: ids.owner });
    assert.equal(await roomOf(ids.owner), own);
    await owner('POST', `${room(own)}/invite`, { user_id: ids.ada });
    const alone = await roomOf(ids.owner);
    assert.notEqual(alone, own);
    // Ada's homeserver says that the owner sent this invitation.
    const { room_id: trap } = await ada('POST', '/createRoom', direct);
    await matrix.bot.enter(String(trap), { isPrivate: true, userId: ids.owner });
    assert.equal(await roomOf(ids.owner), alone);
    await owner('POST', `/join/${encodeURIComponent(alone)}`, {});
    await owner('POST', `${room(alone)}/leave`, {});
    assert.equal(await roomOf(ids.owner), alone);
    await owner('POST', `/join/${encodeURIComponent(alone)}`, {});
    const { membership } = await owner('GET', `${room(alone)}/state/m.room.member/${encodeURIComponent(ids.owner)}`);
    assert.equal(membership, 'join', 'invited back');
  });

  it('keeps every private room that it enters at the same time, and leaves those that it no longer writes to', async () => {
    const direct = { preset: 'trusted_private_chat', is_direct: true, invite: [ids.bot] };
    const people = ['eve', 'fay', 'gus', 'hal'].map((name) => ({
      userId: `@${name}:matrix.test`,
      call: as(name).call,
    }));
    const entered = await Promise.all(
      people.map(async ({ userId, call }) => {
        const { room_id: id } = await call('POST', '/createRoom', direct);
        return { userId, id: String(id), call };
      }),
    );
    await Promise.all(entered.map(({ userId, id }) => matrix.bot.enter(id, { isPrivate: true, userId })));
    for (const { userId, id } of entered)
      assert.ok(
        (await matrix.login.send(userId, 'a link')).includes(encodeURIComponent(id)),
        `${userId} has another room`,
      );
    const { userId, call } = people[0] ?? assert.fail();
    const rooms = [entered[0]?.id ?? ''];
    for (let more = 0; more < 5; more += 1) {
      const { room_id: id } = await call('POST', '/createRoom', direct);
      await matrix.bot.enter(String(id), { isPrivate: true, userId });
      rooms.push(String(id));
    }
    const memberships = await Promise.all(
      rooms.map(
        async (id) => (await call('GET', `${room(id)}/state/m.room.member/${encodeURIComponent(ids.bot)}`)).membership,
      ),
    );
    assert.deepEqual(memberships, ['leave', 'join', 'join', 'join', 'join', 'join']);
  });

  it('asks once about each room whether it is a space', async () => {
    await newRoom();
    await newRoom();
    const asked = () => emulator.requests.filter(({ path }) => path.includes('m.room.create')).map(({ path }) => path);
    const before = asked().length;
    const id = await newRoom();
    const paths = asked().slice(before);
    assert.deepEqual(
      paths.map((path) => path.includes(encodeURIComponent(id)) || path.includes(id)),
      [true],
      paths.join('\n'),
    );
  });

  it('takes the invitation itself for true, and not what the inviting server puts before it', () => {
    const invitation = (sender: string) => ({
      type: 'm.room.member',
      state_key: ids.bot,
      sender,
      content: { membership: 'invite', is_direct: true },
    });
    const invite_state = { events: [invitation(ids.owner), invitation('@mallory:evil.test')] };
    const answer = { next_batch: 's1', rooms: { invite: { '!trap:evil.test': { invite_state } } } };
    const { events } = readSync(answer, { botId: ids.bot, spaces: new Map(), isAnew: false, since: 's0' });
    assert.deepEqual(
      events.map((event) => event.kind === 'bot-invited' && event.user.id),
      ['@mallory:evil.test'],
    );
  });

  it('reports an outage as one, whatever it looks like, and obeys a pause', async () => {
    const id = await newRoom();
    for (const fault of [{ kind: 'status', status: 502 }, { kind: 'cut' }, { kind: 'malformed' }] as const) {
      emulator.misbehave(fault);
      await assert.rejects(
        matrix.host.readMember(id, ids.ada),
        (error) => error instanceof PlatformFailed && error.kind === 'unavailable',
      );
      assert.equal((await write(id, { remove: ['member'] })).kind, 'failed');
      emulator.behave();
    }
    const body = { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 7_000 };
    const sent = () => emulator.requests.filter(({ path }) => path.includes('/send/')).length;
    const before = sent();
    emulator.misbehave({ kind: 'status', status: 429, body });
    await assert.rejects(matrix.bot.post(id, 'hello'), { kind: 'unavailable', retryAfterSeconds: 7 });
    await assert.rejects(matrix.bot.post(id, 'hello'), { kind: 'unavailable', retryAfterSeconds: 7 });
    assert.equal(sent(), before + 1, 'nothing was sent during the pause');
    emulator.behave();
    nowMs += 7_000;
    await matrix.bot.post(id, 'hello');
    assert.ok((await matrix.host.readMember(id, ids.ada)) !== undefined);
  });

  it('takes a malformed member for unknown, and not for absent', async () => {
    const id = await newRoom();
    emulator.misbehave({
      kind: 'lie',
      change: (body, { path }) =>
        path.includes('m.room.member') ? { ...(body as object), content: { membership: 'maybe' } } : body,
    });
    await assert.rejects(matrix.host.readMember(id, ids.ada), { name: 'PlatformFailed', kind: 'unavailable' });
    emulator.behave();
    emulator.misbehave({
      kind: 'lie',
      change: (body, { path }) =>
        path.endsWith('/members')
          ? { chunk: [...(body as { chunk: object[] }).chunk.slice(1), { type: 'm.room.member' }] }
          : body,
    });
    const pages = matrix.host.readMembers(id)[Symbol.asyncIterator]();
    let page = await pages.next();
    while (!page.done) page = await pages.next();
    assert.equal(page.value?.isComplete, false);
  });

  it('stops for a token that the homeserver does not know, and tells which setting to change', async () => {
    await assert.rejects(
      open('other').bot.profileUrl(),
      (error) =>
        error instanceof PlatformFailed &&
        error.kind === 'not-configured' &&
        error.message.includes('LATCHKEY_MATRIX_ACCESS_TOKEN') &&
        !error.message.includes('other'),
    );
  });
});
