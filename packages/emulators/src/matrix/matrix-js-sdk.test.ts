import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  ClientEvent,
  createClient,
  type ICreateRoomOpts,
  type MatrixClient,
  MatrixError,
  Preset,
  RoomMemberEvent,
  SyncState,
  Visibility,
} from 'matrix-js-sdk';
import type { Logger } from 'matrix-js-sdk/lib/logger.js';
import { type MatrixEmulator, startMatrixEmulator, synapseRates } from './index.ts';

const ignore = () => undefined;
const quiet: Logger = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  getChild: () => quiet,
};

/** The emulator as matrix-js-sdk, the client behind Element, sees it. */
describe('the Matrix emulator', () => {
  let emulator: MatrixEmulator;
  let [admin, ada]: MatrixClient[] = [];
  let nowMs = 1_700_000_000_000;
  const open = (name: string) => {
    const { userId, token } = emulator.world.addUser(name);
    return createClient({ baseUrl: emulator.url, userId, accessToken: token, logger: quiet });
  };
  const of = (client: MatrixClient | undefined): MatrixClient => {
    assert.ok(client);
    return client;
  };
  const room = async (options: ICreateRoomOpts = {}) =>
    (await of(admin).createRoom({ visibility: Visibility.Private, preset: Preset.PrivateChat, ...options })).room_id;
  const refuses = (work: Promise<unknown>, errcode: string) =>
    assert.rejects(work, (error) => error instanceof MatrixError && error.errcode === errcode);

  before(async () => {
    emulator = await startMatrixEmulator({ nowMs: () => nowMs, rates: { messages: synapseRates.messages } });
    [admin, ada] = [open('admin'), open('ada')];
  });
  after(async () => {
    for (const client of [admin, ada]) client?.stopClient();
    await emulator.stop();
  });

  it('says who a user is, and refuses a token that it did not issue', async () => {
    assert.equal((await of(ada).whoami()).user_id, '@ada:matrix.test');
    await refuses(
      createClient({ baseUrl: emulator.url, accessToken: 'other', logger: quiet }).whoami(),
      'M_UNKNOWN_TOKEN',
    );
  });

  it('lets people in by invite, and out by a kick', async () => {
    const id = await room();
    await refuses(of(ada).joinRoom(id), 'M_FORBIDDEN');
    await of(admin).invite(id, '@ada:matrix.test');
    await of(ada).joinRoom(id);
    assert.deepEqual(Object.keys((await of(admin).getJoinedRoomMembers(id)).joined), [
      '@admin:matrix.test',
      '@ada:matrix.test',
    ]);
    await refuses(of(ada).kick(id, '@admin:matrix.test'), 'M_FORBIDDEN');
    await of(admin).kick(id, '@ada:matrix.test', 'over');
    await refuses(of(ada).sendTextMessage(id, 'still here?'), 'M_FORBIDDEN');
  });

  it('accepts a knock with an invite, and opens restricted rooms to members of the space', async () => {
    const asked = await room({
      room_version: '10',
      initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: 'knock' } }],
    });
    await of(ada).knockRoom(asked, { reason: 'please' });
    await of(admin).invite(asked, '@ada:matrix.test');
    await of(ada).joinRoom(asked);
    const open = await room({
      initial_state: [
        {
          type: 'm.room.join_rules',
          state_key: '',
          content: { join_rule: 'restricted', allow: [{ type: 'm.room_membership', room_id: asked }] },
        },
      ],
    });
    await of(ada).joinRoom(open);
    await of(ada).leave(open);
    await of(ada).leave(asked);
    await refuses(of(ada).joinRoom(open), 'M_FORBIDDEN');
  });

  it('changes power levels as far as the sender’s own', async () => {
    const id = await room({ invite: ['@ada:matrix.test'] });
    await of(ada).joinRoom(id);
    await refuses(of(ada).setPowerLevel(id, '@ada:matrix.test', 50), 'M_FORBIDDEN');
    await of(admin).setPowerLevel(id, '@ada:matrix.test', 50);
    const { users } = await of(admin).getStateEvent(id, 'm.room.power_levels', '');
    assert.equal(users['@ada:matrix.test'], 50);
    await refuses(of(admin).setPowerLevel(id, '@ada:matrix.test', 101), 'M_FORBIDDEN');
    await of(admin).setPowerLevel(id, '@ada:matrix.test', 100);
    await refuses(of(admin).setPowerLevel(id, '@ada:matrix.test', 0), 'M_FORBIDDEN');
  });

  it('upgrades a room for those with the power to, and each of both rooms names the other', async () => {
    const id = await room({
      name: 'Holders',
      room_version: '10',
      invite: ['@ada:matrix.test'],
      power_level_content_override: { users: { '@admin:matrix.test': 100 } },
    });
    await of(ada).joinRoom(id);
    await refuses(of(ada).upgradeRoom(id, '11'), 'M_FORBIDDEN');
    await refuses(of(admin).upgradeRoom(id, '99'), 'M_UNSUPPORTED_ROOM_VERSION');
    for (const version of ['11', '12']) {
      const from = version === '11' ? id : await room({ name: 'Holders', room_version: '11' });
      const { replacement_room: next } = await of(admin).upgradeRoom(from, version);
      assert.equal((await of(admin).getStateEvent(from, 'm.room.tombstone', '')).replacement_room, next);
      const create = await of(admin).getStateEvent(next, 'm.room.create', '');
      assert.deepEqual([create.room_version, create.predecessor.room_id], [version, from]);
      assert.equal((await of(admin).getStateEvent(next, 'm.room.name', '')).name, 'Holders');
      await refuses(of(ada).joinRoom(next), 'M_FORBIDDEN');
      await refuses(of(ada).sendTextMessage(from, 'still here?'), 'M_FORBIDDEN');
    }
  });

  it('says who invited the user that joins, and that another room let them in', async () => {
    const id = await room({ invite: ['@ada:matrix.test'] });
    await of(ada).joinRoom(id);
    const events = await of(admin).http.authedRequest<{ unsigned?: Record<string, unknown> }>(
      'GET' as never,
      `/rooms/${encodeURIComponent(id)}/state/m.room.member/${encodeURIComponent('@ada:matrix.test')}`,
      { format: 'event' },
    );
    assert.equal(events.unsigned?.prev_sender, '@admin:matrix.test');
    const allow = [{ type: 'm.room_membership', room_id: id }];
    const through = await room({
      initial_state: [{ type: 'm.room.join_rules', state_key: '', content: { join_rule: 'restricted', allow } }],
    });
    await of(ada).joinRoom(through);
    const { join_authorised_via_users_server: voucher } = await of(admin).getStateEvent(
      through,
      'm.room.member',
      '@ada:matrix.test',
    );
    assert.equal(voucher, '@admin:matrix.test');
  });

  it('lists the rooms of a space', async () => {
    const space = await room({ name: 'Club', creation_content: { type: 'm.space' } });
    const inside = await room({ name: 'Holders' });
    await of(admin).sendStateEvent(space, 'm.space.child' as never, { via: ['matrix.test'] } as never, inside);
    const { rooms } = await of(admin).getRoomHierarchy(space, 50, 1);
    assert.deepEqual(
      rooms.map(({ name, room_type }) => [name, room_type]),
      [
        ['Club', 'm.space'],
        ['Holders', undefined],
      ],
    );
  });

  it('delivers news to a client that syncs', async ({ mock }) => {
    // The SDK never clears the timer of a long poll, which would keep this process for two minutes after the last test.
    const { setTimeout } = globalThis;
    mock.method(globalThis, 'setTimeout', (run: () => void, ms?: number) => setTimeout(run, ms).unref());
    const client = of(ada);
    const synced = new Promise<void>((resolve) => {
      client.on(ClientEvent.Sync, (state) => state === SyncState.Prepared && resolve());
    });
    await client.startClient({ lazyLoadMembers: false });
    await synced;
    const invited = new Promise<string>((resolve) => {
      client.on(RoomMemberEvent.Membership, (_event, member) => {
        if (member.userId === client.getUserId() && member.membership === 'invite') resolve(member.roomId);
      });
    });
    const id = await room({ invite: ['@ada:matrix.test'] });
    assert.equal(await invited, id);
    const told = new Promise<string>((resolve) => {
      client.on(ClientEvent.Event, (event) => event.getType() === 'm.room.message' && resolve(event.getContent().body));
    });
    await client.joinRoom(id);
    await of(admin).sendTextMessage(id, 'welcome');
    assert.equal(await told, 'welcome');
    client.stopClient();
  });

  it('limits messages as Synapse does, and says how long to wait', async () => {
    const id = await room();
    let sent = 0;
    const send = () =>
      of(admin).http.authedRequest(
        'PUT' as never,
        `/rooms/${encodeURIComponent(id)}/send/m.room.message/${nowMs}-${sent++}`,
        {},
        { msgtype: 'm.text', body: 'x' },
      );
    nowMs += 3_600_000;
    while (sent < synapseRates.messages.burst) await send();
    await assert.rejects(
      send(),
      (error) =>
        error instanceof MatrixError && error.errcode === 'M_LIMIT_EXCEEDED' && error.getRetryAfterMs() === 5_000,
    );
    nowMs += 5_000;
    await send();
  });
});
