import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { shownText } from '@latchkey/emulators/discord';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { createRule } from '../../gating/community-rules/index.ts';
import { syncMembersNow } from '../../gating/role-changes/index.ts';
import { contextFor } from '../../shared/context.ts';
import { discordCommands, personalCommands } from './commands.ts';
import { handleInteraction } from './handle-interaction.ts';

describe('the command my-roles, anywhere in Discord', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('my-roles-anywhere', { isQuick: true });
  });
  after(() => d.close());

  let asked = 90_000;
  async function ask(userId: string, where: { guild_id?: string } = {}, command: object = {}): Promise<string> {
    asked += 1;
    const person = { id: userId, username: 'ada' };
    const { type, data } = await handleInteraction(d.services, {
      id: String(asked),
      application_id: d.emulator.application.id,
      token: 'a-token',
      type: 2,
      data: { name: 'my-roles', ...command },
      ...(where.guild_id === undefined ? { user: person } : { ...where, member: { user: person } }),
    });
    assert.equal(type, 4);
    assert.equal(Object(data).flags, 64 | 32_768, 'only the member sees it');
    return shownText(Object(data));
  }

  test('shows the roles of rules in every server, in private and in servers without the bot', async () => {
    const guild = await addGuild(d);
    const body = { type: 'ERC20', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: guild.whale };
    await createRule(d.as(guild.owner), { id: guild.id, body });
    const other = d.emulator.createRole(guild.guildId, { name: 'By hand' }).id;
    const { user } = d.emulator.addMember(guild.guildId, { name: 'ada', roles: [guild.whale, other] });
    assert.match(await ask(user.id), /^You have no roles by rules/, 'not seen yet');
    const community = await selectCommunity(d.services.db.system, guild.id);
    assert.ok(community);
    await syncMembersNow(contextFor(d.services, { kind: 'system', job: 'test' }), community);
    const text = await ask(user.id);
    assert.match(text, /^• \*\*Cats\*\*: Whale\n/);
    assert.match(text, /\/console\/me\/roles$/);
    assert.equal(await ask(user.id, { guild_id: '123456789012345678' }), text);
    assert.match(await ask('555'), /^You have no roles by rules/);
    const ofServer = { guild_id: guild.guildId };
    assert.equal(await ask(user.id, ofServer, ofServer), 'Unknown command.', 'of a mini-app that is gone');
  });

  test('is registered only where people may add the app to their account', async () => {
    const { application } = d.emulator;
    const names = () => [...(application.commands.get('')?.values() ?? [])].map(({ fields }) => fields.name);
    await d.services.discord?.setCommands(discordCommands, personalCommands);
    assert.deepEqual(names(), ['latchkey']);
    application.isPersonal = true;
    await d.services.discord?.setCommands(discordCommands, personalCommands);
    assert.deepEqual(names(), ['latchkey', 'my-roles']);
    application.isPersonal = false;
  });
});
