import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shownText } from '@latchkey/emulators/discord';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { noteAuthorization } from '../../developers/user-authorizations/index.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { issueAccessToken, verifyAccessToken } from '../../identity/credentials/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { operator } from '../../testing/index.ts';
import { handleInteraction } from './index.ts';

describe('/latchkey apps', () => {
  let d: DiscordPlatform;
  let guildId: string;
  before(async () => {
    d = await discordPlatform('allowed-apps');
    await ensureSigningKeys(d.services);
    ({ guildId } = await addGuild(d));
  });
  after(() => d.close());

  let interactions = 0;
  const act = async (from: string, rest: object) => {
    interactions += 1;
    const { data } = await handleInteraction(d.services, {
      id: String(700 + interactions),
      application_id: d.emulator.application.id,
      token: 'a-token',
      guild_id: guildId,
      member: { user: { id: from, username: 'ada' } },
      ...rest,
    });
    const { flags, components } = Object(data);
    assert.equal(flags, 64 | 32_768, 'no other member sees it');
    const buttons: string[] = JSON.stringify(components).match(/latchkey:forbid:[^"]+/g) ?? [];
    return { text: shownText(Object(data)), buttons };
  };
  const show = (from: string) =>
    act(from, { type: 2, data: { name: 'latchkey', options: [{ type: 1, name: 'apps' }] } });
  const press = (from: string, name: string) => act(from, { type: 3, data: { custom_id: name } });

  async function allow(memberId: string, name: string): Promise<string> {
    const options = { userId: 'DIS#USER#9', name, scopes: ['user:read'] };
    const clientId = (await createDevelopmentApp(d.as(operator), options)).id ?? '';
    await noteAuthorization(d.services, { userId: `DIS#USER#${memberId}`, clientId, scopes: ['user:read'] });
    return clientId;
  }
  const newMember = () => d.emulator.addMember(guildId).user.id;

  test('shows a member their grants, and a button revokes one and ends the token', async () => {
    const ada = newMember();
    assert.equal((await show(ada)).text, 'No apps have access to your account.');
    const clientId = await allow(ada, 'Greeter');
    const holder = { kind: 'user', userId: `DIS#USER#${ada}`, platform: 'discord', clientId } as const;
    const { token } = await issueAccessToken(d.as(operator), { holder, scopes: ['user:read'], ttlSeconds: 3600 });
    const { text, buttons } = await show(ada);
    assert.match(text, /^These apps .*\n\*\*Greeter\*\*: \w/);
    assert.deepEqual(buttons, [`latchkey:forbid:${clientId}`]);
    const use = () =>
      verifyAccessToken(d.services, token, async (id) => ({ id, name: '', allowedScopes: [], disallowedScopes: [] }));
    assert.equal((await use()).kind, 'user');
    assert.match((await press(ada, buttons[0] ?? '')).text, /^Greeter can no longer act for you\./);
    await assert.rejects(use(), { code: 'INVALID_CREDENTIAL' });
    assert.equal((await show(ada)).text, 'No apps have access to your account.');
    assert.match((await press(ada, buttons[0] ?? '')).text, /User authorization not found/i);
  });

  test('revokes nothing when another member presses the button', async () => {
    const [ada, eve] = [newMember(), newMember()];
    const clientId = await allow(ada, 'Reader');
    assert.match((await press(eve, `latchkey:forbid:${clientId}`)).text, /User authorization not found/i);
    assert.match((await show(ada)).text, /Reader/);
  });

  test('shows the first five of many, and says that there are more', async () => {
    const ada = newMember();
    for (let n = 1; n <= 6; n += 1) await allow(ada, `App ${n}`);
    const { text, buttons } = await show(ada);
    assert.equal(buttons.length, 5);
    assert.match(text, /are shown\.$/);
    await press(ada, buttons[0] ?? '');
    assert.doesNotMatch((await show(ada)).text, /are shown/);
  });
});
