import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { userKey } from '@latchkey/core';
import { communitiesIn } from '../harness/communities.ts';
import { asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { findViolations } from '../harness/look-at.ts';

/** What admins do about other ways to their roles, and the way that Latchkey offers itself. */
export function securitySuite(world: () => ConsoleWorld): void {
  const { newCommunity } = communitiesIn(world);
  const everything = ['MANAGE_ROLES', 'MANAGE_GUILD', 'VIEW_AUDIT_LOG', 'VIEW_CHANNEL', 'SEND_MESSAGES'] as const;

  /** A community with a rule for the role Whale, below the bot. */
  async function gated(name: string, bot: Parameters<ConsoleWorld['discord']['setPermissions']>[2] = everything) {
    const { discord, server, chain } = world();
    const made = await newCommunity(name);
    const { guild, owner, path } = made;
    const whale = discord.createRole(guild.id, { name: 'Whale', color: 0x3498db });
    const own = [...guild.roles.values()].find(({ botId }) => botId === discord.application.bot.id)?.id ?? '';
    discord.moveRole(guild.id, own, 9);
    discord.setPermissions(guild.id, own, bot);
    const { chainId, contracts } = chain;
    const answer = await server.request('POST', `${path}/tpcs`, {
      headers: { authorization: await server.aeToken(owner) },
      json: { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId: whale.id },
    });
    assert.equal(answer.status, 200, answer.text);
    return { ...made, whale: whale.id };
  }

  test('lists the ways around the rules, closes an invite and marks a bot as expected', async () => {
    const { discord } = world();
    const { guild, owner, path, whale } = await gated('Foxes');
    const invite = discord.createInvite(guild.id, { roleIds: [whale], maxUses: 25 });
    discord.setOnboarding(guild.id, {
      isEnabled: true,
      prompts: [{ title: 'What brings you here?', options: [{ title: 'I hold a lot', roleIds: [whale] }] }],
    });
    Object.assign(guild.roles.get(whale) ?? {}, { isLinked: true });
    const other = discord.createApplication({ name: 'Carl' });
    discord.moveRole(guild.id, discord.addBot(guild.id, ['MANAGE_ROLES'], other).id, 9);
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/security`,
      bypassCSP: true,
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Check again' }).click();
    for (const title of [
      `Invite ${invite.code} to #general`,
      'Onboarding option “I hold a lot” of “What brings you here?”',
      'Linked role “Whale”',
      'Bot “Carl” with Manage Roles',
    ])
      await page.getByText(title, { exact: true }).waitFor();
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await findViolations(page), [], `${colorScheme}, ${width} wide`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), String(width));
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Delete invite' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete invite' }).click();
    await page.getByText(`Invite ${invite.code} to #general`, { exact: true }).waitFor({ state: 'detached' });
    assert.ok(!discord.getGuild(guild.id).invites.has(invite.code));
    const carl = page.getByRole('listitem').filter({ hasText: 'Bot “Carl”' });
    await carl.getByRole('button', { name: 'Mark as expected' }).click();
    await page.getByRole('dialog').getByLabel('Why it is expected').fill('It welcomes new members.');
    await page.getByRole('dialog').getByRole('button', { name: 'Mark as expected' }).click();
    await carl.getByText('Reason: It welcomes new members.').waitFor();
    assert.deepEqual(faults, []);
  });

  test('an admin turns role invites on, and a holder who is not in the server joins with the role', async () => {
    const { discord, chain, server } = world();
    const { guild, owner, path, whale } = await gated('Owls', ['MANAGE_ROLES', 'VIEW_CHANNEL', 'SEND_MESSAGES']);
    const [channelId = ''] = guild.channels.keys();
    await using admin = await openConsole(world(), {
      as: await asPerson(world(), owner),
      path: `${path}/settings`,
    });
    const channel = admin.page.getByRole('combobox', { name: 'Channel' });
    await channel.click();
    await admin.page.getByRole('option', { name: '#general' }).click();
    await admin.page.getByText(/choose Permissions, add the bot, and allow Manage Channel\./).waitFor();
    const turnOn = admin.page.getByRole('button', { name: 'Turn on role invites' });
    assert.equal(await turnOn.isEnabled(), false);
    const allow = ['VIEW_CHANNEL', 'CREATE_INSTANT_INVITE', 'MANAGE_CHANNELS'] as const;
    discord.setOverwrite(channelId, { userId: discord.application.bot.id }, { allow });
    await admin.page.reload();
    await channel.click();
    await admin.page.getByRole('option', { name: '#general' }).click();
    await turnOn.click();
    const link = await admin.page.getByText(/\/console\/me\/roles\?server=/).textContent();

    const { id } = discord.createUser('holder');
    const [account = '0x'] = someAddresses(1, 7_700);
    await chain.mintCoins([account], 10n ** 18n);
    await server.services.db.pool.query(
      `insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
       values ($1, $2, 'discord', 'evm', $3, now())`,
      [`owl${id}`, userKey('discord', id), account.toLowerCase()],
    );
    await using member = await openConsole(world(), {
      as: await asPerson(world(), userKey('discord', id)),
      path: link?.split('/console').at(-1) ?? '',
      viewport: { width: 390, height: 800 },
    });
    const { page } = member;
    await page.getByRole('heading', { name: 'Join Owls' }).waitFor();
    await page.getByRole('button', { name: 'Get your invite' }).click();
    const invite = await page.getByRole('link', { name: 'Join on Discord' }).getAttribute('href');
    await page.getByText(/^Your invite gives you Whale\./).waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    const joined = discord.acceptInvite(guild.id, invite?.split('/').at(-1) ?? '', { id });
    assert.deepEqual([...joined.roles], [whale]);
    assert.deepEqual([admin.faults, member.faults], [[], []]);
  });
}
