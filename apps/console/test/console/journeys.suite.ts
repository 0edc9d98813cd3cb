import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { contextFor, createConnectLink, takeDiscordEvent, userKey } from '@latchkey/core';
import type { DiscordEvent } from '@latchkey/core/ports';
import { sql } from '@latchkey/db';
import { fillGuild, type GatedGuild, gateGuild, giveWallets, holdersOf } from '@latchkey/server/testing/gated-world';
import { until } from '@latchkey/test-kit';
import type { Locator } from 'playwright-core';
import { getAddress } from 'viem';
import { openPage } from '../harness/browser.ts';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';
import { filledLike } from '../harness/filled-like.ts';
import { freshEach } from '../harness/fresh-world.ts';
import { usualMethods, ways } from '../harness/hands.ts';

const rights = ['VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS'] as const;
const losers = 25;

/** What admins come for, from the first page to the last, on an emulator of Discord and a development chain. */
export function journeysSuite(shared: () => ConsoleWorld): void {
  const world = freshEach(shared);
  for (const [number, [way, handsOf]] of ways.entries())
    test(`a new community comes from the first page to a gated role, ${way}`, async (t) => {
      const { server, discord, chain } = world();
      const members = someAddresses(3, 500 + number * 10).map((address) => ({ address }));
      await chain.mintCoins(
        members.map(({ address }) => address),
        10n ** 18n,
      );
      const guild = discord.createGuild({ name: 'Birds', bot: false });
      const people = members.map(({ address }) => ({ userId: discord.addMember(guild.id).user.id, address }));
      await giveWallets(server.services, { members: people });
      await using opened = await openConsole(world(), {
        as: await asPerson(world(), userKey('discord', guild.ownerId)),
        expectsRefusals: true,
      });
      const { page, faults } = opened;
      const hands = handsOf(page);
      await hands.press(page.getByRole('link', { name: 'Add a community' }).first());
      await hands.press(page.getByRole('button', { name: 'Discord' }));
      await page.context().route(
        ({ origin }) => origin !== server.url,
        (route) => route.fulfill({ body: 'Discord asks whether the bot may join.' }),
      );
      const discordPage = page.waitForEvent('popup');
      await hands.press(page.getByRole('link', { name: 'Add to Discord' }));
      await (await discordPage).close();
      const botRole = discord.addBot(guild.id, [...rights]);
      const use = page.getByRole('button', { name: 'Use this server: Birds' });
      const joined = { guildId: guild.id, name: 'Birds', ownerId: guild.ownerId };
      await announceUntil(use, { kind: 'guild-joined', ...joined });
      await hands.press(use);

      await page.getByText('Roles cannot be given yet').waitFor();
      discord.setPermissions(guild.id, botRole.id, ['MANAGE_ROLES', 'MANAGE_CHANNELS', ...rights]);
      const create = page.getByLabel('Or create a new role');
      await announceUntil(create, { kind: 'role-updated', guildId: guild.id, roleId: botRole.id });
      await page.getByText('Roles cannot be given yet').waitFor({ state: 'hidden' });
      const post = page.getByRole('button', { name: 'Create the channel and post' });
      await post.waitFor();
      assert.deepEqual(await page.locator('main').evaluate(filledLike, 'Create the channel and post'), [
        'Create the channel and post',
      ]);
      const passed = page.locator('details').filter({ hasText: /\d checks? passed/ });
      assert.ok((await passed.getByRole('listitem', { includeHidden: true }).count()) > 0);
      assert.equal(await passed.getByRole('listitem').count(), 0, 'checks that passed are folded away');
      const before = hands.clicks();
      await hands.press(post);
      const toPost = hands.clicks() - before;
      await page.getByText('Posted in #latchkey-join').waitFor();
      const [channel] = [...guild.channels.values()].filter(({ name }) => name === 'latchkey-join');
      assert.match(JSON.stringify([...(channel?.messages.values() ?? [])]), /latchkey:join/);
      await hands.type(create, 'Holder');
      await hands.press(page.getByRole('button', { name: 'Create role' }));
      const write = page.getByRole('link', { name: 'Write the rule for Holder' });
      await write.waitFor();
      assert.deepEqual(await page.locator('main').evaluate(filledLike, 'Write the rule for Holder'), [
        'Write the rule for Holder',
      ]);
      await hands.press(write);
      // The database knows no token yet: the chain itself says what is at the address, or where a link leads.
      const link = `https://explorer.example/token/${chain.contracts.erc20}`;
      await hands.type(page.getByLabel('Token', { exact: true }), number === 0 ? chain.contracts.erc20 : link);
      await hands.press(page.getByRole('list', { name: 'Tokens found' }).getByRole('button', { name: /Sample Coin/ }));
      await page.getByText(/^To get Holder/).waitFor();
      await hands.press(page.getByRole('button', { name: 'Review and save' }));
      await page.getByRole('dialog').getByText('gain', { exact: true }).waitFor();
      await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Save rule' }));
      await page.getByRole('heading', { name: 'New rule: 3 members gain Holder' }).waitFor();
      await page.getByText('3 written').waitFor();

      const [role] = [...guild.roles.values()].filter(({ name }) => name === 'Holder');
      for (const { userId } of people) assert.ok(guild.members.get(userId)?.roles.has(role?.id ?? ''));
      // The role is gated without the join button too.
      assert.ok(hands.clicks() - toPost < 12, `${hands.clicks()} clicks`);
      assert.ok(hands.seconds() < 5 * 60, `${hands.seconds()} seconds`);
      t.diagnostic(`${hands.clicks()} clicks, ${hands.seconds()} seconds of a person`);
      assert.deepEqual(faults, []);
    });

  /** Lets the gateway of Discord say something until a page that listens shows it: its line may not be up yet. */
  async function announceUntil(shown: Locator, event: DiscordEvent): Promise<void> {
    await until(`the page shows ${shown}`, async () => {
      await takeDiscordEvent(world().server.services, event);
      return shown.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
  }

  let guild: GatedGuild;
  const roleId = () => guild.roleIds[0] ?? '';
  const gated = () => `/communities/${encodeURIComponent(guild.communityId)}`;
  /** A community whose members have the role, for journeys that begin there. */
  const gateMembers = async () => {
    const { server, chain, discord } = world();
    guild = fillGuild(discord, someAddresses(losers, 600), 1);
    await chain.mintCoins(
      guild.members.map(({ address }) => address),
      10n ** 19n,
    );
    const { chainId, contracts } = chain;
    const rule = { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId: roleId() };
    await gateGuild(server.services, guild, [{ name: 'Coin holders', ...rule }]);
    await until('all members have the role', () => holdersOf(discord, guild, roleId()).length === losers);
  };

  /** Puts on record that all members had the role two days ago as well. */
  async function recordThePast(): Promise<void> {
    const { system } = world().server.services.db;
    await until('all of it is on record', async () => {
      const { rows } = await sql`select from role_ledger`.execute(system);
      return rows.length === losers;
    });
    await sql`
      insert into role_ledger (community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks)
      select community_id, user_id, role_id, action, at - interval '2 days', change_set_id || '-before', is_automatic, reason,
        blocks from role_ledger`.execute(system);
  }

  for (const [way, handsOf] of usualMethods)
    test(`on a bad day no member loses a role: the change is held, looked at and rejected, ${way}`, async () => {
      await gateMembers();
      await recordThePast();
      await using opened = await openConsole(world(), {
        as: await asPerson(world(), userKey('discord', '1')),
        path: `${gated()}/rules`,
        expectsRefusals: true,
      });
      const { page, faults } = opened;
      const hands = handsOf(page);
      const dialog = page.getByRole('dialog');
      const losing = holdersOf(world().discord, guild, roleId()).length;
      await hands.press(page.getByRole('link', { name: /Coin holders/ }));
      await page.getByText(/\d members have this role now\./).waitFor();
      await hands.type(page.getByLabel('At least'), way === 'by mouse' ? '1000' : '2000');
      await hands.press(page.getByRole('button', { name: 'Review and save' }));
      await dialog.getByText(`${losing} members would lose the role`).waitFor();
      await hands.press(dialog.getByRole('button', { name: `Save: ${losing} would lose the role` }));
      // A menu that is opened before the page has changed closes with it.
      await page.waitForURL(/\/role-changes\/./);
      await page.getByText('Why this needs approval').waitFor();

      await hands.press(page.getByRole('button', { name: /^\d+ things? waits? for you$/ }));
      await hands.press(
        page
          .getByRole('menuitem')
          .filter({ hasText: String(losing) })
          .first(),
      );
      await page.getByText('Why this needs approval').waitFor();
      await page
        .getByText(/needs at least [12],000/)
        .first()
        .waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Coin holders' }).waitFor();
      await page
        .getByText(/^The rule "Coin holders" needs at least [12],000/)
        .first()
        .waitFor();
      // The list, the rule and every member.
      assert.equal(await page.getByRole('main').getByRole('link', { name: /\S/ }).count(), losing + 2);
      await hands.press(page.getByRole('button', { name: 'Reject', exact: true }));
      await hands.press(dialog.getByRole('button', { name: 'Reject', exact: true }));
      await page.getByText(/^Rejected by/).waitFor();

      const loser = (await page.getByRole('main').getByRole('link').nth(2).textContent()) ?? '';
      const go = (place: string) =>
        hands.press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: place, exact: true }));
      await go('Overview');
      await page.getByText(/^The role changes were rejected by 1$/).waitFor();
      await go('Rules');
      await hands.press(page.getByRole('link', { name: /Coin holders/ }));
      await hands.press(page.getByRole('tab', { name: 'History' }));
      await page.getByText(/^Changed by/).waitFor();
      await page
        .getByText(/at least [12],000/)
        .first()
        .waitFor();

      await go('Members');
      await hands.type(page.getByRole('searchbox', { name: 'Search members' }), loser);
      await hands.press(page.getByRole('main').getByRole('link', { name: loser, exact: true }).first());
      await page.getByRole('heading', { name: 'Progress' }).waitFor();
      // Of whichever check was the last: opening the held change set may have led to another one, which changed nothing.
      await page
        .getByText(/Checked at block [\d.,]+ of/)
        .first()
        .waitFor();
      await hands.press(page.getByRole('button', { name: /^Show every condition/ }).first());
      await page
        .getByText(/block \d+ of/)
        .first()
        .waitFor();
      assert.equal(holdersOf(world().discord, guild, roleId()).length, losing);
      await hands.press(page.getByRole('radio', { name: 'As of …' }));
      await page.getByText('Had it', { exact: true }).waitFor();
      // Who is checked by hand is judged by the rule as it stands.
      await hands.press(page.getByRole('button', { name: 'Check now' }));
      await page.getByText('Checked. Changes appear under').waitFor();
      await until('the member loses it', () => holdersOf(world().discord, guild, roleId()).length === losing - 1);
      assert.deepEqual(faults, []);
    });

  for (const [way, handsOf] of usualMethods)
    test(`a member comes from the link of the bot to a role on a phone, ${way}`, async () => {
      await gateMembers();
      const { server, browser, discord, chain } = world();
      const { id } = discord.addMember(guild.id, { name: 'ann' }).user;
      const joined = { guildId: guild.id, userId: id, userName: 'ann', roleIds: [], isBot: false };
      await takeDiscordEvent(server.services, { kind: 'member-joined', ...joined });
      const person = { userId: userKey('discord', id), platform: 'discord', name: 'ann' };
      const bot = contextFor(server.services, { kind: 'system', job: 'test' });
      const link = await createConnectLink(bot, person, { communityId: guild.communityId, withPasskeys: true });
      await using opened = await openPage(browser, { viewport: { width: 390, height: 800 }, expectsRefusals: true });
      const { page, faults } = opened;
      const hands = handsOf(page);
      const wallet = await giveEvmWallet(page);
      await chain.mintCoins([getAddress(wallet.address)], 10n ** 23n);
      await page.goto(link.url);
      await hands.press(page.getByRole('button', { name: 'Test Fox' }));
      await page.getByText('You have it').waitFor();
      await page.getByText(/Checked at block [\d.,]+ of/).waitFor();
      await page.getByText('Seen in Discord').waitFor();
      assert.ok(
        discord
          .getGuild(guild.id)
          .members.get(id)
          ?.roles.has(guild.roleIds[0] ?? ''),
      );
      await page.getByRole('link', { name: /^Back to/ }).waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      assert.deepEqual(faults, []);
    });

  for (const [way, handsOf] of usualMethods)
    test(`groups of conditions are nested, and each counts in its own way, ${way}`, async () => {
      await gateMembers();
      await using opened = await openConsole(world(), {
        as: asOperator(world()),
        path: `${gated()}/rules/new?role=${roleId()}`,
        expectsRefusals: true,
      });
      const { page, faults } = opened;
      const hands = handsOf(page);
      const kind = page.getByRole('combobox', { name: 'What this condition asks for' });
      const counts = page.getByRole('combobox', { name: 'How these conditions count' });
      const addGroup = page.getByRole('button', { name: 'Add group' });
      await hands.choose(kind, 'POAP attendance');
      await hands.type(page.getByLabel('POAP drops'), '1');
      await hands.press(page.getByRole('button', { name: 'Add condition' }));
      await hands.choose(kind.nth(1), 'Staked MOCA');
      await hands.choose(counts.first(), 'At least some of these');
      await hands.type(page.getByLabel('How many must be met'), '2');
      // The buttons of a group stand below its cards, so that the outermost ones are last.
      await hands.press(addGroup.last());
      await hands.choose(kind.nth(2), 'Staked MOCA');
      await hands.press(addGroup.last());
      await hands.choose(kind.nth(3), 'POAP attendance');
      await hands.choose(counts.nth(2), 'None of these');
      await hands.press(addGroup.nth(1));
      await hands.choose(kind.nth(4), 'Staked MOCA');
      await hands.choose(counts.nth(3), 'All of these');
      await hands.press(page.getByRole('button', { name: 'Undo' }));
      await page.getByRole('region', { name: 'All of these' }).waitFor({ state: 'detached' });
      await hands.press(page.getByRole('button', { name: 'Redo' }));
      await page.getByRole('region', { name: 'All of these' }).waitFor();
      await hands.press(page.getByRole('tab', { name: 'JSON' }));
      const { variables } = JSON.parse(await page.getByLabel('The rule as JSON').inputValue());
      assert.deepEqual(kindsIn(variables.rule), {
        atLeast: 2,
        of: ['POAP', 'MOCA', { or: ['MOCA'] }, { not: { or: ['POAP', { and: ['MOCA'] }] } }],
      });
      assert.deepEqual(faults, []);
    });
}

/** The groups of a rule as they are nested, with the kind of each condition in its place. */
function kindsIn(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(kindsIn);
  if (typeof part !== 'object' || part === null) return part;
  if ('type' in part) return part.type;
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, kindsIn(inner)]));
}
