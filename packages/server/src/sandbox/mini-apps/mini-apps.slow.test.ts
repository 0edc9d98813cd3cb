import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shownText, startDiscordEmulator } from '@latchkey/emulators/discord';
import { createTester } from '@latchkey/miniapp/tester';
import { until } from '@latchkey/test-kit';
import { startTestServer, type TestServer } from '../../../test/harness/test-server.ts';
import { createLog } from '../../log.ts';
import { sampleUser } from '../seed.ts';
import { type AppWorld, sampleApps } from './apps.ts';
import { startSampleApps } from './index.ts';

interface Listed {
  appId: string;
  manifest?: { name: string };
  name?: string;
  installed: boolean;
}

describe('the mini-apps of the sample community', () => {
  let discord: Awaited<ReturnType<typeof startDiscordEmulator>>;
  let server: TestServer;
  let served: { url: string; stop(): Promise<void> };
  let community: { id: string; guildId: string; channelId: string };
  const log = createLog({ logLevel: 'error', debugSettings: '' }, { write: () => undefined });
  const developer = sampleUser('200000000000000002', 'ben');
  let call: (method: string, path: string, json?: unknown) => Promise<{ status: number; json: never; text: string }>;
  const start = () => startSampleApps(server.services, developer, { serverUrl: server.url, port: 0, log });

  before(async () => {
    discord = await startDiscordEmulator({ seed: 'sample-apps', answerWithinMs: 120_000 });
    server = await startTestServer({
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_CLIENT_ID: discord.application.id,
      LATCHKEY_DISCORD_PUBLIC_KEY: discord.application.publicKey,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
    });
    await discord.setInteractionsUrl(`${server.url}/discord/interactions`);
    const guild = discord.createGuild({ name: 'Cats' });
    const authorization = await server.aeToken(`DIS#USER#${guild.ownerId}`);
    call = async (method, path, json) =>
      (await server.request(method, path, {
        headers: { authorization },
        ...(json !== undefined && { json }),
      })) as never;
    const { id } = (await call('POST', '/communities', { platform: 'discord', communityId: guild.id, name: 'Cats' }))
      .json as { id: string };
    community = { id, guildId: guild.id, channelId: [...discord.getGuild(guild.id).channels.keys()][0] ?? '' };
    served = await start();
  });
  after(async () => {
    await served?.stop();
    await server?.close();
    await discord?.stop();
  });

  const market = async () => {
    const path = `/marketplace/communities/${encodeURIComponent(community.id)}/apps`;
    return ((await call('GET', path)).json as { items: Listed[] }).items;
  };

  test('are listed once, however often the server starts', async () => {
    const first = await market();
    assert.deepEqual([first.length, first.some(({ installed }) => installed)], [sampleApps.length, false]);
    await served.stop();
    served = await start();
    // On another port they have another address, which an approved app cannot take.
    assert.equal((await market()).length, sampleApps.length);
  });

  test('are installed, and respond to commands, buttons, forms and permissions', async () => {
    for (const { appId } of await market()) {
      const path = `/communities/${encodeURIComponent(community.id)}/apps/${appId}`;
      const installed = await call('POST', path, {});
      assert.equal(installed.status, 200, installed.text);
    }
    const commands = () =>
      [...(discord.application.commands.get(community.guildId)?.values() ?? [])].map(({ fields }) => fields.name);
    await until('Discord shows the commands', () =>
      ['roll', 'suggest', 'whoami'].every((name) => commands().includes(name)),
    );
    const userId = discord.addMember(community.guildId, { name: 'ada' }).user.id;
    const press = { userId, channelId: community.channelId };
    const shows = (pressed: Awaited<ReturnType<typeof discord.press>>, text: RegExp) =>
      until(`${text} is shown`, () => text.test(shownText(pressed.message() ?? {})));

    const rolled = await discord.press({ ...press, command: 'roll' });
    await shows(rolled, /^You rolled a [1-6]\.$/);
    const messageId = rolled.message()?.id ?? '';
    await shows(await discord.press({ ...press, messageId, customId: 'dice:again' }), /^You rolled a [1-6]\.$/);

    await discord.press({ ...press, command: 'suggest' });
    const written = { modal: 'suggestions:form', fields: { idea: 'More fish' } };
    await shows(await discord.press({ ...press, ...written }), /^Thank you! Cats will read: More fish$/);

    const asked = await discord.press({ ...press, command: 'whoami' });
    await until('it asks for a permission', () => asked.followUps().some(({ components }) => components?.length));
    const question = asked.followUps()[0];
    const [approve = ''] = JSON.stringify(question?.components).match(/\$approve-user-permissions:\w+/) ?? [];
    const pressed = await discord.press({ ...press, messageId: question?.id ?? '', customId: approve });
    await shows(pressed, /do you want to give "Who am I" access to your account\?/);
    const [allow = ''] = JSON.stringify(pressed.message()?.components).match(/latchkey:permit:\w+/) ?? [];
    const granted = await discord.press({ ...press, messageId: pressed.message()?.id ?? '', customId: allow });
    await shows(granted, /^You are ada to the server\.$/);
  });
});

for (const { name, make } of sampleApps)
  test(`${name} refuses what the server did not sign`, async () => {
    const world = (keys: Pick<AppWorld, 'keys'>): AppWorld => ({ ...keys, fetch, draw: () => 4, clientId: 'none' });
    assert.deepEqual(await (await createTester((tested) => make(world({ keys: tested.keys })))).probe(), []);
  });
