import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newCommunity } from '../../communities/community/testing.ts';
import { installMiniApp, registerMiniApp } from '../../communities/installs/install-app.ts';
import { newOrganization, newPerson } from '../../identity/client-apps/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { forwardInteraction } from './forward.ts';
import { getInstalledApp, setInstalledAppSettings } from './installation-operations.ts';
import { createMiniApp } from './operations.ts';
import { selectMiniApp } from './queries.ts';

describe('a mini-app in a community', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('installation');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  /** Creates a listed app that requires its settings, installed in a new community. */
  async function settle(requiredContext: readonly string[]) {
    const developer = newPerson();
    const pk = await newOrganization(t, developer, { verified: true });
    const { id: appId = '' } = await createMiniApp(t.as(developer), {
      body: { pk, name: 'Polls', description: 'Asks', url: 'https://polls.example' },
    });
    const manifest = { appId, name: 'Polls', shortName: 'polls', appType: 'action', developer: 'x' } as const;
    const profile = { manifest, commands: [{ name: 'poll' }], interactions: [], requiredContext };
    await t.services.db.system
      .updateTable('mini_apps')
      .set({ status: 'LISTED', signature: 'ed25519', profile })
      .where('id', '=', appId)
      .execute();
    await registerMiniApp(t.as(operator), { ...manifest, version: { name: '1.2.0' } });
    const made = await newCommunity(t);
    const named = { communityId: made.id, appId };
    await installMiniApp(t.as(made.owner), { ...named, body: { colour: 'red' } });
    return { ...made, appId, named };
  }

  test('shows its admins what it may do there', async () => {
    const { owner, named } = await settle(['guildName']);
    const app = await getInstalledApp(t.as(owner), named);
    assert.deepEqual(
      [app.name, app.isSuspended, app.installedBy, app.installedVersion],
      ['Polls', false, owner.userId, '1.2.0'],
    );
    assert.deepEqual([app.commands, app.context, app.events, app.mayAsk], [['poll'], ['guildName'], [], []]);
    assert.deepEqual(app.settings, { colour: 'red' });
  });

  test('gets new settings with the next interaction, if it requested them', async () => {
    const bodies: Record<string, unknown>[] = [];
    t.answer(async ({ body = '' }) => {
      bodies.push(JSON.parse(String(body)).actionContext);
      return { status: 204, headers: {}, body: new Uint8Array() };
    });
    for (const wanted of [['installationMetadata'], []]) {
      const { owner, id, appId, named } = await settle(wanted);
      await setInstalledAppSettings(t.as(owner), { ...named, body: { colour: 'blue', sizes: [1, 2] } });
      const app = await selectMiniApp(t.services.db.system, appId);
      const community = await t.services.db.system
        .selectFrom('communities')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(app);
      const raw = { id: '1', type: 2 };
      const interaction = { raw, type: 2, name: 'poll', applicationId: '1', token: 'x', userId: '1' };
      await forwardInteraction(t.as(owner), community, app, interaction);
    }
    assert.deepEqual(
      bodies.map(({ installationMetadata }) => installationMetadata),
      [{ colour: 'blue', sizes: [1, 2] }, undefined],
    );
  });

  test('can be seen and changed only by its admins, and only where it is installed', async () => {
    const { owner, named } = await settle([]);
    const stranger = (await newCommunity(t)).owner;
    const body = { colour: 'black' };
    await assert.rejects(getInstalledApp(t.as(stranger), named), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(setInstalledAppSettings(t.as(stranger), { ...named, body }), { code: 'ENTITY_NOT_FOUND' });
    const missing = { ...named, appId: 'no-such-app' };
    await assert.rejects(getInstalledApp(t.as(owner), missing), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(setInstalledAppSettings(t.as(owner), { ...missing, body }), { code: 'ENTITY_NOT_FOUND' });
    assert.deepEqual((await getInstalledApp(t.as(owner), named)).settings, { colour: 'red' });
  });
});
