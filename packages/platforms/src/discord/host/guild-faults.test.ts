import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PlatformFailed } from '@latchkey/core/ports';
import { startDiscordEmulator } from '@latchkey/emulators/discord';
import { patientMs } from '@latchkey/emulators/testing';
import { createDiscord } from '../index.ts';

async function start(t: TestContext) {
  const emulator = await startDiscordEmulator({ seed: 'guild-faults' });
  t.after(() => emulator.stop());
  const { host, api } = createDiscord({
    fetch,
    token: emulator.application.token,
    apiUrl: emulator.url,
    timeoutMs: patientMs,
  });
  const guildId = emulator.createGuild({ name: 'Cat Club' }).id;
  const roleId = emulator.createRole(guildId, { name: 'Holder' }).id;
  const userId = emulator.addMember(guildId, { roles: [roleId] }).user.id;
  const remove = () =>
    host.writeMember({ communityId: guildId, userId, add: [], remove: [roleId], held: [roleId], reason: 'test' });
  return { emulator, host, api, guildId, roleId, userId, remove };
}

const isUnavailable = (error: unknown) => error instanceof PlatformFailed && error.kind === 'unavailable';

test('while a server is unavailable, nothing is known of its members, and no write counts as done', async (t) => {
  const { emulator, host, guildId, roleId, userId, remove } = await start(t);
  emulator.setUnavailable(guildId, true);
  await assert.rejects(host.readMember(guildId, userId), isUnavailable);
  await assert.rejects(async () => host.readMembers(guildId)[Symbol.asyncIterator]().next(), isUnavailable);
  await assert.rejects(async () => host.administers?.(guildId, userId), isUnavailable);
  await assert.rejects(async () => host.findFaults?.(guildId, [roleId]), isUnavailable);
  assert.equal((await remove()).kind, 'failed');
  emulator.setUnavailable(guildId, false);
  assert.deepEqual((await host.readMember(guildId, userId))?.roleIds, [roleId]);
  assert.equal((await remove()).kind, 'written');
});

test('a banned member is gone, and a member in screening is shown as pending', async (t) => {
  const { emulator, host, guildId, userId, remove } = await start(t);
  emulator.ban(guildId, userId);
  assert.equal(await host.readMember(guildId, userId), undefined);
  assert.equal((await remove()).kind, 'gone');
  const pending = emulator.addMember(guildId, { isPending: true }).user.id;
  assert.equal((await host.readMember(guildId, pending))?.isPending, true);
  emulator.passScreening(guildId, pending);
  assert.equal((await host.readMember(guildId, pending))?.isPending, undefined);
});

test('a server with 250 roles refuses another, in words that an admin understands', async (t) => {
  const { emulator, api, guildId } = await start(t);
  while (emulator.getGuild(guildId).roles.size <= 250) emulator.createRole(guildId, { name: 'Role' });
  await assert.rejects(
    api.createRole(guildId, { name: 'One more' }, 'test'),
    (error) =>
      error instanceof PlatformFailed && error.kind === 'forbidden' && /roles reached \(250\)/.test(error.message),
  );
});

test('a shared limit with the headers of a bucket that has room is waited out', async (t) => {
  const { emulator, host, guildId } = await start(t);
  emulator.misbehave({ kind: 'rate-limit', retryAfterSeconds: 0.05, scope: 'shared', count: 1 });
  assert.equal((await host.readRoles(guildId)).length, 3);
  assert.deepEqual([emulator.counts().rateLimited, emulator.counts().invalid], [1, 0]);
});
