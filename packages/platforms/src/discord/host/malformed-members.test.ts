import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type MemberListEnd, type MemberRoles, MemberUnreadable, PlatformFailed } from '@latchkey/core/ports';
import { startDiscordEmulator } from '@latchkey/emulators/discord';
import { patientMs } from '@latchkey/emulators/testing';
import { observed } from '@latchkey/kernel';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { createDiscord } from '../index.ts';

const ample = { limit: 1_000_000, windowSeconds: 1 };
/** High limits: rate limiting is tested elsewhere. */
const limits = {
  globalPerSecond: 1_000_000,
  buckets: { 'member-list': ample, 'member-read': ample, 'member-roles': ample, other: ample },
};

/** Starts a server with members whose responses a test can change in transit. */
async function start(t: TestContext, members = 5) {
  const emulator = await startDiscordEmulator({ seed: 'malformed', limits });
  t.after(() => emulator.stop());
  const proxy = await startAnswerProxy(emulator.url);
  t.after(() => proxy.stop());
  const { host, api } = createDiscord({
    fetch,
    token: emulator.application.token,
    apiUrl: proxy.url,
    timeoutMs: patientMs,
    callsPerSecond: 1_000_000,
  });
  const guildId = emulator.createGuild({ name: 'Guild' }).id;
  const roleId = emulator.createRole(guildId, { name: 'Holder' }).id;
  const ids = Array.from({ length: members }, () => emulator.addMember(guildId, { roles: [roleId] }).user.id);
  const list = async () => {
    const found: MemberRoles[] = [];
    const pages = host.readMembers(guildId)[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await pages.next();
      if (done) return { found, end: value as MemberListEnd };
      found.push(...value);
    }
  };
  /** Removes the user from some members' entries, in lists and single reads. */
  const spoil = (...spoiled: string[]) => {
    const change = (entry: unknown) => {
      const { user, ...rest } = Object(entry);
      return spoiled.includes(user?.id) ? rest : entry;
    };
    proxy.intercept((body) => (Array.isArray(body) ? body.map(change) : change(body)));
  };
  return { emulator, proxy, host, api, guildId, roleId, ids, list, spoil };
}

test('a member entry without a user is dropped and counted', async (t) => {
  const { host, guildId, ids, list, spoil } = await start(t);
  const [first = '', second = ''] = ids;
  spoil(second);
  let counted = 0;
  const end = observed.malformedEntry.listen(({ source, kind }) => {
    if (source === 'discord' && kind === 'member') counted += 1;
  });
  t.after(end);
  const listed = await list();
  const listedIds = listed.found.map(({ userId }) => userId);
  assert.ok(ids.filter((id) => id !== second).every((id) => listedIds.includes(id)));
  assert.ok(!listedIds.includes(second));
  assert.deepEqual(listed.end, {
    isComplete: false,
    reason: 'Discord sent 1 member that could not be read. They keep their roles.',
  });
  assert.equal(counted, 1);
  assert.ok(await host.readMember(guildId, first));
  await assert.rejects(host.readMember(guildId, second), MemberUnreadable);
});

test('paging continues after malformed entries, even when the last entry of a page is one', async (t) => {
  const { guildId, api, ids, spoil } = await start(t, 7);
  const pageEnd = ids.toSorted()[1] ?? '';
  spoil(pageEnd);
  const listed = await api.readMembers(guildId, { limit: 3 });
  assert.equal(listed.length, 3);
  spoil(...ids);
  assert.deepEqual(
    (await api.readMembers(guildId, { limit: 3 })).filter(({ user }) => ids.includes(user.id)),
    [],
    'a page of nothing but malformed entries ends the list',
  );
});

test('a write whose member cannot be read back has failed, and that member does not count as gone', async (t) => {
  const { host, guildId, roleId, ids, spoil } = await start(t);
  spoil(ids[1] ?? '');
  const writes = ids.map((userId) =>
    host.writeMember({ communityId: guildId, userId, add: [], remove: [roleId], held: [roleId], reason: 'test' }),
  );
  const outcomes = (await Promise.all(writes)).map(({ kind }) => kind);
  assert.deepEqual(outcomes, ['written', 'failed', 'written', 'written', 'written']);
});

test('a malformed role is dropped, and no power is decided without it', async (t) => {
  const { proxy, host, guildId, roleId, ids } = await start(t);
  proxy.intercept((body) => {
    const spoilRoles = (roles: unknown[]) =>
      roles.map((role) => (Object(role).id === roleId ? { ...Object(role), permissions: null } : role));
    if (Array.isArray(body)) return spoilRoles(body);
    return 'owner_id' in Object(body) ? { ...Object(body), roles: spoilRoles(Object(body).roles) } : body;
  });
  const roles = await host.readRoles(guildId);
  assert.ok(roles.length > 0 && roles.every(({ id }) => id !== roleId));
  await assert.rejects(async () => host.administers?.(guildId, ids[0] ?? ''), PlatformFailed);
  const faults = await host.findFaults?.(guildId, [roleId]);
  assert.deepEqual(
    faults?.filter(({ fault }) => fault === 'missing'),
    [],
  );
});

/** Returns the outcome of a read; `unknown` for the failures that the interface allows. */
async function outcomeOf<Value>(read: Promise<Value>): Promise<Value | 'unknown'> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof PlatformFailed && error.kind === 'unavailable') return 'unknown';
    throw error;
  }
}

test('however Discord’s response is corrupted, the result is right or unknown', async (t) => {
  const { proxy, host, guildId, roleId, ids, list } = await start(t, 4);
  const [userId = ''] = ids;
  const optional = ['bot', 'unavailable', 'code', 'message'];
  const intercept = proxy.intercept;
  const rounds = volume(60, 2_000);
  const isSame = (got: unknown, truth: unknown) => got === 'unknown' || isDeepStrictEqual(got, truth);
  await fuzzAnswers({
    name: 'discord members',
    rounds,
    intercept,
    optional,
    read: () => outcomeOf(list()),
    isRight: (got, truth) => {
      if (got === 'unknown' || truth === 'unknown') return got === 'unknown';
      const known = new Map(truth.found.map(({ userId: id, roleIds }) => [id, roleIds]));
      const areTrue = got.found.every((member) => isDeepStrictEqual(member.roleIds, known.get(member.userId)));
      const isOnce = new Set(got.found.map((member) => member.userId)).size === got.found.length;
      return areTrue && isOnce && (got.found.length === truth.found.length || !got.end.isComplete);
    },
  });
  const rolesOf = (member: MemberRoles | undefined) => member?.roleIds ?? 'gone';
  await fuzzAnswers({
    name: 'discord member',
    rounds,
    intercept,
    optional,
    read: () => outcomeOf(host.readMember(guildId, userId).then(rolesOf)),
    isRight: isSame,
  });
  await fuzzAnswers({
    name: 'discord powers',
    rounds,
    intercept,
    optional,
    read: () => outcomeOf(host.administers?.(guildId, userId) ?? Promise.resolve(false)),
    isRight: isSame,
  });
  await fuzzAnswers({
    name: 'discord faults',
    rounds,
    intercept,
    optional: [...optional, 'tags'],
    read: async () => {
      const faults = await outcomeOf(host.findFaults?.(guildId, [roleId]) ?? Promise.resolve([]));
      return faults === 'unknown' ? faults : faults.map(({ fault }) => fault);
    },
    isRight: isSame,
  });
});
