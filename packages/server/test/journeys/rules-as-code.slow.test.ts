import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BadFiles, type RuleSetApi, restApi, runRules, type Terminal } from '@latchkey/cli';
import { sql } from '@latchkey/db';
import { listenLocally, seed, volume } from '@latchkey/test-kit';
import { type Dice, throwDice } from '../harness/dice.ts';
import { type GatedWorld, giveWallets } from '../harness/gated-world.ts';
import { type RuleWorld, roleNames, startRuleWorld } from '../harness/rule-communities.ts';
import type { TestServer } from '../harness/test-server.ts';

const contracts = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];

/** The published command line against a complete server with its worker, a chain and a Discord emulator. */
describe('rules as code', () => {
  let server: TestServer;
  let world: GatedWorld;
  let rules: RuleWorld;
  let folder: string;
  before(async () => {
    rules = await startRuleWorld();
    ({ server, world } = rules);
    folder = await mkdtemp(join(tmpdir(), 'latchkey-rules-'));
  });
  after(async () => {
    await rules?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  let files = 0;

  /** A community, and a file for it. */
  async function settle(scopes?: string[]) {
    files += 1;
    return { ...(await rules.settle(scopes)), file: `${files}.latchkey.yaml` };
  }

  /** Runs a command as a shell would, and returns its exit code and what it printed. */
  async function run(api: RuleSetApi, words: readonly string[], options: Record<string, string | boolean> = {}) {
    const printed: string[] = [];
    const terminal: Terminal = {
      folder,
      environment: {},
      print: (text) => void printed.push(text),
      printError: (text) => void printed.push(text),
      showProgress: () => {},
      wait: async () => void (await server.worker.idle()),
    };
    const code = await runRules(terminal, () => api, words, options);
    return { code, text: printed.join('\n') };
  }

  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const write = (file: string, text: string) => writeFile(join(folder, file), text);

  test('a community is pulled, changed in its file, planned, applied and waited for, and a second apply writes nothing', async () => {
    const { guild, id, file, api, create, roleOf, readRules, countChanges } = await settle();
    const { chainId, contracts: tokens } = world.chain;
    const holder = world.discord.addMember(guild.id).user.id;
    const stranger = world.discord.addMember(guild.id).user.id;
    const keyHolder = world.chain.accounts[3] ?? assert.fail();
    await world.chain.mintKeys([keyHolder.address]);
    await giveWallets(server.services, { members: [{ userId: holder, address: keyHolder.address }] });
    await create({ name: 'Keys', type: 'ERC721', chainId, contractAddress: tokens.erc721, roleId: roleOf('Holder') });
    await server.worker.idle();

    assert.equal((await run(api, ['pull', id], { file })).code, 0);
    const pulled = await read(file);
    assert.match(pulled, /role: Holder\n/);
    assert.equal((await run(api, ['plan'], { file })).code, 0, 'what was pulled is as it is');

    const changed =
      `${pulled.trimEnd()}\n    tests:\n      - name: Nobody is a whale without keys\n        expect: { Whale: none }\n`.replace(
        'rules:\n',
        `rules:\n      # Whales hold a key too, but are called by another name.\n      - name: Whales\n        role: Whale\n        when: { type: ERC721, chainId: ${chainId}, contractAddress: '${tokens.erc721}', min: 1 }\n`,
      );
    await write(file, changed);
    assert.deepEqual(await run(api, ['test'], { file }), { code: 0, text: '1 test, 0 failed.' });
    const plan = await run(api, ['plan'], { file, members: true, out: 'plan.json' });
    assert.equal(plan.code, 2, plan.text);
    assert.match(plan.text, /\+ Rule “Whales”/);
    assert.match(plan.text, /Whale: 1 gain it, 0 lose it\./);
    assert.ok(plan.text.includes(holder) && !plan.text.includes(stranger), plan.text);

    const applied = await run(api, ['apply', 'plan.json'], { wait: true });
    assert.equal(applied.code, 0, applied.text);
    assert.match(applied.text, /applied \d changes?\.\n {2}Done: 1 role changes\./);
    const roles = world.discord.getGuild(guild.id).members.get(holder)?.roles;
    assert.ok(roles?.has(roleOf('Whale')));

    const [before, historyBefore] = [await readRules(), await countChanges()];
    const again = await run(api, ['apply'], { file });
    assert.match(again.text, /nothing to change/);
    assert.deepEqual([await readRules(), await countChanges()], [before, historyBefore]);
    assert.deepEqual((await run(api, ['drift'], { file })).code, 0);
    const repeated = await run(api, ['apply', 'plan.json']);
    assert.equal(repeated.code, 0, repeated.text);
    assert.match(repeated.text, /applied 0 changes/);
    assert.deepEqual([await readRules(), await countChanges()], [before, historyBefore]);
    await assert.rejects(run(api, ['apply', 'plan.json'], { community: id }), /A saved plan is applied as a whole/);

    const pulledAgain = await run(api, ['pull'], { file });
    assert.equal(pulledAgain.code, 0);
    assert.match(await read(file), /# Whales hold a key too/, 'comments stay');
  });

  test('a key that may only plan cannot apply, and one without a grant finds nothing', async () => {
    const { id, file, api, create, roleOf, readRules } = await settle(['rules:plan']);
    await create({ name: 'Keys', type: 'ERC20', chainId: 1, contractAddress: contracts[0], roleId: roleOf('Holder') });
    await run(api, ['pull', id], { file });
    await write(file, (await read(file)).replace('name: Keys', 'name: Keys\n        description: Changed'));
    assert.equal((await run(api, ['plan'], { file })).code, 2);
    const before = await readRules();
    await assert.rejects(run(api, ['apply'], { file }), /not found/i);
    assert.deepEqual(await readRules(), before);
    const { key } = await server.apiKey(['rules:plan', 'rules:apply']);
    await assert.rejects(run(restApi({ baseUrl: server.url, apiKey: key }), ['plan'], { file }), /not found/i);
    const { key: other } = await server.apiKey(['community:read']);
    await assert.rejects(
      run(restApi({ baseUrl: server.url, apiKey: other }), ['plan'], { file }),
      /needs one of these scopes/,
    );
  });

  test('errors name the line, the column and what was probably meant', async () => {
    const { id, file, api } = await settle();
    await write(
      file,
      `version: 1\ncommunities:\n  - community: ${id}\n    rules:\n      - name: Whales\n        role: Whael\n        when: { type: ERC20, chainId: 1, contractAddress: '${contracts[0]}' }\n`,
    );
    await assert.rejects(run(api, ['plan'], { file }), (error: Error) => {
      assert.ok(error instanceof BadFiles);
      assert.equal(error.message, `${file}:6:15: There is no role "Whael" in the community. Did you mean "Whale"?`);
      return true;
    });
    await write(file, (await read(file)).replace('Whael', 'Whale').replace('when:', 'wen:'));
    await assert.rejects(run(api, ['plan'], { file }), (error: Error) => {
      assert.equal(error.message, `${file}:7:9: There is no field "wen" here. Did you mean "when"?`);
      return true;
    });
  });

  test('roles that the platform does not return are unknown, and no name counts as an id', async () => {
    const { id, file, api, create, roleOf, readRules } = await settle();
    await create({ name: 'A', type: 'ERC20', chainId: 1, contractAddress: contracts[0], roleId: roleOf('Holder') });
    await run(api, ['pull', id], { file });
    const [text, before] = [await read(file), await readRules()];
    const silent: RuleSetApi = {
      ...api,
      getRuleSet: async (community) => {
        const { roles: _roles, ...ruleSet } = await api.getRuleSet(community);
        return ruleSet;
      },
    };
    await write(file, text.replace('role: Holder', 'role: Level5'));
    for (const verb of ['plan', 'apply', 'drift', 'pull'])
      await assert.rejects(
        run(silent, [verb], { file }),
        /did not return its roles, so whether there is a role "Level5"/,
      );
    assert.deepEqual(await readRules(), before);
    await write(file, text.replace('role: Holder', `role: ${roleOf('Holder')}`));
    assert.equal((await run(silent, ['plan'], { file })).code, 0, 'an id of the community is known');
    const pinned = text.replace('rules:', `roles: { Owner: '${roleOf('Holder')}' }\n    rules:`);
    await write(file, pinned.replace('role: Holder', 'role: Owner'));
    assert.equal((await run(silent, ['plan'], { file })).code, 0, 'and so is one that the file gives a name');
  });

  test('two communities of one file are pulled together, with variables, and with a role that is gone', async () => {
    const [one, two] = [await settle(), await settle()];
    for (const { create, roleOf } of [one, two])
      for (const [index, name] of ['First', 'Second'].entries())
        await create({
          name,
          type: 'ERC20',
          chainId: 1,
          contractAddress: contracts[index],
          roleId: roleOf(name === 'First' ? 'Holder' : 'Whale'),
        });
    const both: RuleSetApi = {
      ...one.api,
      getRuleSet: (community) => (community === two.id ? two.api : one.api).getRuleSet(community),
      planRuleSet: (community, wanted) => (community === two.id ? two.api : one.api).planRuleSet(community, wanted),
    };
    const { file } = one;
    await run(both, ['pull', one.id, two.id, one.id], { file });
    const pulled = await read(file);
    assert.equal(pulled.split('- community:').length, 3, pulled);
    await write(
      file,
      pulled.replace('version: 1', 'version: 1\nvariables: { RULE: First }').replaceAll('name: First', 'name: ${RULE}'),
    );
    world.discord.deleteRole(one.guild.id, one.roleOf('Whale'));
    await sql`update community_rules set definition = definition || '{"minToken": "7"}'
      where community_id = ${two.id} and definition->>'name' = 'Second'`.execute(server.services.db.system);
    assert.equal((await run(both, ['pull'], { file })).code, 0);
    const again = await read(file);
    assert.ok(again.includes(one.id) && again.includes(two.id), again);
    assert.equal(again.split('name: ${RULE}').length, 3, again);
    assert.match(again, new RegExp(`role: '?"?${one.roleOf('Whale')}`));
    assert.match(again, /min: 7\n/);
    assert.equal((await run(both, ['plan'], { file, community: two.id })).code, 0);
  });

  test('what must never be is pulled, reviewed and applied with the rules, and holds every save to it', async () => {
    const { id, file, api, create, ask, roleOf, readRules } = await settle();
    const token = { type: 'ERC20', chainId: 1, contractAddress: contracts[0] };
    await create({ name: 'Whales', ...token, minToken: '50', roleId: roleOf('Whale') });
    await run(api, ['pull', id], { file });
    const never = (min: number) =>
      `    never:\n      - name: Whales hold\n        role: Whale\n        unless: { holds: { type: ERC20, chainId: 1, contractAddress: '${contracts[0]}', min: ${min} } }\n      - { role: VIP, unless: { role: Whale } }\n`;
    const plain = (await read(file)).trimEnd();
    await write(file, `${plain}\n${never(51)}`);
    const broken = await run(api, ['plan'], { file });
    assert.equal(broken.code, 1, broken.text);
    assert.match(
      broken.text,
      new RegExp(`${file}:\\d+:\\d+: “Whales hold” does not hold: members can get .* holds 50 `),
    );
    await assert.rejects(run(api, ['apply'], { file }), /“Whales hold” does not hold/);
    await write(file, `${plain}\n${never(50)}`);
    const plan = await run(api, ['plan'], { file });
    assert.match(plan.text, /\+ Never: “Whales hold”\n {6}No member gets Whale without at least 50 /);
    assert.equal((await run(api, ['apply'], { file })).code, 0);
    assert.match((await run(api, ['apply'], { file })).text, /nothing to change/);
    assert.equal((await run(api, ['drift'], { file })).code, 0);
    const [before, text] = [await readRules(), await read(file)];
    await run(api, ['pull'], { file });
    assert.equal(await read(file), text, 'pull leaves it alone');
    await write('fresh.yaml', `version: 1\ncommunities:\n  - community: ${id}\n`);
    await run(api, ['pull'], { file: 'fresh.yaml' });
    assert.match(await read('fresh.yaml'), /never:\n {6}- name: Whales hold\n {8}role: Whale\n {8}unless:\n/);
    assert.equal((await run(api, ['plan'], { file: 'fresh.yaml' })).code, 0);
    await assert.rejects(
      create({ name: 'Weak', ...token, minToken: '5', roleId: roleOf('Whale') }),
      /“Whales hold” does not hold/,
    );
    assert.deepEqual(await readRules(), before);
    await ask('PUT', `/latchkey/communities/${encodeURIComponent(id)}/rule-assertions`, { assertions: [] });
    const drift = await run(api, ['drift'], { file });
    assert.equal(drift.code, 2);
    assert.match(drift.text, /Never: “Whales hold” is in the file, but not in the community/);
  });

  test('a plan says who loses roles by a guest pass that is deleted, and who a changed one concerns', async () => {
    const { guild, id, file, api, ask, roleOf } = await settle();
    const guest = world.discord.addMember(guild.id).user.id;
    const pass = await ask('POST', `/discord/${guild.id}/guest-passes`, {
      name: 'Visitor',
      roleSet: [{ id: roleOf('VIP') }, { id: roleOf('Holder') }],
      period: 86_400,
    });
    const passes = `/latchkey/communities/${encodeURIComponent(id)}/guest-passes`;
    await ask('PUT', `${passes}/${encodeURIComponent(pass.id)}/holders/${encodeURIComponent(`DIS#USER#${guest}`)}`);
    await server.worker.idle();
    const rolesOf = () => world.discord.getGuild(guild.id).members.get(guest)?.roles ?? new Set();
    assert.ok(rolesOf().has(roleOf('VIP')));
    await run(api, ['pull', id], { file });
    const text = await read(file);
    await write(file, text.replace(/period: \S+/, 'period: 3d'));
    assert.match(
      (await run(api, ['plan'], { file })).text,
      /Guest pass “Visitor” changes for those who get it from now on\. 1 member with it now keep what it gave them\./,
    );
    const holders = `rules:\n      - { name: Everyone else, role: Holder, when: { not: { type: ERC20, chainId: ${world.chain.chainId}, contractAddress: '${world.chain.contracts.erc20}' } } }`;
    await write(
      file,
      text.replace(/guestPasses:[\s\S]*?(?=\n {4}\w)/, 'guestPasses: []').replace(/rules: *\n? *\[\]/, holders),
    );
    const plan = await run(api, ['plan'], { file, members: true });
    assert.match(
      plan.text,
      /Guest pass “Visitor” ends for 1 member\. The members below include who loses roles by that\./,
    );
    assert.match(plan.text, /VIP: 0 gain it, 1 lose it\./);
    assert.match(plan.text, new RegExp(`${guest}\\): loses VIP`));
    assert.ok(!/Holder: \d+ gain it, [1-9]/.test(plan.text), plan.text);
    assert.equal((await run(api, ['apply'], { file, wait: true })).code, 0);
    await server.worker.idle();
    assert.ok(!rolesOf().has(roleOf('VIP')), 'as planned');
  });

  test('random communities are pulled and applied again without a difference or a write', async () => {
    const name = 'rules-as-code';
    for (let round = 0; round < volume(4, 1_000); round += 1) {
      const random = throwDice(`${seed(name)} ${round}`);
      const { id, file, api, create, ask, roleOf, readRules, countChanges } = await settle();
      const bodies = randomRules(random, roleOf);
      for (const body of bodies) await create(body);
      await sql`update community_rules set visibility = (array['public', 'secret', 'hidden'])[1 + abs(hashtext(id)) % 3]
        where community_id = ${id}`.execute(server.services.db.system);
      if (random.chance(0.5))
        await ask('POST', `/discord/${id.split('#').at(-1)}/guest-passes`, {
          name: random.pick(['Visitor', '100% guest', 'no: yes']),
          roleSet: [{ id: roleOf('VIP') }],
          period: 60 * (1 + random.below(100_000)),
        });
      const context = `${round}: ${JSON.stringify(bodies)}`;
      await run(api, ['pull', id], { file });
      const [before, historyBefore] = [await readRules(), await countChanges()];
      const plan = await run(api, ['plan'], { file });
      assert.equal(plan.code, 0, `${context}\n${plan.text}\n${await read(file)}`);
      assert.ok(!plan.text.includes(' ? '), plan.text);
      await run(api, ['apply'], { file });
      assert.deepEqual([await readRules(), await countChanges()], [before, historyBefore], context);
      await run(api, ['fmt'], { file });
      const text = await read(file);
      await run(api, ['pull'], { file });
      assert.equal(await read(file), text, `${context}: pull changed a file that was as the community`);
      // Roles that are still to be written differ from the rules.
      await server.worker.idle();
      const drift = await run(api, ['drift'], { file });
      // Roles that depend on each other cannot be decided, which is neither a difference nor none.
      const isUnknown = drift.text.includes('members could not be checked');
      assert.equal(drift.code, isUnknown ? 1 : 0, `${context}\n${drift.text}`);
    }
  });

  describe('drift', () => {
    const base = (roleOf: (name: string) => string) => [
      { name: 'Holders', type: 'ERC20', chainId: 1, contractAddress: contracts[0], roleId: roleOf('Holder') },
      {
        name: 'Whales',
        type: 'ERC20',
        chainId: 1,
        contractAddress: contracts[0],
        minToken: '50',
        roleId: roleOf('Whale'),
      },
      ...[true, false].map((held, index) => ({
        name: `Composed ${index}`,
        scheme: 'role_composition',
        roleId: roleOf('VIP'),
        variables: {
          roleComposition: {
            action: held ? 'add' : 'remove',
            operator: 'and',
            condition: { [roleOf('Holder')]: held },
          },
        },
      })),
    ];
    type Settled = Awaited<ReturnType<typeof settle>>;
    const sqlOf =
      (text: string) =>
      async ({ id }: Settled) =>
        void (await sql.raw(text.replaceAll('ID', `'${id}'`)).execute(server.services.db.system));
    const mutations: Record<string, [(settled: Settled) => Promise<void> | void, RegExp]> = {
      'a rule that was edited': [
        sqlOf(
          `update community_rules set definition = definition || '{"minToken": "60"}' where community_id = ID and definition->>'name' = 'Whales'`,
        ),
        /“Whales” \(minToken\) differs/,
      ],
      'a rule that was renamed': [
        sqlOf(
          `update community_rules set definition = definition || '{"name": "Big ones"}' where community_id = ID and definition->>'name' = 'Whales'`,
        ),
        /“Whales” \(name\) differs/,
      ],
      'a rule that was deleted': [
        sqlOf(`delete from community_rules where community_id = ID and definition->>'name' = 'Whales'`),
        /“Whales” is in the file, but not in the community/,
      ],
      'a rule that was added': [
        async ({ create, roleOf }) =>
          void (await create({
            name: 'New',
            type: 'ERC20',
            chainId: 1,
            contractAddress: contracts[1],
            roleId: roleOf('VIP'),
          })),
        /“New” is in the community, but not in the file/,
      ],
      'rules in another order': [
        sqlOf(
          `update community_rules set position = case definition->>'name' when 'Composed 0' then 9 else 1 end where community_id = ID`,
        ),
        /The order of the rules differs/,
      ],
      'a visibility': [
        sqlOf(
          `update community_rules set visibility = 'hidden' where community_id = ID and definition->>'name' = 'Whales'`,
        ),
        /“Whales” \(visibility\) differs/,
      ],
      'a role that is gone': [
        ({ guild, roleOf }) => world.discord.deleteRole(guild.id, roleOf('Whale')),
        /no role "Whale"/,
      ],
      'a role that was renamed': [
        ({ guild, roleOf }) => {
          const role = world.discord.getGuild(guild.id).roles.get(roleOf('Whale'));
          if (role !== undefined) role.name = 'Orca';
        },
        /no role "Whale"/,
      ],
      'a role above the bot': [({ guild, roleOf }) => world.discord.moveRole(guild.id, roleOf('Whale'), 99), /Whale/],
      'a permission that the bot lost': [
        ({ guild }) => {
          const own = [...world.discord.getGuild(guild.id).roles.values()].find(({ botId }) => botId !== undefined);
          if (own !== undefined) own.permissions = 0n;
        },
        / {2}! .*Manage Roles/,
      ],
      'a role that was given by hand': [
        async ({ guild, roleOf }) => {
          const member = world.discord.addMember(guild.id);
          world.discord.getGuild(guild.id).members.get(member.user.id)?.roles.add(roleOf('Holder'));
        },
        /Holder: 1 members have it against the rules/,
      ],
      'the brakes': [
        async ({ id, ask }) =>
          ask('PUT', `/latchkey/communities/${encodeURIComponent(id)}/approval-policy`, { approvers: 2, roles: [] }),
        /Brakes \(approvers\) differs/,
      ],
      'the settings': [
        async ({ id, ask }) =>
          ask('PATCH', `/latchkey/communities/${encodeURIComponent(id)}/settings`, { checkPeriodSeconds: 7200 }),
        /Settings \(checkPeriodSeconds\) differs/,
      ],
    };
    for (const [title, [mutate, named]] of Object.entries(mutations))
      test(`names ${title}`, async () => {
        const settled = await settle();
        for (const body of base(settled.roleOf)) await settled.create(body);
        await server.worker.idle();
        const { file, api, id } = settled;
        await run(api, ['pull', id], { file });
        assert.deepEqual(await run(api, ['drift'], { file }).then(({ code }) => code), 0);
        await mutate(settled);
        const drift = await run(api, ['drift'], { file });
        assert.equal(drift.code, 2, drift.text);
        assert.match(drift.text, named);
      });
  });

  test('an apply that is killed by SIGKILL at a random point leaves a community from which the next one finishes', async () => {
    const main = resolve(import.meta.dirname, '../../../cli/src/main.ts');
    const points = new Set<string>();
    for (let round = 0; round < volume(3, 40); round += 1) {
      const random = throwDice(`${seed('rules-as-code')} kill ${round}`);
      const { id, file, api, create, roleOf, key, readRules } = await settle();
      await create({ name: 'Old', type: 'ERC20', chainId: 1, contractAddress: contracts[0], roleId: roleOf('Holder') });
      await run(api, ['pull', id], { file });
      const changed = (await read(file))
        .replace('approvers: 1', 'approvers: 2')
        .replace(
          / {6}- name: Old[\s\S]*?(?=\n {4}\w)/,
          `      - name: New\n        role: Whale\n        when: { type: ERC20, chainId: 1, contractAddress: '${contracts[1]}' }`,
        );
      await write(file, changed);
      // Every request that apply makes is a point, before it arrives or after it was done.
      const [number, isDone] = [1 + random.below(6), random.chance(0.5)];
      await using proxy = await startKillingProxy(server.url, { number, isDone });
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', main, 'rules', 'apply', '--wait', '--file', file],
        {
          cwd: folder,
          env: { PATH: process.env.PATH, LATCHKEY_URL: proxy.url, LATCHKEY_API_KEY: key },
          stdio: 'ignore',
        },
      );
      proxy.kills(child);
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      assert.equal(signal === 'SIGKILL', proxy.killedAt() !== undefined);
      points.add(`${proxy.killedAt() ?? 'never'} ${isDone ? 'done' : 'unsent'}`);
      const finished = await run(api, ['apply'], { file, wait: true });
      const context = `${proxy.killedAt()}: ${finished.text}`;
      assert.equal(finished.code, 0, context);
      assert.deepEqual(
        (await readRules()).map(({ definition }) => definition.name),
        ['New'],
        context,
      );
      assert.equal((await run(api, ['drift'], { file })).code, 0, context);
    }
    assert.ok(points.size > 1, `killed at ${[...points].join(', ')}`);
  });
});

/** Forwards to a server, and kills a process when its n-th request arrives, or once it was answered. */
async function startKillingProxy(target: string, { number, isDone }: { number: number; isDone: boolean }) {
  let child: ChildProcess | undefined;
  let count = 0;
  let killedAt: string | undefined;
  const kill = (request: IncomingMessage) => {
    killedAt = `${request.method} ${request.url?.replace(/^.*\/rule-set/, '')}`;
    child?.kill('SIGKILL');
  };
  const listening = await listenLocally(
    createServer(async (request, response) => {
      count += 1;
      const isIt = count === number;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (isIt && !isDone) return kill(request);
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      const text = await answer.text();
      if (isIt) return kill(request);
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
    }),
  );
  return {
    ...listening,
    kills: (process: ChildProcess) => {
      child = process;
    },
    killedAt: () => killedAt,
  };
}

/** Rules of many forms: flat, with queries and traits, trees, compositions, odd names, and some twice. */
function randomRules(random: Dice, roleOf: (name: string) => string): Record<string, unknown>[] {
  const role = () => roleOf(random.pick(roleNames));
  const names = [
    'Holders',
    'Whales',
    'yes',
    'null',
    '007',
    '# 1',
    'a: b',
    '${HOME}',
    'Üñï “q”',
    '- dash',
    '1e3',
    ' spaced ',
  ] as const;
  const leaf = (): Record<string, unknown> => {
    const token = { chainId: 1, contractAddress: random.pick(contracts) };
    return random.pick([
      { type: 'ERC20', ...token, minToken: random.pick(['1', '0.5', '100', '1000000000000000000000']) },
      { type: 'erc721', ...token },
      { type: 'ERC1155', ...token, tokenId: '1-5, 9', minToken: '2', maxToken: '7' },
      {
        type: 'ERC721',
        ...token,
        version: '2.1.0',
        variables: {
          _filter: {
            condition: 'and',
            filters: [{ minCount: 1, condition: 'or', traits: [{ trait_type: 'Fur', value: 'Gold' }] }],
          },
        },
      },
      { type: 'POAP', eventId: '101,102' },
      { asset: `evm:1/ERC20:${contracts[0]}`, minToken: '3' },
      { type: 'ERC20', ...token, variables: { _sumWallets: true, _heldForSeconds: 86_400 } },
      { type: 'ERC721', ...token, version: '2.0.0', query: '$count($.tokens) > 1' },
    ] as const);
  };
  const tree = (depth: number): unknown => {
    if (depth === 0 || random.chance(0.3))
      return random.chance(0.2)
        ? { ...leaf(), visibility: 'secret' }
        : random.chance(0.1)
          ? { ...leaf(), minToken: 2 }
          : leaf();
    const parts = Array.from({ length: 1 + random.below(3) }, () => tree(depth - 1));
    return random.pick([{ and: parts }, { or: parts }, { not: parts[0] }, { atLeast: 1, of: parts }] as const);
  };
  const condition = (): Record<string, unknown> => {
    if (random.chance(0.4)) return leaf();
    if (random.chance(0.6))
      return { scheme: 'logic', ...(random.chance(0.7) && { version: '2.1.0' }), variables: { rule: tree(3) } };
    const [first, second] = [random.pick(roleNames), random.pick(roleNames)];
    const target = roleNames.find((name) => name !== first && name !== second) ?? 'VIP';
    return {
      scheme: 'role_composition',
      roleId: roleOf(target),
      variables: {
        roleComposition: {
          action: random.pick(['add', 'remove', 'addOrRemove', 'removeOrAdd'] as const),
          ...(random.chance(0.5) && { roleId: roleOf(target) }),
          operator: random.pick(['and', 'or'] as const),
          condition: { [roleOf(first)]: true, [roleOf(second)]: random.chance(0.5) },
        },
      },
    };
  };
  return Array.from({ length: random.below(9) }, () => ({
    ...(random.chance(0.8) && { name: random.pick(names) }),
    ...(random.chance(0.3) && { description: random.pick(['What it is for.', '', 'Two\nlines: and # more', '${X}']) }),
    roleId: role(),
    ...condition(),
  }));
}
