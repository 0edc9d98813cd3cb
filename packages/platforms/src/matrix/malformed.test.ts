import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type MemberRoles, PlatformFailed } from '@latchkey/core/ports';
import { startMatrixEmulator } from '@latchkey/emulators/matrix';
import { patientMs } from '@latchkey/emulators/testing';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createMatrix } from './index.ts';

const ids = { bot: '@bot:matrix.test', owner: '@owner:matrix.test', ada: '@ada:matrix.test', bob: '@bob:matrix.test' };

async function start(t: TestContext) {
  const nowMs = 1_700_000_000_000;
  const emulator = await startMatrixEmulator({ nowMs: () => nowMs });
  t.after(() => emulator.stop());
  const proxy = await startAnswerProxy(emulator.url);
  t.after(() => proxy.stop());
  const callAs = (name: string) => {
    const { token } = emulator.world.addUser(name);
    const call = async (path: string, body: unknown) => {
      const response = await fetch(`${emulator.url}/_matrix/client/v3${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      assert.ok(response.ok, `${path} answered ${response.status}`);
      return (await response.json()) as Record<string, unknown>;
    };
    return { call, token };
  };
  const [bot, owner, ada] = [callAs('bot'), callAs('owner'), callAs('ada')];
  const quiet = { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined };
  let calls = 0;
  const matrix = createMatrix({
    homeserverUrl: `${proxy.url}/`,
    accessToken: bot.token,
    fetch,
    clock: () => new Date(nowMs),
    timeoutMs: patientMs,
    log: { ...quiet, for: () => quiet } as never,
    random: { bytes: () => new Uint8Array([1]), id: () => `t${calls++}` } as never,
  });
  const { room_id: room } = await owner.call('/createRoom', {
    name: 'Talk',
    invite: [ids.bot, ids.ada],
    power_level_content_override: { users: { [ids.owner]: 100, [ids.bot]: 90, [ids.ada]: 10, [ids.bob]: 10 } },
  });
  const roomId = String(room);
  await bot.call(`/join/${encodeURIComponent(roomId)}`, {});
  await ada.call(`/join/${encodeURIComponent(roomId)}`, {});
  const bob = callAs('bob');
  await owner.call(`/rooms/${encodeURIComponent(roomId)}/invite`, { user_id: ids.bob });
  await bob.call(`/join/${encodeURIComponent(roomId)}`, {});
  await bob.call(`/rooms/${encodeURIComponent(roomId)}/leave`, {});
  const { host } = matrix;
  const list = async () => {
    const found: MemberRoles[] = [];
    for await (const page of host.readMembers(roomId)) found.push(...page);
    return found;
  };
  return { proxy, host, roomId, list };
}

async function outcomeOf<Value>(read: Promise<Value> | undefined): Promise<Value | 'unknown' | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PlatformFailed && error.kind === 'unavailable') return 'unknown';
    throw error;
  }
}

test('however a homeserver’s response is corrupted, the result is right or unknown', async (t) => {
  const { proxy, host, roomId, list } = await start(t);
  const rounds = volume(40, 2_000);
  const { intercept } = proxy;
  // Names and pictures may be missing, and so may levels, which have defaults.
  const optional = [
    'displayname',
    'avatar_url',
    'name',
    'users',
    'users_default',
    'state_default',
    'events',
    ...Object.values(ids),
  ];
  const isRight = (got: unknown, truth: unknown) => got === 'unknown' || isDeepStrictEqual(got, truth);
  await fuzzAnswers({
    name: 'matrix member',
    rounds,
    intercept,
    optional,
    read: async () => outcomeOf(host.readMember(roomId, ids.ada).then((member) => member?.roleIds)),
    isRight,
  });
  await fuzzAnswers({
    name: 'matrix members',
    rounds,
    intercept,
    optional,
    read: async () => outcomeOf(list()),
    isRight: (got, truth) => {
      if (got === 'unknown' || truth === 'unknown' || got === undefined) return got === 'unknown';
      const known = new Map((truth ?? []).map(({ userId, roleIds }) => [userId, roleIds]));
      return got.every(({ userId, roleIds }) => isDeepStrictEqual(roleIds, known.get(userId)));
    },
  });
  const isPart = (got: readonly string[] | 'unknown' | undefined, truth: typeof got) =>
    got === 'unknown' || truth === 'unknown' || (got ?? []).every((roleId) => truth?.includes(roleId));
  await fuzzAnswers({
    name: 'matrix members who left',
    rounds,
    intercept,
    optional,
    // Fewer roles are taken than could be, and never others.
    read: async () => [
      await outcomeOf(host.readLeftRoles?.(roomId, ids.bob)),
      await outcomeOf(host.readLeftRoles?.(roomId, ids.ada)),
    ],
    isRight: (got, truth) => got.every((one, place) => isPart(one, truth[place])),
  });
  await fuzzAnswers({
    name: 'matrix powers',
    rounds,
    intercept,
    optional,
    read: async () => [
      await outcomeOf(host.administers?.(roomId, ids.owner)),
      await outcomeOf(host.findOwner?.(roomId)),
    ],
    isRight: (got, truth) => got.every((one, place) => isRight(one, truth[place])),
  });
});
