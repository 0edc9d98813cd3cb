import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPerson, type ConsolePage, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { findCutOff } from '../harness/look-at.ts';
import { findOverflow } from '../harness/look-at-language.ts';
import { hardNames, type MembersWorld, setUpMembers } from '../harness/members-world.ts';

export function membersSuite(world: () => ConsoleWorld): void {
  let settled = 0;
  async function open(
    path: string,
    width = 1280,
    size?: Parameters<typeof setUpMembers>[2],
  ): Promise<{ opened: ConsolePage; guild: MembersWorld }> {
    settled += 1;
    const guild = await setUpMembers(world(), settled, size);
    const opened = await openConsole(world(), {
      as: await asPerson(world(), guild.adminId),
      path: `/communities/${encodeURIComponent(guild.communityId)}${path.replace('$planId', guild.planId)}`,
      viewport: { width, height: 800 },
      // No chat platform is configured here, which pages say.
      expectsRefusals: true,
    });
    return { opened, guild };
  }

  /** Nothing stands out of the window, whatever people call themselves. */
  async function isNarrow({ page }: ConsolePage): Promise<boolean> {
    return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  }

  test('a member is found among many, and the page tells what they had yesterday and why they lost it', async () => {
    const { opened } = await open('/members');
    await using _closes = opened;
    const { page, faults } = opened;
    await page.getByRole('link', { name: 'member 001' }).waitFor();
    await page.getByRole('button', { name: 'Load more members' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search members' }).fill('BER 042');
    await page.getByRole('link', { name: 'member 001' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'member 042' }).click();
    await page.getByRole('heading', { level: 1, name: 'member 042' }).waitFor();
    await page.getByText('Lost the role gold').waitFor();
    await page.getByRole('button', { name: 'Show every condition: Lost the role gold' }).click();
    await page.getByText('Rule “Cat holders”').waitFor();
    await page.getByText('block 77 of Ethereum').waitFor();
    await page.getByText('As of …').click();
    await page.getByText('Had it', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('a filter stands in the address, and says when no member is left', async () => {
    const { opened } = await open('/members?search=%22nobody%20at%20all%22', 390);
    await using _closes = opened;
    const { page, faults } = opened;
    await page.getByText('No members match').waitFor();
    await page.getByRole('button', { name: 'Show all members' }).click();
    await page.getByRole('link', { name: 'member 001' }).waitFor();
    assert.ok(await isNarrow(opened), 'a name of 4,000 letters does not widen the page');
    assert.deepEqual(faults, []);
  });

  test('a member whose roles were never evaluated is not checked yet, in the list and on their page', async () => {
    const { opened, guild } = await open('/passes');
    await using _closes = opened;
    const { page, faults, goTo } = opened;
    await world().server.services.db.pool.query(
      `update community_members set checked_at = null where community_id = $1 and user_name = 'member 003'`,
      [guild.communityId],
    );
    await goTo(`/communities/${encodeURIComponent(guild.communityId)}/members?search=%22member%20003%22`);
    await page.getByText('Not checked yet').waitFor();
    await page.getByRole('link', { name: 'member 003' }).click();
    await page.getByRole('heading', { level: 1, name: 'member 003' }).waitFor();
    await page.getByText('Not checked yet').waitFor();
    assert.deepEqual(faults, []);
  });

  test('a held plan shows names and reasons on a phone, is rejected, and names the admin who did it', async () => {
    const { opened } = await open('/role-changes', 390);
    await using _closes = opened;
    const { page, faults } = opened;
    await page.getByRole('link', { name: '25 roles to remove' }).click();
    // Six lost it an hour ago, which counts too.
    await page.getByText('31 of 126 members with the role gold').waitFor();
    await page.getByRole('link', { name: 'member 001' }).waitFor();
    await page
      .getByText(/The rule "Cat holders" needs at least 5/)
      .first()
      .waitFor();
    assert.ok(await isNarrow(opened));
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/^Rejected by/).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a phone shows 10,000 members page by page, finds any of them, and fits whatever they call themselves', async () => {
    const { opened, guild } = await open('/members', 390, { members: 10_000, removals: 2_500 });
    await using _closes = opened;
    const { page, faults, goTo } = opened;
    const rows = page.getByRole('main').getByRole('listitem');
    const memberLinks = page.getByRole('link', { name: /^member \d{5}$/ });
    await page.getByRole('link', { name: 'member 00001' }).waitFor();
    assert.ok((await rows.count()) <= 60, 'the list begins with one page');
    await page.getByRole('button', { name: 'Load more members' }).click();
    await page.getByRole('link', { name: 'member 00070' }).waitFor();
    assert.ok((await rows.count()) <= 110);
    assert.deepEqual(await findCutOff(page), []);
    const search = page.getByRole('searchbox', { name: 'Search members' });
    for (const [typed, name] of [
      ['BER 09999', 'member 09999'],
      ['longest name', hardNames.long],
      ['القطط السعيدة', hardNames.rightToLeft],
      ['👩‍👩‍👧‍👦', hardNames.emoji],
      ['<b>bold', hardNames.html],
    ] as const) {
      await search.fill(typed);
      await page.getByRole('link', { name, exact: true }).waitFor();
      await page.getByRole('link', { name: 'member 00001' }).waitFor({ state: 'detached' });
      assert.ok(await isNarrow(opened), name);
      assert.deepEqual(await findCutOff(page), [], name);
      await page.getByRole('link', { name, exact: true }).click();
      // A title shortens what is longer than a line; one family of emoji is 11 units long.
      await page
        .getByRole('heading', { level: 1 })
        .filter({ hasText: name.slice(0, 11) })
        .waitFor();
      assert.ok(await isNarrow(opened), `the page of ${name}`);
      assert.deepEqual([...(await findCutOff(page)), ...(await findOverflow(page))], [], `the page of ${name}`);
      await page.goBack();
      await search.waitFor();
    }
    assert.equal(await page.locator('main b', { hasText: 'bold' }).count(), 0, 'a name is text');
    await goTo(`/communities/${encodeURIComponent(guild.communityId)}/role-changes`);
    await page.getByRole('link', { name: '2,500 roles to remove' }).click();
    await page.getByText('2,506 of 10,006 members with the role gold').waitFor();
    await memberLinks.first().waitFor();
    assert.ok((await memberLinks.count()) <= 100, 'the page does not show 2,500 members at once');
    // Its search loads the pages that follow.
    await page.getByRole('searchbox', { name: 'Search members' }).fill('longest name');
    await page.getByRole('link', { name: hardNames.long.slice(0, 40) }).waitFor();
    await page.getByRole('link', { name: 'member 00001' }).waitFor({ state: 'detached' });
    assert.ok(await isNarrow(opened), 'the change set');
    assert.deepEqual([...(await findCutOff(page)), ...(await findOverflow(page))], [], 'the change set');
    assert.deepEqual(faults, []);
  });

  test('charts have a table for those who cannot see them', async () => {
    const { opened } = await open('/analytics');
    await using _closes = opened;
    const { page, faults } = opened;
    const table = page.getByRole('table', { name: 'Roles given and taken' });
    await table.waitFor();
    const cells = await table.getByRole('cell').allTextContents();
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell), 0),
      12,
    );
    await page.getByRole('table', { name: 'Holders of gold' }).waitFor();
    assert.deepEqual(faults, []);
  });
}
