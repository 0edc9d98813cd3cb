import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { someAddresses } from '@latchkey/chains/testing';
import { assetKinds } from '@latchkey/core/facts';
import { sampleCoinAbi } from '@latchkey/emulators/evm-chain';
import { fillGuild, type GatedGuild, gateGuild, holdersOf } from '@latchkey/server/testing/gated-world';
import { until } from '@latchkey/test-kit';
import type { Page } from 'playwright-core';
import { asOperator, type ConsoleWorld, openConsole } from '../harness/console.ts';

const members = 4;
const portal = new URL('../../../portal/', import.meta.url);
const kindNames = [...assetKinds.map(({ name }) => name), 'GUESTPASS', 'role_composition'];

/** Conditions of every kind, built by an admin who types no JSON and no id. */
export function ruleKindsSuite(world: () => ConsoleWorld): void {
  let guild: GatedGuild;
  before(async () => {
    const { server, chain, discord } = world();
    guild = fillGuild(discord, someAddresses(members, 3_000), 3);
    await chain.mintCoins(
      guild.members.map(({ address }) => address),
      10n ** 19n,
    );
    const { chainId, contracts } = chain;
    const rule = { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId: roleId() };
    await gateGuild(server.services, guild, [rule]);
    await until('all members have the role', () => holdersOf(discord, guild, roleId()).length === members);
  });

  const roleId = (index = 0) => guild.roleIds[index] ?? '';
  const rulesPath = () => `/communities/${encodeURIComponent(guild.communityId)}/rules`;
  const openNew = (width = 1280) =>
    openConsole(world(), {
      as: asOperator(world()),
      path: `${rulesPath()}/new?role=${roleId(1)}`,
      expectsRefusals: true,
      viewport: { width, height: 900 },
    });
  const kindField = (page: Page) => page.getByRole('combobox', { name: 'What this condition asks for' });
  const pick = async (page: Page, label: string, option: string | RegExp) => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option }).click();
  };
  const readJson = async (page: Page) => {
    await page.getByRole('tab', { name: 'JSON' }).click();
    return JSON.parse(await page.getByLabel('The rule as JSON').inputValue());
  };

  test('none of the 43 kinds asks for JSON or an id, new or as the documentation writes it', async () => {
    const docs = readFileSync(new URL('../../../../docs/rules.md', import.meta.url), 'utf8');
    const samples = [...docs.matchAll(/```json (?!logic)(\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
      name: name.toUpperCase(),
      rule: JSON.parse(text),
    }));
    assert.equal(kindNames.length, 43);
    for (const name of kindNames)
      assert.ok(
        samples.some((sample) => sample.name === name.toUpperCase()),
        name,
      );
    await using opened = await openNew();
    const { page, faults } = opened;
    const show = async (rules: readonly object[]) => {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page
        .getByLabel('The rule as JSON')
        .fill(JSON.stringify({ scheme: 'logic', variables: { rule: { and: rules } } }));
      await page.getByRole('tab', { name: 'Build' }).click();
      const cards = page.locator('[data-card] [data-card]');
      await cards.nth(rules.length - 1).waitFor();
      assert.equal(await cards.count(), rules.length);
      assert.deepEqual(await cards.evaluateAll(fieldsOfCards), []);
    };
    // A query of its own is for people who write JSONata, on the JSON tab.
    await show(samples.map(({ rule }) => rule).filter(({ query = '' }) => !/\$count/.test(query)));
    await show(kindNames.map((type) => ({ type })));
    // Everything that only opens with a choice is looked at as well.
    for (const title of ['X account', 'Guest pass', 'Other roles of the member', 'Owner of a Safe']) {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByLabel('The rule as JSON').fill(JSON.stringify({ type: 'ERC20' }));
      await page.getByRole('tab', { name: 'Build' }).click();
      await kindField(page).click();
      await page.getByRole('option', { name: title }).click();
      assert.deepEqual(await page.locator('[data-card]').evaluateAll(fieldsOfCards), []);
    }
    assert.deepEqual(faults, []);
  });

  test('roles are picked by name and colour for a condition about other roles', async () => {
    await using opened = await openNew(390);
    const { page, faults } = opened;
    await kindField(page).click();
    await page.getByRole('option', { name: 'Other roles of the member' }).click();
    await pick(page, 'Add a role', 'Role 0');
    await pick(page, 'Add a role', 'Role 2');
    await pick(page, 'Has role 2 or not', 'Does not have');
    await page.getByText('Members with Role 0 and without Role 2 get Role 1, and all others lose it.').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const { variables } = await readJson(page);
    assert.deepEqual(variables.roleComposition, {
      action: 'addOrRemove',
      operator: 'and',
      condition: { [roleId(0)]: true, [roleId(2)]: false },
    });
    assert.deepEqual(faults, []);
  });

  test('the example of the page about role composition can be followed, and is saved as the page shows it', async () => {
    const { server, discord } = world();
    const page = readFileSync(new URL('help-docs/marketplace/apps/role-composition.md', portal), 'utf8');
    const steps = page.slice(page.indexOf('## Set it up'), page.indexOf('## When it is evaluated'));
    const fields = [...steps.matchAll(/\| \*\*(.+?)\*\* \| \*(.+?)\* \|/g)].map(([, label = '', option = '']) => ({
      label,
      option,
    }));
    assert.deepEqual(
      fields.map(({ label }) => label),
      ['What happens', 'The member meets', 'Add a role', 'Add a role'],
    );
    const [, toPress = ''] = /press \*\*(.+?)\*\*, and pick \*Voter\* under \*\*Members get\*\*/.exec(steps) ?? [];
    const [, kind = ''] = /choose \*\*(.+?)\*\*, in the group \*\*People and services\*\*/.exec(steps) ?? [];
    const [, has = '', hasNot = ''] = /line of \*Suspended\*, change \*\*(.+?)\*\* to \*\*(.+?)\*\*/.exec(steps) ?? [];
    const [, preview = '', review = '', save = ''] =
      /Press \*\*(.+?)\*\*, then \*\*(.+?)\*\* and \*\*(.+?)\*\*/.exec(steps) ?? [];

    const place = fillGuild(discord, someAddresses(3, 3_950), 0);
    const [holder = '', suspended = '', voter = ''] = ['Holder', 'Suspended', 'Voter'].map(
      (name) => discord.createRole(place.id, { name }).id,
    );
    const [first, second] = place.members.map(({ userId }) => userId);
    for (const { userId } of place.members) discord.getGuild(place.id).members.get(userId)?.roles.add(holder);
    discord
      .getGuild(place.id)
      .members.get(second ?? '')
      ?.roles.add(suspended);
    await gateGuild(server.services, place, []);

    const path = `/communities/${encodeURIComponent(place.communityId)}/rules`;
    await using opened = await openConsole(world(), { as: asOperator(world()), path, expectsRefusals: true });
    const { page: screen, faults } = opened;
    await screen.getByRole('link', { name: toPress }).first().click();
    await pick(screen, 'Members get', 'Voter');
    await kindField(screen).click();
    await screen.getByRole('group', { name: 'People and services' }).getByRole('option', { name: kind }).click();
    for (const { label, option } of fields) await pick(screen, label, option);
    const line = screen.getByRole('combobox', { name: 'Has role 2 or not' });
    assert.equal(await line.inputValue(), has);
    await pick(screen, 'Has role 2 or not', hasNot);
    const sentence = 'Members with Holder and without Suspended get Voter, and all others lose it.';
    await screen.getByLabel('What this rule means').getByText(sentence).waitFor();
    await screen.getByRole('button', { name: preview }).click();
    await screen.getByRole('main').getByText('gain', { exact: true }).waitFor();
    await screen.getByRole('button', { name: review }).click();
    await screen.getByRole('dialog').getByRole('button', { name: save }).click();
    await until('the members who are not suspended vote', () => holdersOf(discord, place, voter).length === 2);
    assert.equal(holdersOf(discord, place, voter)[0]?.userId, first);

    const { json } = await server.request('GET', `/communities/${encodeURIComponent(place.communityId)}/tpcs`, {
      headers: asOperator(world()),
    });
    const shown = /"variables": (\{\n\s+"roleComposition": \{[\s\S]*?\n {2}\})\n\}\nEOF/.exec(page)?.[1] ?? '';
    const ids = { ROLE_ID: holder, SUSPENDED_ROLE: suspended, VOTER_ROLE: voter };
    const example = JSON.parse(shown.replace(/\$(\w+)/g, (_, name) => ids[name as keyof typeof ids]));
    const [saved] = json.items;
    assert.deepEqual([saved.scheme, saved.roleId], ['role_composition', voter]);
    assert.deepEqual({ ...saved.variables.roleComposition, roleId: voter }, example.roleComposition);
    assert.deepEqual(faults, []);
  });

  test('a function is picked from a pasted ABI, and its result is compared', async () => {
    await using opened = await openNew();
    const { page, faults } = opened;
    const { contracts, chainId } = world().chain;
    await page.route('**/contract-abi?*', (route) =>
      route.fulfill({ json: { note: 'Sourcify could not be reached from this server. Paste the ABI instead.' } }),
    );
    await kindField(page).click();
    await page.getByRole('option', { name: 'Value of a contract function' }).click();
    await pick(page, 'Chain', /local|31337/i);
    await page.getByLabel('Contract', { exact: true }).fill(contracts.erc20);
    await page
      .getByText(/4 of 4 members|ERC20 on/)
      .first()
      .waitFor();
    await page.getByText('Sourcify could not be reached').waitFor();
    await page.getByRole('button', { name: 'Paste an ABI' }).click();
    await page.getByLabel('ABI', { exact: true }).fill('{');
    await page.getByText('This is not an ABI').waitFor();
    await page.getByLabel('ABI', { exact: true }).fill(JSON.stringify(sampleCoinAbi));
    await pick(page, 'Function', /^allowance\(/);
    await page
      .getByRole('combobox', { name: /^Address: .*|^Address 2/ })
      .last()
      .waitFor();
    await pick(page, 'Function', /^balanceOf\(/);
    await page.getByLabel('Decimals of the result').fill('18');
    await page.getByLabel('Result is at least').fill('5');
    await page.getByLabel('Wallet address or name').fill(guild.members[0]?.address ?? '');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('Qualifies', { exact: true }).waitFor();
    assert.deepEqual(await readJson(page), {
      type: 'CUSTOM_ABI',
      chainId,
      contractAddress: contracts.erc20,
      minToken: '5',
      variables: { _functionName: 'balanceOf(address)', _args: ['$account'], _decimals: 18 },
      roleId: roleId(1),
    });
    assert.deepEqual(faults, []);
  });

  test('a contract says what it is and which members hold it, and why where it does not fit', async () => {
    await using opened = await openNew(390);
    const { page, faults } = opened;
    const { contracts } = world().chain;
    await page.getByLabel('Token', { exact: true }).fill(contracts.erc20);
    await page
      .getByRole('list', { name: 'Tokens found' })
      .getByRole('button', { name: /Sample Coin/ })
      .click();
    await page.getByText('Sample Coin (COIN)').waitFor();
    await page.getByText('4 of 4 members with a wallet hold it now.').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await kindField(page).click();
    await page.getByRole('option', { name: 'Moloch DAO shares' }).click();
    await pick(page, 'Chain', /local|31337/i);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByLabel('DAO contract').fill(`0x${'12'.repeat(20)}`);
    await page
      .getByRole('tabpanel', { name: 'Build' })
      .getByText(/^There is no contract at .* Check the address and the chain\.$/)
      .waitFor();
    await page.getByLabel('DAO contract').fill(contracts.erc721);
    await page.getByText(/^Sample Key.* · ERC721 on/).waitFor();
    assert.deepEqual(faults, []);
  });

  /** As a server that follows the chain has read it; here, chains are read only when they are asked. */
  async function readHoldings(): Promise<void> {
    const { chain, server } = world();
    const { db, clock } = server.services;
    const at = [`evm:${chain.chainId}`, chain.contracts.erc20.toLowerCase()];
    await db.pool.query(
      `insert into followed_chains (chain, number, hash, followed_at) values ($1, 1, '0x01', $2) on conflict do nothing`,
      [at[0], clock()],
    );
    await db.pool.query(
      `insert into followed_contracts (chain, reference, since_number) values ($1, $2, 0) on conflict do nothing`,
      at,
    );
    await db.pool.query(
      `insert into read_holdings (chain, reference, account, variant, answer, block_number, read_at)
       select $1, $2, address, '["erc20","amount",null,null]', '{"kind":"read","amount":"10"}', 1, $3
       from wallet_connections where user_id = any($4) on conflict do nothing`,
      [...at, clock(), guild.members.map(({ userId }) => `DIS#USER#${userId}`)],
    );
  }

  test('what the members hold is offered before anything is typed, with how many hold it', async () => {
    await readHoldings();
    await using opened = await openNew(390);
    const { page, faults } = opened;
    await page.getByLabel('Token', { exact: true }).focus();
    const held = page.getByRole('list', { name: 'Held by your members' });
    const coin = held.getByRole('button', { name: /^Sample Coin.*4 holders here/ });
    await coin.waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await coin.click();
    await page.getByText('4 of 4 members with a wallet hold it now.').waitFor();
    const { variables: _variables, ...rule } = await readJson(page);
    const { chainId, contracts } = world().chain;
    assert.deepEqual(
      [rule.type, rule.chainId, rule.contractAddress.toLowerCase()],
      ['ERC20', chainId, contracts.erc20.toLowerCase()],
    );
    assert.deepEqual(faults, []);
  });

  test('a rule that cannot be decided is kept as a draft with its reason, and starts once it can be', async () => {
    const { chain, discord } = world();
    const contract = someAddresses(1, 3_900)[0] ?? '0x';
    await using opened = await openNew();
    const { page, faults } = opened;
    await page.getByLabel('Token', { exact: true }).fill(contract);
    await page.getByText(/^There is no token at this address/).waitFor();
    await pick(page, 'Chain', /local|31337/i);
    const reason = /There is no contract at .*Check the address and the chain/;
    await page.getByLabel('What this rule means').getByText(reason).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await dialog.getByText(reason).waitFor();
    await dialog.getByRole('button', { name: 'Save as draft' }).click();
    const draft = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Delete this draft' }) });
    await draft.getByText(reason).waitFor();
    assert.equal(holdersOf(discord, guild, roleId(1)).length, 0);

    const bytecode = await chain.client.getCode({ address: chain.contracts.erc20 });
    await chain.client.setCode({ address: contract, bytecode: bytecode ?? '0x' });
    const receivers = guild.members.map(({ address }) => address);
    await chain.send(contract, { abi: sampleCoinAbi, functionName: 'mintMany', args: [receivers, 10n ** 19n] });
    await draft.getByRole('link').first().click();
    await page.getByLabel('What this rule means').getByText(reason).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByText('gain', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    await until('all members have the role', () => holdersOf(discord, guild, roleId(1)).length === members);
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Rules', exact: true }).click();
    await page.getByRole('heading', { name: 'Rules' }).waitFor();
    await draft.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });
}

/** Every field of some cards that asks for JSON, or whose label is an id; runs in the page. */
function fieldsOfCards(cards: readonly Element[]): string[] {
  return cards.flatMap((card) => {
    const labels = [...card.querySelectorAll('label, legend, [aria-label]')].map(
      (one) => one.getAttribute('aria-label') ?? one.textContent ?? '',
    );
    const bad = labels.filter((label) => /\bids?\b|\bjson\b|_/i.test(label));
    const boxes = [...card.querySelectorAll('textarea, pre, code')].map((box) => `a box for text: ${box.outerHTML}`);
    const notices = /JSON/.test(card.textContent ?? '')
      ? [`words about JSON in ${card.ariaLabel}: ${card.textContent}`]
      : [];
    return [...bad, ...boxes, ...notices];
  });
}
