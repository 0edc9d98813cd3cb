import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shownText } from '@latchkey/emulators/discord';
import { checkUserReceivedOrSentKudos } from '../../billing/kudos/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { operator } from '../../testing/index.ts';
import { discordCommands, handleInteraction } from './index.ts';

describe('/latchkey kudos', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('thank');
  });
  after(() => d.close());

  let interactions = 0;
  const type = async (guildId: string, from: string, options: Record<string, string>) => {
    interactions += 1;
    const { type: kind, data } = await handleInteraction(d.services, {
      id: String(500 + interactions),
      application_id: d.emulator.application.id,
      token: 'a-token',
      type: 2,
      guild_id: guildId,
      member: { user: { id: from, username: 'ada' } },
      data: {
        name: 'latchkey',
        options: [
          { type: 1, name: 'kudos', options: Object.entries(options).map(([name, value]) => ({ name, value })) },
        ],
      },
    });
    const { flags, allowed_mentions } = Object(data);
    return { kind, content: shownText(Object(data)), isPrivate: flags === (64 | 32_768), pings: allowed_mentions };
  };

  test('is a command that Discord accepts, with a choice of kinds', async () => {
    await d.services.discord?.setCommands(discordCommands);
    const [{ options = [] } = {}] = discordCommands as [{ options?: { name: string; options?: unknown }[] }];
    assert.match(JSON.stringify(options.find(({ name }) => name === 'kudos')), /"choices":\[\{"name":"thanks"/);
  });

  test('thanks another member in the channel, pings no one, and reports errors privately', async () => {
    const { guildId } = await addGuild(d);
    const [ada, bob] = [d.emulator.addMember(guildId), d.emulator.addMember(guildId)].map(({ user }) => user.id);
    const thanks = { user: bob ?? '', type: 'helpful', text: 'For the fish, @everyone' };
    const reply = await type(guildId, ada ?? '', thanks);
    assert.deepEqual([reply.kind, reply.isPrivate, reply.pings], [4, false, { parse: [] }]);
    assert.equal(reply.content, `<@${ada}> gives <@${bob}> kudos (helpful): For the fish, @everyone`);
    const kept = await checkUserReceivedOrSentKudos(d.as(operator), { userId: bob ?? '', type: 'helpful' });
    assert.equal(kept.count, 1);
    const self = await type(guildId, ada ?? '', { ...thanks, user: ada ?? '' });
    assert.deepEqual([self.isPrivate, self.content], [true, 'You cannot give kudos to yourself.']);
    const stranger = await type(guildId, ada ?? '', { ...thanks, user: '999999999999999999' });
    assert.match(stranger.content, /Member not found/i);
    assert.match(
      (await type(guildId, ada ?? '', { ...thanks, user: d.emulator.application.id })).content,
      /to a bot|not found/i,
    );
    for (let left = 4; left > 0; left -= 1) assert.equal((await type(guildId, ada ?? '', thanks)).isPrivate, false);
    assert.match((await type(guildId, ada ?? '', thanks)).content, /5 times a day/);
  });
});
