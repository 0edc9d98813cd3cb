import assert from 'node:assert/strict';
import { takeDiscordEvent, userKey } from '@latchkey/core';
import type { ConsoleWorld } from './console.ts';

/** Makes servers on Discord, and communities of them. */
export function communitiesIn(world: () => ConsoleWorld) {
  const emulator = () => world().discord;

  /** A server on Discord that was not added here, and its owner. */
  function newGuild(name: string) {
    const guild = emulator().createGuild({ name, bot: false });
    return { guild, owner: userKey('discord', guild.ownerId) };
  }

  async function letBotIn(guildId: string, name: string, ownerId: string) {
    emulator().addBot(guildId, ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS']);
    await takeDiscordEvent(world().server.services, { kind: 'guild-joined', guildId, name, ownerId });
  }

  /** A community that its owner has added. */
  async function newCommunity(name: string) {
    const { guild, owner } = newGuild(name);
    await letBotIn(guild.id, name, guild.ownerId);
    const answer = await world().server.request('POST', '/communities', {
      headers: { authorization: await world().server.aeToken(owner) },
      json: { platform: 'discord', communityId: guild.id, name },
    });
    assert.equal(answer.status, 200, answer.text);
    const id: string = answer.json.id;
    return { guild, owner, id, path: `/communities/${encodeURIComponent(id)}` };
  }

  /** A person joins a server, and the bot is told. */
  async function joins(guildId: string, userName: string) {
    const userId = emulator().addMember(guildId, { name: userName }).user.id;
    await takeDiscordEvent(world().server.services, {
      kind: 'member-joined',
      guildId,
      userId,
      userName,
      roleIds: [],
      isBot: false,
    });
  }

  return { newGuild, letBotIn, newCommunity, joins };
}
