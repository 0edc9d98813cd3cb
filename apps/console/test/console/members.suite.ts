import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPerson, type ConsolePage, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { type MembersWorld, setUpMembers } from '../harness/members-world.ts';

export function membersSuite(world: () => ConsoleWorld): void {
  let settled = 0;
  async function open(path: string, width = 1280): Promise<{ opened: ConsolePage; guild: MembersWorld }> {
    settled += 1;
    const guild = await setUpMembers(world(), settled);
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
    await page.getByText('25 of 120 members with the role gold').waitFor();
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
