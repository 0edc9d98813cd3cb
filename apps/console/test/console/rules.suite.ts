import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { fillGuild, type GatedGuild, gateGuild, holdersOf } from '@latchkey/server/testing/gated-world';
import { until } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { samplePicture } from '../harness/sample-pages.ts';

const members = 12;
const hostile = `<img src=x onerror=alert(1)>\u202e${'W'.repeat(150)}`;

/** Rules on an emulator of Discord and a development chain, by an admin in a browser. */
export function rulesSuite(world: () => ConsoleWorld): void {
  let guild: GatedGuild;
  before(async () => {
    const { server, chain, discord } = world();
    guild = fillGuild(discord, someAddresses(members, 7), 2);
    const addresses = guild.members.map(({ address }) => address);
    await chain.mintCoins(addresses, 10n ** 19n);
    await gateGuild(server.services, guild, [coinRule('1', hostile)]);
    await until('all members have the role', async () => (await countHolders()) === members);
  });

  const roleId = (index = 0) => guild.roleIds[index] ?? '';
  const rulesPath = () => `/communities/${encodeURIComponent(guild.communityId)}/rules`;
  const coinRule = (minToken: string, name: string) => {
    const { chainId, contracts } = world().chain;
    return { name, type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken, roleId: roleId() };
  };
  /** As the console counts them. */
  const countHolders = async () => {
    const { server } = world();
    const path = `/latchkey${rulesPath()}`;
    return (await server.request('GET', path, { headers: asOperator(world()) })).json.items[0]?.holders;
  };
  const open = (path: string, width = 1280) =>
    openConsole(world(), {
      as: asOperator(world()),
      path,
      expectsRefusals: true,
      viewport: { width, height: 900 },
    });
  const sentence = (page: Page) => page.getByLabel('What this rule means').getByText(/^To get/);

  test('a rule edited wrongly says before it is saved which members would lose the role', async () => {
    await using opened = await open(rulesPath(), 390);
    const { page, faults } = opened;
    const row = page.getByRole('link', { name: /Role 0/ });
    await row.getByText(`${members} members`).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await row.click();
    await page.getByLabel('At least').fill('1000');
    await sentence(page).filter({ hasText: 'at least 1,000 ' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${members} members would lose the role`).waitFor();
    await dialog.getByText(/need an admin’s approval/).waitFor();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await page.getByLabel('At least').inputValue(), '1000');
    assert.equal(holdersOf(world().discord, guild, roleId()).length, members);
    assert.deepEqual(faults, []);
  });

  test('of two admins who edit a rule the second is told of the first, and keeps what was typed', async () => {
    await using first = await open(rulesPath());
    await using second = await open(rulesPath());
    for (const { page } of [first, second]) await page.getByRole('link', { name: /Role 0/ }).click();
    await first.page.getByLabel('At least').fill('0.5');
    await second.page.getByLabel('At least').fill('0.7');
    for (const { page } of [first, second]) {
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
      if (page === first.page) await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await second.page.getByText(/changed this rule after you opened it/).waitFor();
    await second.page.getByRole('button', { name: 'Keep editing' }).click();
    assert.equal(await second.page.getByLabel('At least').inputValue(), '0.7');
    await first.page.reload();
    await sentence(first.page).filter({ hasText: 'at least 0.5 ' }).waitFor();
    await first.page.getByLabel('At least').fill('1');
    await first.page.getByRole('button', { name: 'Review and save' }).click();
    await first.page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
    await first.page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.deepEqual([...first.faults, ...second.faults], []);
  });

  test('a rule is built by keyboard from a pasted address, tried on a wallet and saved', async () => {
    await using opened = await open(`${rulesPath()}/new?role=${roleId(1)}`);
    const { page, faults } = opened;
    await page.getByLabel('Token', { exact: true }).fill(world().chain.contracts.erc20);
    await page
      .getByRole('list', { name: 'Tokens found' })
      .getByRole('button', { name: /Sample Coin/ })
      .press('Enter');
    await page.getByLabel('At least').fill('5');
    await sentence(page).filter({ hasText: 'To get Role 1, a member needs at least 5 COIN' }).waitFor();
    await page.getByRole('button', { name: 'Add condition' }).press('Enter');
    await page.getByLabel('Token', { exact: true }).fill(world().chain.contracts.erc721);
    await page
      .getByRole('list', { name: 'Tokens found' })
      .getByRole('button', { name: /Sample Key/ })
      .press('Enter');
    const key = page.getByRole('button', { name: 'Actions for NFT (ERC721)' });
    await key.press('Alt+ArrowUp');
    const order = () =>
      page.locator('[data-card] [data-card]').evaluateAll((cards) => cards.map((card) => card.ariaLabel));
    assert.deepEqual(await order(), ['NFT (ERC721)', 'Token amount (ERC20)']);
    assert.equal(await key.evaluate((button) => button === document.activeElement), true);
    await key.press('Enter');
    await page.getByRole('menuitem', { name: /^Mute/ }).press('Enter');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = JSON.parse(await page.getByLabel('The rule as JSON').inputValue());
    assert.deepEqual(
      json.variables.rule.and.map(({ type, minToken }: Record<string, unknown>) => [type, minToken]),
      [['ERC20', '5']],
    );
    await page.getByLabel('Wallet address or name').fill(guild.members[0]?.address ?? '');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('Qualifies', { exact: true }).waitFor();
    await page.getByText('The wallet holds 10.').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('gain', { exact: true }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
    await page.getByRole('heading', { name: `New rule: ${members} members gain Role 1` }).waitFor();
    await page.getByText(`${members} written`).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Rule without a name' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Created').waitFor();
    await until(
      'all members have the second role',
      () => holdersOf(world().discord, guild, roleId(1)).length === members,
    );
    assert.deepEqual(faults, []);
  });

  test('a token is found by a link and has its picture, its traits are picked, and no word in them runs', async () => {
    await using opened = await open(`${rulesPath()}/new?role=${roleId(1)}`, 390);
    const { page, faults } = opened;
    const { contracts } = world().chain;
    await page.route('**/token-picture?*', (route) => route.fulfill({ json: { picture: samplePicture } }));
    await page.route('**/ethereum-nfts/*/attributes?*', (route) =>
      route.fulfill({ json: [{ type: hostile, values: [`Gold ${hostile}`, 'Silver'] }] }),
    );
    await page.getByLabel('Token', { exact: true }).fill(`https://blur.io/collection/${contracts.erc721}`);
    await page
      .getByRole('list', { name: 'Tokens found' })
      .getByRole('button', { name: /Sample Key/ })
      .click();
    const card = page.getByRole('region', { name: 'NFT (ERC721)' });
    await card.locator(`img[src="${samplePicture}"]`).waitFor();
    await page.getByRole('button', { name: 'Add trait' }).click();
    await page.getByRole('combobox', { name: 'Trait 1', exact: true }).click();
    await page.getByRole('option', { name: /onerror/ }).click();
    await page.getByRole('combobox', { name: 'Value of trait 1' }).click();
    await page.getByRole('option', { name: /^Gold/ }).click();
    await page.getByText(/^Checking a member takes up to \d+ reads? for each wallet\.$/).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = await page.getByLabel('The rule as JSON').inputValue();
    assert.ok(json.includes(JSON.stringify(hostile)) && json.includes(JSON.stringify(`Gold ${hostile}`)), json);
    assert.deepEqual(faults, []);
  });

  test('cards are dragged into a group and back by undo, and leaving asks first', async () => {
    await using opened = await open(`${rulesPath()}/new?role=${roleId(1)}`);
    const { page, faults } = opened;
    await page.getByRole('tab', { name: 'JSON' }).click();
    const tree = { and: [{ type: 'POAP', eventId: '1' }, { or: [{ type: 'MOCA', minToken: '1' }] }] };
    await page.getByLabel('The rule as JSON').fill(JSON.stringify({ scheme: 'logic', variables: { rule: tree } }));
    await page.getByRole('tab', { name: 'Build' }).click();
    const poap = page.getByRole('region', { name: 'POAP attendance' });
    const moca = page.getByRole('region', { name: 'Staked MOCA' });
    await poap
      .locator('span[aria-hidden]')
      .first()
      .dragTo(moca, { targetPosition: { x: 60, y: 4 } });
    const inner = page.getByRole('region', { name: 'Any of these' }).getByRole('region', { name: 'POAP attendance' });
    await inner.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await inner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rules', exact: true }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await poap.waitFor();
    assert.deepEqual(faults, []);
  });

  test('saving a rule leads to its role changes, which are approved, and undone together with the rule', async () => {
    await using opened = await open(rulesPath());
    const { page, faults } = opened;
    await page
      .getByRole('link', { name: /Role 0/ })
      .first()
      .click();
    await page.getByLabel('At least').fill('1000');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('button', { name: `Save: ${members} would lose the role` }).click();
    await page.getByRole('heading', { name: 'Role 0: 1 → 1,000 COIN' }).waitFor();
    await page.locator('del', { hasText: /^1$/ }).waitFor();
    await page.locator('ins', { hasText: /^1,000$/ }).waitFor();
    await page.getByText(`${members} members lose Role 0: needs at least 1,000 COIN`).waitFor();
    await page.getByText(`${members} members hold 10 COIN`).waitFor();
    await page.getByText('changed by the operator').waitFor();
    await page.getByLabel('Search members').fill('no member has this name');
    await page.getByText('No members match').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await readFile(await (await downloading).path(), 'utf8');
    assert.equal(file.trim().split('\r\n').length, members + 1, file);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: `Approve ${members} removals` }).click();
    await dialog.getByRole('button', { name: `Approve ${members} removals` }).click();
    await page.getByText(`${members} written`).waitFor();
    assert.equal(holdersOf(world().discord, guild, roleId()).length, 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText(`${members} roles are given back.`).waitFor();
    const restores = dialog.getByRole('checkbox', { name: 'Also restore the rule to the version before' });
    assert.equal(await restores.isChecked(), true);
    await restores.click();
    await dialog.getByText(/do not qualify for it now/).waitFor();
    await restores.click();
    await dialog.getByText(/do not qualify for it now/).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: `Undo ${members} changes` }).click();
    await page.getByRole('heading', { name: `Undo: ${members} members gain Role 0` }).waitFor();
    await page.locator('ins', { hasText: /^1$/ }).waitFor();
    await page.getByText(`${members} written`).waitFor();
    assert.equal(holdersOf(world().discord, guild, roleId()).length, members);
    assert.deepEqual(faults, []);
  });

  test('a change is discussed and rejected with its rule restored: the old rule is in force and no role was taken', async () => {
    await using opened = await open(rulesPath());
    const { page, faults } = opened;
    const dialog = page.getByRole('dialog');
    await page
      .getByRole('link', { name: /Role 0/ })
      .first()
      .click();
    await page.getByLabel('At least').fill('5000');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: `Save: ${members} would lose the role` }).click();
    const toast = page.getByRole('status').filter({ hasText: 'Rule saved.' });
    await toast.getByText('Rule saved.').hover();
    await page.getByRole('heading', { name: 'Role 0: 1 → 5,000 COIN' }).waitFor();

    await page.getByLabel('Add a comment').fill(`Was this meant?\n${hostile}`);
    await page.getByRole('button', { name: 'Comment', exact: true }).press('Enter');
    const comment = page.getByRole('article', { name: 'Comment by the operator' });
    await comment.getByText('Was this meant?').waitFor();
    assert.equal(await page.getByLabel('Add a comment').inputValue(), '');
    assert.equal(await comment.locator('img').count(), 0);

    // By keyboard, so that the pointer keeps the toast. Its place is inside the dialog, since all else is covered.
    await page.getByRole('button', { name: 'Reject and restore the rule' }).press('Enter');
    await dialog.getByText('Rule saved.').waitFor();
    await dialog.getByText(`Rejected: ${members} removals. Members keep the roles they have.`).waitFor();
    await dialog.getByText(/^This rule goes back to the version before: /).waitFor();
    await dialog.getByRole('button', { name: 'Reject and restore the rule' }).press('Enter');
    await page.getByText(/^Rejected by the operator, and the rule restored/).waitFor();
    await page.getByText(/^The operator rejected these changes and restored the rule/).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Approve|Reject)/ }).count(), 0);

    const go = (place: string) =>
      page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: place, exact: true }).click();
    await go('Overview');
    await page.getByText('The role changes were rejected and the rule restored by the operator').waitFor();
    await go('Rules');
    await page
      .getByRole('link', { name: /Role 0.*at least 1 COIN/ })
      .first()
      .waitFor();
    await go('Role changes');
    await page.getByText('Nothing waits for you').waitFor();
    assert.equal(holdersOf(world().discord, guild, roleId()).length, members);
    assert.deepEqual(faults, []);
  });

  test('deleting a rule asks what happens to its role, and opens the removals that follow', async () => {
    const { server, chain, discord } = world();
    const other = fillGuild(discord, someAddresses(members, 8), 1);
    await chain.mintCoins(
      other.members.map(({ address }) => address),
      10n ** 19n,
    );
    const [role = ''] = other.roleIds;
    await gateGuild(server.services, other, [{ ...coinRule('1', 'Coin holders'), roleId: role }]);
    await until('all members have the role', () => holdersOf(discord, other, role).length === members);
    await using opened = await open(`/communities/${encodeURIComponent(other.communityId)}/rules`);
    const { page, faults } = opened;
    const dialog = page.getByRole('dialog');
    await page
      .getByRole('link', { name: /Role 0/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await dialog.getByText(`${members} members keep Role 0, none lose it.`).waitFor();
    await dialog.getByRole('radio', { name: 'Take the roles' }).click();
    await dialog.getByText(`No member keeps Role 0, ${members} lose it.`).waitFor();
    await dialog.getByText(/need an admin’s approval/).waitFor();
    await dialog.getByRole('button', { name: `Delete rule: ${members} members lose Role 0` }).click();
    await page.getByRole('heading', { name: `Rule deleted: ${members} members lose Role 0` }).waitFor();
    await page.getByText('An admin deleted the rule that gave this role.').first().waitFor();
    assert.equal(holdersOf(discord, other, role).length, members);
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText(/^Rejected by the operator/).waitFor();
    assert.equal(holdersOf(discord, other, role).length, members);
    assert.deepEqual(faults, []);
  });
}
