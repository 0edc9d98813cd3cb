import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { createCommunity, putMembers } from '@latchkey/core';
import { discordIntents } from '@latchkey/core/ports';
import { operator, type TestPlatform, testPlatform } from '@latchkey/core/testing';
import { readConfig } from '../../config.ts';
import { UsageError } from '../command.ts';
import { discord } from './discord.ts';

describe('the texts for Discord’s review of privileged intents', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('discord-command');
  });
  after(() => t.close());

  async function printed(): Promise<string> {
    const write = mock.method(process.stdout, 'write', () => true);
    try {
      await discord.run(t.as(operator), ['intents'], {}, readConfig({}));
      return write.mock.calls.map(({ arguments: [text] }) => String(text)).join('');
    } finally {
      write.mock.restore();
    }
  }

  test('name what this installation requests, stores and serves', async () => {
    assert.match(await printed(), /It serves 0 Discord servers with 0 members\./);
    const { id = '' } = await createCommunity(t.as(operator), {
      body: { platform: 'discord', communityId: '77', name: 'Cats' },
    });
    const seen = ['1', '2'].map((user) => ({ userId: `DIS#USER#${user}`, roleIds: [] }));
    await putMembers(
      t.services.db.system,
      id,
      [...seen, { userId: 'DIS#USER#3', roleIds: [], isBot: true }],
      t.services.clock(),
    );
    const text = await printed();
    assert.match(text, /It serves 1 Discord server with 2 members\./);
    for (const { title, use, stored } of Object.values(discordIntents))
      for (const part of [title, use, stored]) assert.ok(text.includes(part), part);
    assert.match(text, /Message Content Intent: not requested\./);
    assert.ok(text.includes(t.services.settings.serviceName));
  });

  test('say when and where to apply, also again after a year', async () => {
    const text = await printed();
    assert.match(
      text,
      /This installation knows \d+ members? in its Discord servers; .* once\. Up to 10,000 need no review/,
    );
    assert.match(text, /Every year: .* within 90 days/);
    const clientId = t.services.settings.discordClientId ?? 'select';
    assert.ok(text.includes(`https://discord.com/developers/applications/${clientId}/bot`), text);
    const { id = '' } = await createCommunity(t.as(operator), {
      body: { platform: 'discord', communityId: '78', name: 'Dogs' },
    });
    const many = Array.from({ length: 10_001 }, (_, user) => ({ userId: `DIS#USER#${1000 + user}`, roleIds: [] }));
    await putMembers(t.services.db.system, id, many, t.services.clock());
    assert.match(await printed(), /several of them once\. That is more than 10,000: the bot needs Discord’s review\./);
  });

  test('need the subcommand', async () => {
    await assert.rejects(async () => discord.run(t.as(operator), ['other'], {}, readConfig({})), UsageError);
  });
});
