import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { contextFor, createCommunity, noteMember } from '@latchkey/core';
import { until } from '@latchkey/test-kit';
import { openPage } from '../harness/browser.ts';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { giveEvmWallet } from '../harness/evm-wallet.ts';
import { carryOver, readCode } from '../harness/handoff.ts';
import { samplePicture } from '../harness/sample-pages.ts';

/** What members do: sign in from a phone, link wallets, see their roles, take their data along and leave. */
export function memberSuite(world: () => ConsoleWorld): void {
  test('sign in with a wallet that is in another browser', async () => {
    await using opened = await openConsole(world(), { expectsRefusals: true });
    await using other = await openPage(world().browser);
    const { page } = opened;
    const link = await carryOver(page);
    await giveEvmWallet(other.page);
    await other.page.goto(link);
    await other.page.getByText('If you did not, close this page').waitFor();
    await other.page.getByRole('button', { name: 'Test Fox' }).click();
    await page.getByLabel('Code from the other browser').fill(await readCode(other.page));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'My roles' }).waitFor();
    assert.deepEqual([...opened.faults, ...other.faults], []);
  });

  test('link a wallet on their account page, see their session and unlink the wallet', async () => {
    await using opened = await openConsole(world(), { as: await asPerson(world(), 'DIS#USER#910'), path: '/me' });
    const { page, faults } = opened;
    const wallet = await giveEvmWallet(page);
    await page.reload();
    await page.getByText('No wallets linked yet').waitFor();
    await page.getByRole('button', { name: 'Link a wallet' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link a wallet' });
    await dialog.getByRole('button', { name: 'Test Fox' }).click();
    await dialog.getByText('is linked.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `Unlink ${wallet.address}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink wallet' }).click();
    await page.getByText('No wallets linked yet').waitFor();
    await page.getByText('This one').waitFor();
    assert.deepEqual(faults, []);
  });

  test('connect linked roles, see what Discord receives, and disconnect', async () => {
    const { discord, server } = world();
    discord.application.redirectUris.add(`${server.url}/console/me/linked-roles`);
    const { id } = discord.createUser('linked <b>ann</b>');
    const sent = () => discord.application.roleConnections.get(id)?.metadata;
    await using admin = await openConsole(world(), { as: asOperator(world()), path: '/operator/linked-roles' });
    await admin.page.getByRole('button', { name: 'Register with Discord' }).click();
    await admin.page.getByText('Registered with Discord').waitFor();
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), `DIS#USER#${id}`),
      path: '/me/linked-roles',
    });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Connect with Discord' }).click();
    await page.waitForURL(({ pathname }) => pathname.endsWith('/oauth2/authorize'));
    await page.goto(`${page.url()}&emulator_user=${id}`);
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    assert.ok(!page.url().includes('code='), 'the code stays neither in the address nor in the history');
    await page.getByText('Discord was updated').waitFor();
    assert.deepEqual(sent(), { wallets: '0', roles: '0', communities: '0' });
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    await until('Discord knows nothing any more', () => Object.keys(sent() ?? { any: '' }).length === 0);
    const elsewhere = new URL(discord.url).host;
    assert.deepEqual([...faults.filter((fault) => !fault.includes(elsewhere)), ...admin.faults], []);
  });

  test('see their communities, or what to do to get into one', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#911'),
      path: '/me/roles',
      expectsRefusals: true,
    });
    const { page, faults, goTo } = opened;
    await page.getByText('You are not in any community yet').waitFor();
    const { services } = world().server;
    const system = contextFor(services, { kind: 'system', job: 'test' });
    const name = `Cat <b>Club</b> \u202eيمين ${'W'.repeat(160)}`;
    await createCommunity(system, { body: { platform: 'discord', communityId: '4911', name } });
    await keepPicture('DIS#COMM#4911');
    await noteMember(services, 'discord', '4911', '911', { kind: 'joined', userName: 'Ann', roleIds: [] });
    await goTo('/me/roles');
    await page.getByRole('heading', { name, exact: true }).waitFor();
    // No bot runs here: that is said, and nothing spins for ever.
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    const picture = page.locator('img[src^="/pictures/"]');
    await until('the picture is shown', () =>
      picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 1),
    );
    const answer = await page.request.get(new URL((await picture.getAttribute('src')) ?? '', page.url()).href);
    const { 'content-type': type, 'content-security-policy': policy, ...headers } = answer.headers();
    assert.deepEqual([type, headers['x-content-type-options']], ['image/png', 'nosniff']);
    assert.match(policy ?? '', /default-src 'none'.*sandbox/);
    const mark = await page.getByRole('region', { name }).locator('svg').first().innerHTML();
    await page.setViewportSize({ width: 390, height: 800 });
    const [needed = 0, given = 0] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    assert.ok(needed <= given, `${needed} does not fit into ${given}`);
    await goTo('/communities/new');
    const marks = ['Discord', 'Telegram', 'Reddit', 'Matrix'].map((platform) =>
      page
        .getByRole('button', { name: new RegExp(`^${platform}`) })
        .locator('svg')
        .innerHTML(),
    );
    const drawn = await Promise.all(marks);
    assert.equal(new Set(drawn).size, 4, 'each platform has its icon');
    assert.equal(mark, drawn[0], 'a community on Discord has the icon of Discord');
    assert.deepEqual(faults, []);
  });

  /** As it is kept when the platform has shown it. */
  async function keepPicture(communityId: string): Promise<void> {
    const bytes = Buffer.from(samplePicture.split(',')[1] ?? '', 'base64');
    const kept = {
      version: 'v1',
      digest: hash('sha256', bytes),
      type: 'image/png',
      bytes,
      checked_at: new Date(),
    } as const;
    await world()
      .server.services.db.system.insertInto('community_pictures')
      .values({ community_id: communityId, ...kept })
      // A worker may have asked for it already.
      .onConflict((conflict) => conflict.column('community_id').doUpdateSet(kept))
      .execute();
  }

  test('take their data along, and erase themselves', async () => {
    await using opened = await openConsole(world(), {
      as: await asPerson(world(), 'DIS#USER#912'),
      path: '/me',
      expectsRefusals: true,
    });
    const { page, faults } = opened;
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    const data = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    assert.equal(data.account, 'DIS#USER#912');
    assert.ok(Array.isArray(data.data.sessions));
    await page.getByRole('button', { name: 'Erase my account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase your account?' });
    await dialog.getByLabel('Type erase to continue').fill('erase');
    await dialog.getByRole('button', { name: 'Erase my account' }).click();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    assert.deepEqual(faults, []);
  });
}
