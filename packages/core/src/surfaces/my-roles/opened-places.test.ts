import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { addGuild, type DiscordPlatform, discordPlatform } from '../../communities/discord-guilds/testing.ts';
import { readOpenedPlaces } from './opened-places.ts';

describe('what roles open', () => {
  let d: DiscordPlatform;
  before(async () => {
    d = await discordPlatform('opened-places', { isQuick: true });
  });
  after(() => d.close());

  test('is what members see on Discord with the role and not without it, and nothing while Discord is down', async () => {
    const { id, guildId, holder, whale, owner } = await addGuild(d);
    const close = (name: string) => {
      const channel = d.emulator.createChannel(guildId, { name });
      d.emulator.setOverwrite(channel.id, { roleId: guildId }, { deny: ['VIEW_CHANNEL'] });
      return channel.id;
    };
    d.emulator.setOverwrite(close('vault'), { roleId: holder }, { allow: ['VIEW_CHANNEL'] });
    d.emulator.setOverwrite(close('deep-vault'), { roleId: whale }, { allow: ['VIEW_CHANNEL'] });
    close('staff');
    const ctx = d.as(owner);
    const community = await selectCommunity(d.services.db.system, id);
    assert.ok(community);
    d.emulator.misbehave({ kind: 'error', status: 500 });
    assert.equal((await readOpenedPlaces(ctx, community)).size, 0);
    d.emulator.behave();
    const places = await readOpenedPlaces(ctx, community);
    assert.deepEqual([places.get(holder), places.get(whale), places.get(guildId)], [['vault'], ['deep-vault'], []]);
    const chat = { ...community, platform: 'telegram', name: 'Dogs' } as const;
    assert.deepEqual([...(await readOpenedPlaces(ctx, chat))], [['member', ['Dogs']]]);
    assert.equal((await readOpenedPlaces(ctx, { ...community, platform: 'reddit' })).size, 0);
  });
});
