import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { fillGuild, type GatedGuild, gateGuild, holdersOf } from '@latchkey/server/testing/gated-world';
import { until } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, asPerson, type ConsoleWorld, openConsole } from '../harness/console.ts';
import { usualMethods } from '../harness/hands.ts';
import { findViolations, fits } from '../harness/look-at.ts';

/** A community that comes from another bot: its rules are brought along, compared beside it, and taken over. */
export function movingSuite(world: () => ConsoleWorld): void {
  let guilds = 0;

  /** Three members. The first holds a coin and has no role, the second has one and holds nothing, the third has both. */
  async function settle(): Promise<GatedGuild> {
    const { server, chain, discord } = world();
    guilds += 1;
    const guild = fillGuild(discord, someAddresses(3, 900 + guilds * 10), 2);
    const [first, second, third] = guild.members;
    assert.ok(first && second && third);
    await chain.mintCoins([first.address, third.address], 10n ** 18n);
    for (const { userId } of [second, third]) oldBot(guild, userId, true);
    await gateGuild(server.services, guild, []);
    return guild;
  }

  const roleId = ({ roleIds }: GatedGuild) => roleIds[0] ?? '';
  function oldBot(guild: GatedGuild, userId: string, gives: boolean): void {
    const roles = world().discord.getGuild(guild.id).members.get(userId)?.roles;
    assert.ok(roles);
    if (gives) roles.add(roleId(guild));
    else roles.delete(roleId(guild));
  }
  const pathOf = ({ communityId }: GatedGuild) => `/communities/${encodeURIComponent(communityId)}`;
  const holders = (guild: GatedGuild) =>
    holdersOf(world().discord, guild, roleId(guild)).map(({ userId }) =>
      guild.members.findIndex((one) => one.userId === userId),
    );
  const rulesOf = async (guild: GatedGuild): Promise<unknown[]> => {
    const path = `/latchkey${pathOf(guild)}/rules`;
    return (await world().server.request('GET', path, { headers: asOperator(world()) })).json.items;
  };
  const table = (...rows: readonly string[]) => ['role,type,chain,contract,min', ...rows].join('\n');
  const coinRow = (role: string, min = '1') => {
    const { chainId, contracts } = world().chain;
    return `${role},ERC20,${chainId},${contracts.erc20},${min}`;
  };
  const open = (path: string, options = {}) =>
    openConsole(world(), { as: asOperator(world()), path, expectsRefusals: true, bypassCSP: true, ...options });
  const chooseTable = async (page: Page) => {
    await page.getByRole('combobox', { name: 'Source' }).click();
    await page.getByRole('option', { name: 'Spreadsheet (CSV)' }).click();
  };

  for (const [way, handsOf] of usualMethods)
    test(`an admin brings rules along, compares them beside another bot, takes over and undoes that, ${way}`, async () => {
      const guild = await settle();
      await using opened = await open(`${pathOf(guild)}/rules`);
      const { page, faults } = opened;
      const hands = handsOf(page);
      await hands.press(page.getByRole('link', { name: 'Import rules' }));
      await hands.choose(page.getByRole('combobox', { name: 'Source' }), 'Spreadsheet (CSV)');
      await hands.type(page.getByRole('textbox', { name: 'Export' }), table(coinRow('role 0'), 'Role 1,ODD,1,0xaa,1'));
      await hands.press(page.getByRole('button', { name: 'Preview rules' }));
      await page.getByText('To get Role 0, a member needs at least 1 COIN').waitFor();
      await page.getByRole('heading', { name: 'Not carried over (1)' }).waitFor();
      await page.getByText('The role was found by its name, "Role 0".').waitFor();
      assert.deepEqual(await rulesOf(guild), [], 'a preview switches nothing on');
      assert.ok(await page.getByLabel('Only compare for now (shadow mode)').isChecked());
      assert.deepEqual(await findViolations(page), []);
      await hands.press(page.getByRole('button', { name: 'Turn on 1 rule' }));
      await page.getByRole('heading', { level: 1, name: '1 rule is on' }).waitFor();
      assert.equal((await rulesOf(guild)).length, 1);

      await hands.press(page.getByRole('link', { name: 'See where roles and rules differ' }));
      await page.getByText('would get Role 0').waitFor();
      await page.getByText('would lose Role 0').waitFor();
      await page
        .getByText(/needs at least 1 COIN/)
        .first()
        .waitFor();
      assert.deepEqual(await findViolations(page), []);
      assert.deepEqual(holders(guild), [1, 2], 'nothing is written');
      await hands.press(page.getByRole('button', { name: 'Take over' }));
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/would have granted 1 role and removed 1 role, for 2 members/).waitFor();
      await hands.press(dialog.getByRole('button', { name: 'Take over' }));
      await page.getByText('Off: Latchkey changes roles').waitFor();
      await until('the differences are written', () => holders(guild).join() === '0,2');
      await hands.press(page.getByRole('button', { name: 'Undo the takeover' }));
      await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Put the roles back' }));
      await page.getByText('On: no role is written').waitFor();
      await until('the roles are back', () => holders(guild).join() === '1,2');
      assert.deepEqual(faults, []);
    });

  test('a role that is not found is chosen, rules that are left out stay out, and what is there is not added again', async () => {
    const guild = await settle();
    await using opened = await open(`${pathOf(guild)}/rules/import`, { viewport: { width: 390, height: 800 } });
    const { page, faults } = opened;
    await chooseTable(page);
    await page.getByLabel('File to import').setInputFiles({
      name: 'rules.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(table(coinRow('Whales', '5'), coinRow('Role 1', '2'))),
    });
    await page.getByText('Read from rules.csv').waitFor();
    await page.getByRole('button', { name: 'Preview rules' }).click();
    await page.getByRole('heading', { name: 'Without a role here (1)' }).waitFor();
    await page.getByRole('combobox', { name: 'Role for “Whales”' }).click();
    await page.getByRole('option', { name: 'Role 0' }).click();
    await page.getByRole('button', { name: 'Read again with these roles' }).click();
    await page.getByText('To get Role 0, a member needs at least 5 COIN').waitFor();
    assert.ok(await fits(page));
    await page.getByRole('checkbox', { name: /Role 1/ }).uncheck();
    await page.getByLabel('Only compare for now (shadow mode)').uncheck();
    await page.getByRole('button', { name: 'Turn on 1 rule' }).click();
    await page.getByRole('heading', { name: 'On (1)' }).waitFor();
    await page.getByRole('heading', { name: 'Ready (1)' }).waitFor();
    assert.equal((await rulesOf(guild)).length, 1);
    await page.getByRole('link', { name: 'Import rules' }).click();
    await chooseTable(page);
    await page.getByRole('textbox', { name: 'Export' }).fill(table(coinRow('Role 0', '5')));
    await page.getByRole('button', { name: 'Preview rules' }).click();
    await page.getByRole('heading', { name: 'Already here (1)' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Turn on/ }).count(), 0);
    assert.deepEqual(faults, []);
  });

  test('a community moves from an export of Collab.Land to the takeover, and the import names it', async () => {
    const guild = await settle();
    await using opened = await open(`${pathOf(guild)}/rules/import`);
    const { page, faults } = opened;
    const { chainId, contracts } = world().chain;
    const rule = { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId: roleId(guild) };
    const odd = { id: 'TPC#10', name: 'Odd ones', type: 'ODD', chainId, minToken: '1', roleId: roleId(guild) };
    const exported = { items: [{ id: 'TPC#9', name: 'Coin holders', ...rule }, odd] };
    await page.getByRole('textbox', { name: 'Export' }).fill(JSON.stringify(exported));
    await page.getByRole('button', { name: 'Preview rules' }).click();
    await page.getByText(/^Collab\.Land, or another Latchkey, read .* None of these rules is on yet\./).waitFor();
    await page.getByText('To get Role 0, a member needs at least 1 COIN').waitFor();
    await page.getByRole('heading', { name: 'Not carried over (1)' }).waitFor();
    await page.getByRole('button', { name: 'Turn on 1 rule' }).click();
    await page.getByRole('link', { name: 'See where roles and rules differ' }).click();
    await page.getByText('would get Role 0').waitFor();
    await page.getByText('would lose Role 0').waitFor();
    assert.deepEqual(holders(guild), [1, 2], 'nothing is written beside the other bot');
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click();
    await page.getByText('Off: Latchkey changes roles').waitFor();
    await until('the differences are written', () => holders(guild).join() === '0,2');
    await opened.goTo(`${pathOf(guild)}/rules/import`);
    await page.getByRole('link', { name: /^Collab\.Land/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('what was typed stays when an export cannot be read, and a refusal in the middle can be tried again', async () => {
    const guild = await settle();
    await using opened = await open(`${pathOf(guild)}/rules/import`);
    const { page, faults } = opened;
    await page.getByRole('textbox', { name: 'Export' }).fill('{ "items": [');
    await page.getByRole('button', { name: 'Preview rules' }).click();
    await page.getByRole('main').getByRole('alert').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Export' }).inputValue(), '{ "items": [');
    await chooseTable(page);
    await page.getByRole('textbox', { name: 'Export' }).fill(table(coinRow('Role 0'), coinRow('Role 1', '2')));
    await page.getByRole('button', { name: 'Preview rules' }).click();
    await page.getByRole('checkbox', { name: /Role 1/ }).uncheck();
    let calls = 0;
    await page.route('**/rule-imports/*/apply', (call) => {
      calls += 1;
      const error = { statusCode: 503, name: 'Unavailable', message: 'Discord does not answer.', code: 'UNAVAILABLE' };
      return calls === 1 ? call.fulfill({ status: 503, json: { error } }) : call.fallback();
    });
    const go = page.getByRole('button', { name: 'Turn on 1 rule' });
    await go.click();
    await page.getByText('Discord does not answer.').waitFor();
    assert.deepEqual(await rulesOf(guild), []);
    assert.equal(await page.getByRole('checkbox', { name: /Role 1/ }).isChecked(), false);
    await go.click();
    await page.getByRole('heading', { level: 1, name: '1 rule is on' }).waitFor();
    assert.equal((await rulesOf(guild)).length, 1);
    assert.deepEqual(faults, []);
  });

  test('strangers and members are shown nothing of it, and can switch nothing', async () => {
    const guild = await settle();
    const [member] = guild.members;
    for (const userId of [`DIS#USER#${member?.userId}`, 'DIS#USER#77770001'])
      for (const place of ['rules/import', 'rules/import/1', 'shadow-mode']) {
        await using opened = await openConsole(world(), {
          as: await asPerson(world(), userId),
          path: `${pathOf(guild)}/${place}`,
          expectsRefusals: true,
        });
        const { page } = opened;
        await page.getByRole('main').getByRole('alert').first().waitFor();
        assert.equal(await page.getByRole('button', { name: /Start shadow mode|Take over|Turn on/ }).count(), 0);
        if (place !== 'rules/import') continue;
        await page.getByText('Community not found').last().waitFor();
        assert.equal(await page.getByRole('button', { name: 'Preview rules' }).count(), 0);
        const imports = `${world().server.url}/latchkey${pathOf(guild)}/rule-imports`;
        const data = { source: 'original', content: '[]' };
        const answer = await page.request.post(imports, { headers: { 'x-latchkey-console': '1' }, data });
        assert.equal(answer.status(), 404, await answer.text());
      }
  });

  test('a takeover that is refused changes nothing and says why', async () => {
    const guild = await settle();
    await using opened = await open(`${pathOf(guild)}/shadow-mode`);
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Start shadow mode' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start shadow mode' }).click();
    await page.getByText('On: no role is written').waitFor();
    await page.getByText('There is nothing to compare yet').waitFor();
    await page.route('**/shadow-mode/take-over', (call) => {
      const error = { statusCode: 503, name: 'Unavailable', message: 'Discord does not answer.', code: 'UNAVAILABLE' };
      return call.fulfill({ status: 503, json: { error } });
    });
    await page.getByRole('button', { name: 'Take over' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await dialog.getByText('Discord does not answer.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('On: no role is written').waitFor();
    assert.deepEqual(holders(guild), [1, 2]);
    assert.deepEqual(faults, []);
  });
}
