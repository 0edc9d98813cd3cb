import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type RuleSetApi, runRules } from '@latchkey/cli';
import { fillGuild, type GatedGuild, gateGuild } from '@latchkey/server/testing/gated-world';
import { asOperator, type ConsoleWorld, openConsole } from '../harness/console.ts';

const contract = `0x${'c'.repeat(40)}`;
const longName = `Whales “of” the ${'W'.repeat(120)}: #1 \${NOT_A_VARIABLE}`;

const tested = (tests: string) => `version: 1
tokens:
  coin: { type: ERC20, chainId: 1, contractAddress: '${contract}' }
  keys: { asset: 'evm:1/ERC721:${contract}' }
communities:
  - community: DIS#COMM#1
    rules:
      - { name: Whales, role: Whale, when: { token: coin, min: 100 } }
      - { name: Gold keys, role: Key, when: { asset: 'evm:1/ERC721:${contract}', version: 2.0.0, query: $count($.tokens) > 1 } }
    tests:
${tests}`;

/** The rules as a file: the same bytes as the command writes, its lock, and its tests in a page; and what is proven of the rules. */
export function rulesFileSuite(world: () => ConsoleWorld): void {
  let guild: GatedGuild;
  before(async () => {
    const { server, chain, discord } = world();
    guild = fillGuild(discord, [], 3);
    const rule = (name: string, minToken: string, role: number) => {
      const { chainId, contracts } = chain;
      const roleId = guild.roleIds[role] ?? '';
      return { name, type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken, roleId };
    };
    await gateGuild(server.services, guild, [rule(longName, '100', 0), rule('Holders', '1', 1), rule('Fewer', '5', 1)]);
  });

  const path = (rest: string) => `/communities/${encodeURIComponent(guild.communityId)}/rules${rest}`;
  const open = (rest: string, viewport = { width: 1440, height: 900 }) =>
    openConsole(world(), { as: asOperator(world()), path: path(rest), expectsRefusals: true, viewport });
  const request = (method: string, rest: string, body?: object) => {
    const url = `/latchkey/communities/${encodeURIComponent(guild.communityId)}${rest}`;
    return world().server.request(method, url, {
      headers: asOperator(world()),
      ...(body !== undefined && { json: body }),
    });
  };

  /** What `latchkey rules pull` writes. */
  async function pull(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-pull-'));
    const api = { getRuleSet: async () => (await request('GET', '/rule-set')).json } as unknown as RuleSetApi;
    const ignore = () => undefined;
    const wait = () => Promise.resolve();
    const terminal = { folder, environment: {}, print: ignore, printError: ignore, showProgress: ignore, wait };
    try {
      await runRules(terminal, () => api, ['pull', guild.communityId], {});
      return await readFile(join(folder, 'latchkey.yaml'), 'utf8');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  test('the file to download and the file on the page are the bytes that the command writes', async () => {
    await using opened = await open('');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'More about rules' }).click();
    await page.getByRole('menuitem', { name: 'Rules file and lock' }).click();
    const written = await pull();
    assert.match(written, /role: Role 0/);
    const shown = page.getByLabel('latchkey.yaml', { exact: true });
    await shown.waitFor();
    assert.equal(await shown.inputValue(), written);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download latchkey.yaml' }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'latchkey.yaml');
    assert.equal(await readFile(await download.path(), 'utf8'), written);
    await page.getByText('Changed by hand').waitFor();
    assert.deepEqual(faults, []);
  });

  test('rules that a file was applied to are managed by it, and say where it comes from', async () => {
    const { server, discord, chain } = world();
    const managed = fillGuild(discord, [], 1);
    await gateGuild(server.services, managed, []);
    const place = `/communities/${encodeURIComponent(managed.communityId)}`;
    const set = `/latchkey${place}/rule-set`;
    const headers = asOperator(world());
    const { version } = (await server.request('GET', set, { headers })).json;
    const [roleId = ''] = managed.roleIds;
    const { chainId, contracts } = chain;
    const rule = { name: 'Holders', type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '1', roleId };
    const source = { file: 'rules/latchkey.yaml', repository: 'https://git.example/cats', commit: 'a1'.repeat(20) };
    const body = { version, rules: [{ rule }], unlisted: 'keep', source };
    const applied = await server.request('PUT', set, { headers, json: body });
    assert.equal(applied.status, 200, JSON.stringify(applied.json));
    await using opened = await openConsole(world(), {
      as: headers,
      path: `${place}/rules/file`,
      viewport: { width: 390, height: 844 },
    });
    const { page, faults } = opened;
    await page.getByText('Managed by file', { exact: true }).waitFor();
    await page.getByText('As applied', { exact: true }).waitFor();
    await page.getByText('rules/latchkey.yaml', { exact: true }).waitFor();
    await page.getByText('a1a1a1a1a1a1', { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const changed = await server.request('POST', `/latchkey${place}/rules`, {
      headers,
      json: { rule: { ...rule, name: 'Whales', minToken: '100' } },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.json));
    await opened.goTo(`${place}/rules/file`);
    await page.getByText('Changed since', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  test('tests run in the page, with reasons, and nothing is sent', async () => {
    await using opened = await open('/file', { width: 390, height: 844 });
    const { page, faults } = opened;
    const field = page.getByLabel('latchkey.yaml with tests', { exact: true }).first();
    await page.getByLabel('latchkey.yaml', { exact: true }).waitFor();
    const sent: string[] = [];
    page.on('request', (asked) => sent.push(`${asked.method()} ${asked.url()}`));
    await field.fill(
      tested(`      - { name: A whale, given: { holds: { coin: 100 } }, expect: { Whale: role } }
      - { name: Nearly, given: { holds: { coin: 99.5 } }, expect: { Whale: role } }
      - { name: Unread, given: { holds: { coin: unknown } }, expect: { Whale: unknown } }
      - { name: Two keys, given: { holds: { keys: { tokens: [{ id: 1 }, { id: 2 }] } } }, expect: { Key: role, Whale: none } }
`),
    );
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText('4 tests, 1 failed').waitFor();
    await page.getByText('Line 12: expected role for Whale, and it is none').waitFor();
    assert.equal(await page.getByText('Passed', { exact: true }).count(), 3);
    await page.getByText('Reasons').nth(1).click();
    await page.getByText('no: at least 100 coin; found: 99.5').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await field.fill(tested('      - { name: Odd, given: { holds: { coins: 1 } }, expect: { Whale: role } }\n'));
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText(/^Line 11, column \d+: .*Did you mean "coin"\?/).waitFor();
    await field.fill(tested('      - { name: Odd, givn: {}, expect: {} }\n'));
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText(/There is no field "givn" here\. Did you mean "given"\?/).waitFor();
    await page.getByRole('button', { name: 'Start with the current rules' }).click();
    await page.getByRole('button', { name: 'Run tests' }).click();
    await page.getByText('1 test, all passed').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    // The page stays connected for news, and loads parts of pages that its links lead to.
    const isUsual = (asked: string) => /^GET \S*\/(?:console\/assets\/|latchkey\/(?:\S+\/)?live\?)/.test(asked);
    assert.deepEqual(
      sent.filter((asked) => !isUsual(asked)),
      [],
    );
    assert.deepEqual(faults, []);
  });

  test('locked rules say so where they are edited, a save is refused with what to do, and the lock is taken off', async () => {
    await using opened = await open('/file');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Lock to the file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock rules' }).click();
    await page.getByText('Locked to file').waitFor();
    await opened.goTo(path(''));
    await page.getByText('The rules are locked to their file').waitFor();
    await page.getByRole('link', { name: /Holders/ }).click();
    await page.getByText('The rules are locked to their file').waitFor();
    await page.getByLabel('At least').fill('2');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save rule' }).click();
    await page.getByText(/locked to its rules file, so this change was refused\. Edit the file and apply it/).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByLabel('At least').fill('1');
    await page.getByRole('link', { name: 'See the file and the lock' }).click();
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock rules' }).click();
    await page.getByText('Changed by hand').waitFor();
    assert.deepEqual(faults, []);
  });

  test('an assertion is added, refuses the rules that break it, and is removed', async () => {
    await using opened = await open('/analysis', { width: 390, height: 844 });
    const { page, faults } = opened;
    await page.getByText('Redundant', { exact: true }).waitFor();
    await page.getByText('No assertions yet').waitFor();
    await page.getByLabel('Name').fill('Whales hold 100');
    await page.getByRole('combobox', { name: 'No member gets this role' }).click();
    await page.getByRole('option', { name: 'Role 0', exact: true }).click();
    await page.getByText('A rule’s condition').click();
    await page.getByRole('combobox', { name: 'The rule' }).click();
    await page.getByRole('option', { name: longName }).click();
    await page.getByRole('button', { name: 'Add assertion' }).click();
    await page.getByText('“Whales hold 100” holds: no member can get Role 0').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const { items } = (await request('GET', '/rules')).json;
    const whales = items.find(({ name }: { name: string }) => name === longName);
    const { rule } = (await request('GET', `/rules/${encodeURIComponent(whales.id)}`)).json;
    const refused = await request('PUT', `/rules/${encodeURIComponent(whales.id)}`, {
      rule: { ...rule, minToken: '5' },
    });
    assert.equal(refused.status, 422);
    assert.match(refused.json.error.message, /“Whales hold 100” does not hold: members can get role/);
    await page.getByRole('button', { name: 'Remove Whales hold 100' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove assertion' }).click();
    await page.getByText('No assertions yet').waitFor();
    assert.deepEqual(faults, []);
  });

  test('the builder names what is wrong with a rule in one sentence, for each kind of finding', async () => {
    const { chainId } = world().chain;
    const [whale = '', holder = '', third = ''] = guild.roleIds;
    const leaf = (minToken: string, more: object = {}) => {
      return { type: 'ERC20', chainId, contractAddress: world().chain.contracts.erc20, minToken, ...more };
    };
    const tree = (roleId: string, rule: object) => ({ scheme: 'logic', version: '2.1.0', roleId, variables: { rule } });
    const compose = (roleId: string, action: string, condition: object) => {
      const roleComposition = { action, operator: 'and', condition, roleId };
      return { scheme: 'role_composition', roleId, variables: { roleComposition } };
    };
    const drafts: [string, object, RegExp][] = [
      ['impossible', tree(third, { and: [leaf('5'), { not: leaf('1') }] }), /^No member can meet this rule/],
      ['always-met', tree(third, { or: [leaf('5'), { not: leaf('5') }] }), /^Every member with a linked wallet/],
      ['redundant', { ...leaf('50'), roleId: holder }, /every member who meets it already gets the role by “/],
      ['no-effect', tree(third, { and: [leaf('5'), leaf('1')] }), /^This condition has no effect/],
    ];
    await using opened = await open('/new');
    const { page, faults } = opened;
    await page.getByRole('tab', { name: 'JSON' }).click();
    const means = page.getByLabel('What this rule means');
    const type = (rule: object) => page.getByLabel('The rule as JSON').fill(JSON.stringify(rule));
    for (const [, rule, sentence] of drafts) {
      await type(rule);
      await means.getByText(sentence).waitFor();
    }
    // The others need compositions that are saved.
    const save = async (rule: object) => {
      const { status, json } = await request('POST', '/rules', { rule });
      assert.equal(status, 200, JSON.stringify(json));
      return json.id as string;
    };
    const taking = await save(compose(third, 'remove', { [whale]: true }));
    await type(compose(third, 'add', { [holder]: true }));
    await means
      .getByText(/gives Role 2 and another removes it from the same members, for example one with a/)
      .waitFor();
    await type(compose(whale, 'add', { [third]: true }));
    await means.getByText(/These roles depend on each other, so that none of them is granted: /).waitFor();
    const always = await save(compose(third, 'add', { [whale]: false }));
    await type({ ...leaf('7'), roleId: third });
    await means.getByText(/rules about other roles decide Role 2 for every member who meets it/).waitFor();
    const giving = await save(compose(third, 'add', { [holder]: true }));
    await using analysis = await open('/analysis');
    await analysis.page.getByText('Contradictory', { exact: true }).waitFor();
    for (const id of [taking, always, giving]) await request('DELETE', `/rules/${encodeURIComponent(id)}?roles=keep`);
    assert.deepEqual([...faults, ...analysis.faults], []);
  });
}
