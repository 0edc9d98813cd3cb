import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type LinkedRoleRecord, type LinkedRoles, PlatformFailed } from '@latchkey/core/ports';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import { patientMs } from '@latchkey/emulators/testing';
import { createDiscord } from '../index.ts';

const redirectUri = 'https://latchkey.test/console/me/linked-roles';
const codeVerifier = 'v'.repeat(43);
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
const records: readonly LinkedRoleRecord[] = [
  { key: 'wallets', name: 'Wallets', description: 'Linked wallets', comparison: 'integer-at-least' },
  { key: 'since', name: 'Since', description: 'Days since', comparison: 'days-since-at-least' },
];

describe('linked roles on the Discord emulator', () => {
  let emulator: DiscordEmulator;
  let linkedRoles: LinkedRoles;
  const open = (changes: { clientSecret?: string; token?: string } = {}) => {
    const { id: clientId, clientSecret, token } = emulator.application;
    const { linkedRoles: made } = createDiscord({
      fetch,
      token: changes.token ?? token,
      apiUrl: emulator.url,
      timeoutMs: patientMs,
      application: { clientId, clientSecret: changes.clientSecret ?? clientSecret },
    });
    assert.ok(made);
    return made;
  };
  before(async () => {
    emulator = await startDiscordEmulator({ application: { redirectUris: [redirectUri] } });
    emulator.createUser('ann', '123');
    linkedRoles = open();
    await linkedRoles.register(records, redirectUri);
  });
  beforeEach(() => emulator.behave());
  after(() => emulator.stop());

  const allow = (scope?: string) => {
    const request = new URL(linkedRoles.start({ state: 'xyz', redirectUri, codeChallenge })).searchParams;
    assert.equal(request.get('scope'), 'identify role_connections.write');
    const back = emulator.approveLogin('123', {
      clientId: request.get('client_id') ?? '',
      redirectUri,
      scope: scope ?? request.get('scope') ?? '',
      codeChallenge,
    });
    return { code: new URL(back).searchParams.get('code') ?? '', redirectUri, codeVerifier };
  };
  const report = { userId: '123', platformName: 'Latchkey', userName: 'ann' };
  const send = (token: string, values: Record<string, string>) => linkedRoles.send(token, { ...report, values });
  const failsAs =
    (kind: PlatformFailed['kind'], secret = emulator.application.clientSecret) =>
    (error: unknown) => {
      assert.ok(error instanceof PlatformFailed);
      assert.equal(error.kind, kind, error.message);
      assert.ok(!error.message.includes(secret));
      return true;
    };

  it('registers values and the address, and reads them back', async () => {
    const { verificationUrl, records: found } = await linkedRoles.readRegistration();
    assert.equal(verificationUrl, redirectUri);
    assert.deepEqual(found, records);
    assert.deepEqual(
      emulator.application.roleConnectionRecords.map(({ type }) => type),
      [2, 6],
    );
    await assert.rejects(open({ token: 'wrong' }).register(records, redirectUri), failsAs('not-configured'));
  });

  it('sends values with the user’s tokens, also after a refresh, and not after they are revoked', async () => {
    const { identity, tokens } = await linkedRoles.finish(allow());
    assert.deepEqual(identity, { userId: '123', name: 'ann' });
    await send(tokens.accessToken, { wallets: '2' });
    assert.deepEqual(emulator.application.roleConnections.get('123'), {
      platform_name: 'Latchkey',
      platform_username: 'ann',
      metadata: { wallets: '2' },
    });
    const renewed = await linkedRoles.refresh(tokens.refreshToken);
    await assert.rejects(send(tokens.accessToken, {}), failsAs('forbidden', tokens.accessToken));
    await assert.rejects(linkedRoles.refresh(tokens.refreshToken), failsAs('forbidden', tokens.refreshToken));
    await send(renewed.accessToken, {});
    assert.deepEqual(emulator.application.roleConnections.get('123')?.metadata, {});
    await linkedRoles.revoke(renewed.refreshToken);
    await linkedRoles.revoke(renewed.refreshToken);
    await assert.rejects(send(renewed.accessToken, {}), failsAs('forbidden', renewed.accessToken));
  });

  it('does not mistake one user’s refusal for a wrong bot token', async () => {
    await assert.rejects(send('made-up', {}), failsAs('forbidden'));
    assert.equal((await linkedRoles.readRegistration()).records.length, 2);
  });

  it('refuses a permission without the scope, a code that was used, and a wrong secret', async () => {
    await assert.rejects(linkedRoles.finish(allow('identify')), failsAs('forbidden'));
    const used = allow();
    await linkedRoles.finish(used);
    await assert.rejects(linkedRoles.finish(used), failsAs('forbidden'));
    const wrong = open({ clientSecret: 'another' });
    await assert.rejects(wrong.finish(allow()), failsAs('not-configured'));
    await assert.rejects(wrong.revoke('x'), failsAs('not-configured'));
  });

  it('reports what Discord rejects, and an outage as such', async () => {
    const { tokens } = await linkedRoles.finish(allow());
    await assert.rejects(send(tokens.accessToken, { wallets: '1'.repeat(101) }), failsAs('malformed'));
    for (const fault of [{ kind: 'outage' }, { kind: 'error', status: 503 }] as const) {
      const end = emulator.misbehave(fault);
      await assert.rejects(send(tokens.accessToken, {}), failsAs('unavailable'));
      await assert.rejects(linkedRoles.refresh(tokens.refreshToken), failsAs('unavailable'));
      await assert.rejects(linkedRoles.revoke(tokens.refreshToken), failsAs('unavailable'));
      await assert.rejects(linkedRoles.readRegistration(), failsAs('unavailable'));
      end();
    }
    await send(tokens.accessToken, { wallets: '3' });
    assert.deepEqual(emulator.application.roleConnections.get('123')?.metadata, { wallets: '3' });
  });
});
