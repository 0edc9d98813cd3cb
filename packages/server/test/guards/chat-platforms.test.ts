import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { communityKey, parseCommunityKey } from '@latchkey/core';
import { discordPermissions } from '@latchkey/core/ports';
import { type TestPlatform, testPlatform } from '@latchkey/core/testing';
import {
  type ChatPlatform,
  chatPlatforms,
  isAble,
  type PlatformAbility,
  platformAbilities,
  platformNames,
} from '@latchkey/kernel';
import { sql } from 'kysely';
import { composePlatforms } from '../../src/compose/platforms.ts';
import { readConfig, variables } from '../../src/config.ts';

const rows: [name: (typeof platformNames)[number], row: ChatPlatform][] = platformNames.map((name) => [
  name,
  chatPlatforms[name],
]);
const page = readFileSync(new URL('../../../../docs/platforms.md', import.meta.url), 'utf8');

describe('every row of the table of chat platforms', () => {
  let base: TestPlatform;
  before(async () => {
    base = await testPlatform();
  });
  after(() => base.close());

  /** Values of settings with a form, and the other half of those that need one. */
  const samples: Readonly<Record<string, string>> = {
    LATCHKEY_DISCORD_CLIENT_ID: '112233445566778899',
    LATCHKEY_DISCORD_BOT_TOKEN: 'a.bot.token',
    LATCHKEY_TELEGRAM_BOT_TOKEN: '1:token',
  };
  const composeWith = (settings: readonly string[]) =>
    composePlatforms(
      readConfig(
        Object.fromEntries(
          settings.map((name) => [name, samples[name] ?? (name.endsWith('_URL') ? 'https://x.test' : 'x')]),
        ),
      ),
      base.services,
      {
        owner: 'test',
      },
    );

  test('is composed from its settings: a host for its bot, and a login method', async () => {
    for (const [name, { settings }] of rows) {
      for (const setting of [...settings.bot, ...settings.login]) assert.ok(Object.hasOwn(variables, setting), setting);
      assert.equal((await composeWith(settings.bot)).hosts[name]?.platform, name);
      assert.ok((await composeWith(settings.login)).identityProviders[name], name);
    }
    const none = await composeWith([]);
    assert.deepEqual([none.hosts, none.identityProviders], [{}, {}]);
  });

  test('is a platform in the database, which has no other', async () => {
    const { rows: checks } = await sql<{ tab: string; text: string }>`
      select conrelid::regclass::text as tab, pg_get_constraintdef(oid) as text from pg_constraint
      where contype = 'c' and conname in ('communities_platform_check', 'platform_logins_method_check') order by 1
    `.execute(base.services.db.system);
    assert.deepEqual(
      checks.map(({ tab, text }) => [tab, [...text.matchAll(/'(\w+)'::text/g)].map(([, name]) => name)]),
      ['communities', 'platform_logins'].map((tab) => [tab, [...platformNames]]),
    );
  });

  test('is identified by its ids', () => {
    for (const [name, { ids }] of rows) {
      const communityId = ids === undefined ? 'x' : '!x:chat.test';
      assert.deepEqual(parseCommunityKey(communityKey(name, communityId)), { platform: name, communityId });
      for (const wrong of ['', 'a#b', '!x y', 'x'.repeat(200)])
        assert.equal(parseCommunityKey(communityKey(name, wrong)), undefined, wrong);
    }
  });

  test('has the permissions on the page that the bot asks for on Discord, and the link with exactly these', () => {
    const asked = Object.entries(chatPlatforms.discord.botPermissions).map(([name, reason]) => ({
      bit: discordPermissions[name as keyof typeof discordPermissions],
      title: name.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
      reason,
    }));
    const link = asked.reduce((sum, { bit }) => sum | bit, 0n);
    assert.deepEqual(
      [...page.matchAll(/[?&]permissions=(\d+)/g)].map(([, bits]) => bits),
      [String(link)],
    );
    const section = page.slice(page.indexOf('## Discord'), page.indexOf('## Telegram'));
    const listed = [...section.matchAll(/^ +\| ([A-Z][^|]*) \| (\d+) \| (.*) \|$/gm)].map(([, title, bit, reason]) => ({
      bit: 1n << BigInt(bit ?? 0),
      title,
      reason,
    }));
    assert.deepEqual(listed, asked);
  });

  test('is on the page about platforms, with its ids and what it can do', () => {
    for (const [, { title, prefix }] of rows) {
      assert.match(page, new RegExp(`^## ${title}$`, 'm'));
      assert.ok(page.includes(`\`${prefix}#COMM#`), prefix);
    }
    const abilities = Object.keys(platformAbilities).filter(isAbility);
    const lines = abilities.map((ability) => [
      platformAbilities[ability],
      ...platformNames.map((name) => (isAble(name, ability) ? 'yes' : 'no')),
    ]);
    const head = `| | ${rows.map(([, { title }]) => title).join(' | ')} |\n|${'---|'.repeat(rows.length + 1)}\n`;
    assert.ok(page.includes(head + lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')));
  });
});

function isAbility(name: string): name is PlatformAbility {
  return Object.hasOwn(platformAbilities, name);
}
