import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { selectRules } from '../../communities/rule-records/index.ts';
import { contextFor } from '../../shared/context.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { insertNewRule, refuseBadRule, removeRule, rewriteRule } from '../community-rules/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild, token } from '../role-changes/testing/index.ts';
import { checkDueRules, countDueMembers } from './check-rules.ts';
import { listRuleHealth } from './operations.ts';

const coin = { standard: 'erc20', name: 'Cat Coin', symbol: 'CAT', decimals: 18 } as const;
const onBase = { ...erc20Rule('gold'), chainId: 8453 };
const tree = (part: object) => ({
  scheme: 'logic',
  roleId: 'gold',
  variables: { rule: { or: [erc20Rule('gold'), part] } },
});

describe('the health of rules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-health');
  });
  after(() => t.close());
  beforeEach(() => {
    t.holdings.unread.clear();
    t.holdings.fail('evm:1', undefined);
    t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata: coin });
    t.tokenMetadata.setCode('evm:1', token, true);
    t.tokenMetadata.setProbe('evm:1', token, true);
  });

  async function settle(members = 1, rules: Record<string, unknown>[] = []): Promise<Guild> {
    const guild = await setUpGuild(t, { members, rules, roles: () => ['gold'] });
    t.host.addCommunity(guild.guildId, [{ id: 'gold', name: 'Gold' }]);
    t.host.addAdmin(guild.guildId, '1');
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [guild.id, t.services.clock()],
    );
    for (let member = 0; member < members; member += 1)
      t.host.addMember(guild.guildId, guild.nativeIdOf(member), ['gold']);
    return guild;
  }

  const refuse = (id: string, body: Record<string, unknown>) => refuseBadRule(t.as(admin), { id, body });
  const save = async (id: string, body: Record<string, unknown>) => {
    await refuse(id, body);
    return insertNewRule(t.as(admin), { id, body });
  };
  const system = () => contextFor(t.services, { kind: 'system', job: 'test' });
  const check = (id: string) => checkDueRules(system(), id, new AbortController().signal);
  const count = (id: string) => countDueMembers(system(), id, new AbortController().signal);
  const healthOf = async (communityId: string) => {
    const { items } = await listRuleHealth(t.as(admin), { communityId });
    assert.ok(items[0]);
    return items[0].health;
  };

  it('refuses a rule that can never be decided, with the reason and the setting, and writes nothing', async () => {
    const { id } = await settle();
    t.holdings.unread.add('evm:8453').add('nfty.ink').add('opensea').add('solana:mainnet-beta').add('delegate');
    const other = `0x${'3'.repeat(40)}`;
    t.tokenMetadata.setCode('evm:1', other, false);
    const silent = `0x${'4'.repeat(40)}`;
    t.tokenMetadata.setCode('evm:1', silent, true);
    const solana = {
      type: 'SOLANA_FT',
      contractAddress: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      roleId: 'gold',
    };
    const opensea = { type: 'OPEN_SEA', collectionName: 'cats', roleId: 'gold' };
    const ink = { type: 'NFTY.INK', contractAddress: token, tokenId: '1', roleId: 'gold' };
    const delegated = { ...erc20Rule('gold'), variables: { _delegation: true } };
    for (const [body, code, pattern] of [
      [onBase, 'no-reader', /No node is configured for Base .*LATCHKEY_EVM_RPC_URLS with 8453=https:\/\/…\./],
      [tree(onBase), 'no-reader', /No node is configured for Base/],
      [solana, 'no-reader', /LATCHKEY_CHAIN_URLS with solana:mainnet-beta=/],
      [opensea, 'no-reader', /OpenSea is not configured .*LATCHKEY_CHAIN_URLS with opensea=/],
      [ink, 'not-supported', /cannot read NFTY\.INK/],
      [delegated, 'not-supported', /Delegated wallets cannot be read on Ethereum/],
      [
        erc20Rule('gold', '1', other),
        'no-contract',
        /There is no contract at 0x3333.* on Ethereum\. Check the address/,
      ],
      [tree(erc20Rule('gold', '1', other)), 'no-contract', /There is no contract at 0x3333/],
      [erc20Rule('gold', '1', silent), 'no-decimals', /does not report decimals\(\)/],
    ] as const)
      await assert.rejects(save(id, body), (error: Error & { code?: string; details?: { code: string }[] }) => {
        assert.equal(error.code, 'VALIDATION_FAILED');
        assert.match(error.message, pattern);
        assert.equal(error.details?.[0]?.code, code);
        return true;
      });
    assert.deepEqual(await selectRules(t.services.db.system, id), []);
    assert.deepEqual((await listRuleHealth(t.as(admin), { communityId: id })).items, []);
  });

  it('refuses a contract that does not answer what the condition reads, or names another standard', async () => {
    const { id } = await settle();
    const [wrong, older, badge] = ['8', '9', 'a'].map((digit) => `0x${digit.repeat(40)}`);
    assert.ok(wrong && older && badge);
    for (const contract of [wrong, older, badge]) t.tokenMetadata.setCode('evm:1', contract, true);
    t.tokenMetadata.setProbe('evm:1', wrong, false);
    t.tokenMetadata.set('evm:1', badge, { kind: 'read', metadata: { standard: 'erc1155' } });
    t.tokenMetadata.setProbe('evm:1', badge, false);
    const of = (type: string, contractAddress: string, more: object = {}) => ({
      ...erc20Rule('gold', '1', contractAddress),
      type,
      ...more,
    });
    const call = { variables: { _functionName: 'shares' } };
    for (const [body, code, pattern] of [
      [of('ERC721', wrong), 'wrong-contract', /0x8888.* does not answer balanceOf\(\), as every ERC721 contract does/],
      [of('ERC1155', wrong, { tokenId: '5' }), 'wrong-contract', /as every ERC1155 contract does\. Check the address/],
      [tree(of('ERC721', wrong)), 'wrong-contract', /does not answer balanceOf\(\)/],
      [of('CUSTOM_ABI', wrong, call), 'wrong-contract', /does not answer shares\(address\) with these arguments/],
      [of('MOLOCH', wrong), 'wrong-contract', /is not a Moloch DAO/],
      [of('gnosis', wrong), 'wrong-contract', /is not a Safe/],
      [of('ERC721', token), 'standard', /implements ERC20, not ERC721/],
      [of('ERC721', badge), 'standard', /implements ERC1155, not ERC721/],
      [of('ERC1155', token, { tokenId: '5' }), 'standard', /implements ERC20, not ERC1155/],
      [erc20Rule('gold', '1', badge), 'standard', /implements ERC1155, not ERC20/],
    ] as const)
      await assert.rejects(save(id, body), (error: Error & { code?: string; details?: { code: string }[] }) => {
        assert.equal(error.code, 'VALIDATION_FAILED');
        assert.match(error.message, pattern);
        assert.equal(error.details?.[0]?.code, code);
        return true;
      });
    assert.deepEqual(await selectRules(t.services.db.system, id), []);
    await save(id, of('ERC721', older));
    await save(id, of('ERC1155', badge, { tokenId: '5' }));
    // Nodes that disagree say nothing about the contract.
    t.tokenMetadata.setProbe('evm:1', wrong, { kind: 'unknown', reason: 'The endpoints disagree.' });
    await save(id, of('ERC721', wrong));
    await check(id);
    const { items } = await listRuleHealth(t.as(admin), { communityId: id });
    const problems = items.flatMap(({ health }) => health.problems.map(({ code, message }) => `${code}: ${message}`));
    assert.deepEqual(problems, ['not-answering: Ethereum could not be read. The endpoints disagree.']);
  });

  it('saves a rule whose node does not respond, shows it as unchecked, and as ok once the node responds', async () => {
    const { id } = await settle();
    t.tokenMetadata.setCode('evm:1', token, { kind: 'unknown', reason: 'The node is down.' });
    t.tokenMetadata.set('evm:1', token, { kind: 'unknown', reason: 'The node is down.' });
    t.holdings.fail('evm:1', 'The node is down.');
    await save(id, erc20Rule('gold'));
    assert.deepEqual((await healthOf(id)).problems[0]?.message, 'This rule has not been checked yet.');
    await check(id);
    const unchecked = await healthOf(id);
    assert.equal(unchecked.state, 'unknown');
    assert.match(unchecked.problems[0]?.message ?? '', /Ethereum could not be read\. The node is down\./);
    assert.equal(unchecked.evaluatedTime, undefined);
    t.tokenMetadata.setCode('evm:1', token, true);
    t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata: coin });
    t.holdings.fail('evm:1', undefined);
    t.advanceSeconds(180);
    await check(id);
    const { state, problems, reads, blocks, evaluatedTime, sinceTime } = await healthOf(id);
    assert.deepEqual([state, problems, reads], ['ok', [], 1]);
    assert.deepEqual(blocks, [{ chain: 'evm:1', number: '1' }]);
    assert.deepEqual([evaluatedTime, sinceTime], Array(2).fill(t.services.clock().toISOString()));
  });

  it('never calls a rule undecidable because something does not respond, whatever it is', async () => {
    const down = { kind: 'unknown', reason: 'The node is down.' } as const;
    const breaks: Record<string, () => void> = {
      code: () => t.tokenMetadata.setCode('evm:1', token, down),
      metadata: () => t.tokenMetadata.set('evm:1', token, down),
      probe: () => t.tokenMetadata.setProbe('evm:1', token, down),
      holdings: () => t.holdings.fail('evm:1', down.reason),
    };
    const names = Object.keys(breaks);
    for (let chosen = 1; chosen < 2 ** names.length; chosen += 1)
      for (const wasDecided of [false, true]) {
        const { id } = await settle();
        t.tokenMetadata.setCode('evm:1', token, true);
        t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata: coin });
        t.tokenMetadata.setProbe('evm:1', token, true);
        t.holdings.fail('evm:1', undefined);
        const apply = () => names.forEach((name, bit) => void ((chosen & (1 << bit)) !== 0 && breaks[name]?.()));
        if (!wasDecided) apply();
        await save(id, erc20Rule('gold'));
        await check(id);
        if (wasDecided) assert.equal((await healthOf(id)).state, 'ok');
        apply();
        t.advanceSeconds(1801);
        await check(id);
        assert.equal((await healthOf(id)).state, wasDecided ? 'degraded' : 'unknown', `${chosen}`);
      }
  });

  it('turns undecidable when its chain loses its node, and recovers with it', async () => {
    const { id } = await settle();
    await save(id, erc20Rule('gold'));
    await check(id);
    t.holdings.unread.add('evm:1');
    t.advanceSeconds(1801);
    assert.deepEqual(await check(id), { isMore: false, isChanged: true });
    const broken = await healthOf(id);
    assert.equal(broken.state, 'undecidable');
    assert.match(broken.problems[0]?.action ?? '', /LATCHKEY_EVM_RPC_URLS with 1=/);
    assert.deepEqual(await check(id), { isMore: false, isChanged: false }, 'it is not due yet');
    t.holdings.unread.clear();
    t.advanceSeconds(180);
    await check(id);
    assert.equal((await healthOf(id)).state, 'ok');
  });

  it('counts members who meet the rule and who are unknown, not members who have the role', async () => {
    const guild = await settle(4);
    for (const member of [0, 1, 2]) guild.hold(member, member === 2 ? '0' : '5');
    const { id } = guild;
    await save(id, erc20Rule('gold'));
    await guild.resync();
    await check(id);
    await count(id);
    assert.equal((await healthOf(id)).qualifying, undefined, 'members are checked first');
    t.advanceSeconds(300);
    await count(id);
    const { qualifying, unknownMembers, unknownSinceTime, countedMembers, isCountWhole } = await healthOf(id);
    assert.deepEqual([qualifying, unknownMembers, countedMembers, isCountWhole], [2, 0, 4, true]);
    assert.equal(unknownSinceTime, undefined);
    t.holdings.fail('evm:1', 'The node is down.');
    t.advanceSeconds(2000);
    await check(id);
    await count(id);
    const down = await healthOf(id);
    const since = t.services.clock().toISOString();
    assert.deepEqual([down.state, down.sinceTime], ['degraded', since]);
    assert.deepEqual([down.qualifying, down.unknownMembers, down.unknownSinceTime], [0, 4, since]);
    t.advanceSeconds(24 * 3600);
    await count(id);
    assert.equal((await healthOf(id)).unknownSinceTime, since, 'they are unknown since then');
    t.holdings.fail('evm:1', undefined);
    await check(id);
    await count(id);
    const well = await healthOf(id);
    assert.deepEqual(
      [well.state, well.qualifying, well.unknownMembers, well.unknownSinceTime],
      ['ok', 2, 0, undefined],
    );
  });

  it('keeps nothing about a version of the rule that was replaced, and deletes the health of a rule that is gone', async () => {
    const { id } = await settle();
    const { id: tpcId } = await save(id, erc20Rule('gold'));
    await check(id);
    assert.equal((await healthOf(id)).state, 'ok');
    t.advanceSeconds(1);
    await rewriteRule(t.as(admin), { id, tpcId, body: erc20Rule('gold', '9') });
    assert.deepEqual([(await healthOf(id)).state, (await healthOf(id)).evaluatedTime], ['unknown', undefined]);
    // The rule changes while its health is being checked.
    const read = t.tokenMetadata.readCode;
    t.tokenMetadata.readCode = async (...args) => {
      t.tokenMetadata.readCode = read;
      t.advanceSeconds(1);
      await rewriteRule(t.as(admin), { id, tpcId, body: erc20Rule('gold', '10') });
      return read(...args);
    };
    await check(id);
    assert.equal((await healthOf(id)).state, 'unknown');
    await check(id);
    assert.equal((await healthOf(id)).state, 'ok');
    await removeRule(t.as(admin), { id, tpcId });
    const { rows } = await t.services.db.pool.query('select from rule_health where community_id = $1', [id]);
    assert.equal(rows.length, 0);
  });

  it('is checked once by several workers, page by page, and not shown to non-admins', async () => {
    const { id } = await settle();
    for (const amount of ['1', '2', '3']) {
      t.advanceSeconds(1);
      await save(id, erc20Rule('gold', amount));
    }
    const from = t.holdings.requests.length;
    await Promise.all([check(id), check(id), check(id)]);
    assert.equal(t.holdings.requests.length - from, 3);
    const first = await listRuleHealth(t.as(admin), { communityId: id, limit: 2 });
    const second = await listRuleHealth(t.as(admin), {
      communityId: id,
      limit: 2,
      paginationToken: first.paginationToken,
    });
    assert.deepEqual([first.items.length, second.items.length, second.paginationToken], [2, 1, undefined]);
    assert.equal(new Set([...first.items, ...second.items].map(({ ruleId }) => ruleId)).size, 3);
    assert.deepEqual((await listRuleHealth(t.as(admin), { communityId: id, state: 'degraded' })).items, []);
    await assert.rejects(listRuleHealth(t.as(mallory), { communityId: id }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('reads the contracts and holdings of all rules of a community together, and blames only the rule that has the fault', async () => {
    const { id } = await settle();
    const others = ['5', '6', '7'].map((digit) => `0x${digit.repeat(40)}`);
    for (const contract of others) {
      t.tokenMetadata.set('evm:1', contract, { kind: 'read', metadata: coin });
      t.tokenMetadata.setCode('evm:1', contract, true);
    }
    const contracts = [token, ...others];
    for (const contract of contracts) {
      t.advanceSeconds(1);
      await save(id, erc20Rule('gold', '1', contract));
    }
    t.tokenMetadata.setCode('evm:1', others[0] ?? '', false);
    const codes: (readonly string[])[] = [];
    const { readCode } = t.tokenMetadata;
    t.tokenMetadata.readCode = (chain, asked, signal) => {
      codes.push(asked);
      return readCode(chain, asked, signal);
    };
    const reads: number[] = [];
    const { read } = t.holdings;
    t.holdings.read = (questions, options) => {
      reads.push(questions.length);
      return read(questions, options);
    };
    try {
      await check(id);
    } finally {
      Object.assign(t.tokenMetadata, { readCode });
      Object.assign(t.holdings, { read });
    }
    assert.deepEqual(
      codes.map((asked) => asked.toSorted()),
      [contracts.toSorted()],
    );
    assert.deepEqual(reads, [3]);
    const { items } = await listRuleHealth(t.as(admin), { communityId: id });
    const states = items.map(({ health }) => [health.state, ...health.problems.map(({ code }) => code)]);
    assert.deepEqual(states.toSorted(), [['ok'], ['ok'], ['ok'], ['undecidable', 'no-contract']]);
  });

  it('checks rules that were there before, and explains what is wrong with one that cannot be read', async () => {
    const { id } = await settle(1, [{ type: 'ODD', roleId: 'gold' }]);
    assert.deepEqual((await healthOf(id)).state, 'unknown');
    const { ruleHealthJobs } = await import('./jobs.ts');
    const run = { id: '1', attempt: 1, signal: new AbortController().signal };
    await ruleHealthJobs[1].run(system(), {}, run);
    const { rows } = await t.services.db.pool.query(
      `select 1 from jobs where name = 'rule-health.check' and unique_key = $1`,
      [id],
    );
    assert.equal(rows.length, 1);
    await ruleHealthJobs[0].run(system(), { communityId: id }, run);
    const { state, problems } = await healthOf(id);
    assert.equal(state, 'undecidable');
    assert.match(problems[0]?.message ?? '', /"ODD" is unknown/);
  });

  it('refuses an address with a wrong checksum and says so, and accepts one in a single case', async () => {
    const { id } = await settle();
    const wrong = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'.replace('5aAe', '5AAe');
    const evm = { ...t.services.wallets.evm, normalizeAddress: (text: string) => (text === wrong ? undefined : text) };
    const ctx = { ...t.as(admin), wallets: { ...t.services.wallets, evm } };
    const attempt = (body: Record<string, unknown>) => refuseBadRule(ctx, { id, body });
    const refusal = { code: 'VALIDATION_FAILED', message: /contractAddress .*wrong checksum \(EIP-55\).*lower case/ };
    await assert.rejects(attempt(erc20Rule('gold', '1', wrong)), refusal);
    await assert.rejects(attempt(tree(erc20Rule('gold', '1', wrong))), {
      message: /\/variables\/rule\/or\/1\/contractAddress/,
    });
    await assert.rejects(attempt({ asset: `evm:1/ERC20:${wrong}`, roleId: 'gold' }), { message: /\/asset .*checksum/ });
    for (const fine of [wrong.toLowerCase(), `0x${wrong.slice(2).toUpperCase()}`])
      await attempt(erc20Rule('gold', '1', fine));
    await attempt({ ...erc20Rule('gold'), description: `Not ${wrong}.` });
  });
});
