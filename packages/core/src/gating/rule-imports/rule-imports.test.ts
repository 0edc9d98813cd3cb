import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { selectRules } from '../../communities/rule-records/index.ts';
import { EgressFailed, EgressRefused } from '../../ports/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeRule } from '../community-rules/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild, token } from '../role-changes/testing/index.ts';
import { applyRuleImport, getRuleImport, listRuleImports, startRuleImport } from './operations.ts';

const original = { baseUrl: 'https://original.example/', apiKey: 'key.secret', communityId: 'DIS#COMM#7' };
const tpc = (roleId: string, minToken: string) => ({
  ...erc20Rule(roleId, minToken),
  id: `TPC#${roleId}#${minToken}`,
  name: `${minToken} for ${roleId}`,
});

describe('importing rules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-imports');
    const metadata = { standard: 'erc20', name: 'Cat Coin', symbol: 'CAT', decimals: 18 } as const;
    t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata });
  });
  after(() => t.close());

  async function settle(): Promise<Guild> {
    const guild = await setUpGuild(t, { members: 1, rules: [erc20Rule('gold', '1')] });
    const names = ['gold', 'silver', 'bronze'];
    t.host.addCommunity(
      guild.guildId,
      names.map((id) => ({ id, name: id.toUpperCase() })),
    );
    t.host.addAdmin(guild.guildId, '1');
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [guild.id, t.services.clock()],
    );
    return guild;
  }

  const rulesOf = (id: string) => selectRules(t.services.db.system, id);
  const answerJson = (body: unknown, status = 200) =>
    t.answer(() => ({ status, headers: {}, body: new TextEncoder().encode(JSON.stringify(body)) }));

  it('says whether the rules here are equivalent to the imported ones, with an example where not', async () => {
    const { id: communityId } = await settle();
    const compare = async (...items: object[]) => {
      const body = { source: 'original' as const, content: JSON.stringify({ items }) };
      return (await startRuleImport(t.as(admin), { communityId, body })).comparison;
    };
    assert.deepEqual(await compare(tpc('gold', '1'), tpc('silver', '2')), {
      direction: 'equal',
      sentence: 'Once these are turned on, the rules here are equivalent to the imported ones.',
    });
    assert.deepEqual(await compare(tpc('gold', '1'), { type: 'ODD' }), {
      direction: 'equal',
      sentence: 'The rules here are equivalent to the imported ones. Left out: 1 rule without an equivalent.',
    });
    // The community's own rule gives GOLD for 1 already.
    const wider = await compare(tpc('gold', '5'), tpc('silver', '2'));
    assert.equal(wider?.direction, 'more');
    assert.match(
      wider?.sentence ?? '',
      /^Once these are turned on, .* to more members than the imported ones\. For example, a member with a wallet that holds 1 .* on Ethereum gets GOLD only here\.$/,
    );
    assert.equal(await compare({ type: 'ODD' }), undefined);
  });

  it('names what maps, what is there and what does not map, and turns on only what the admin chose', async () => {
    const { id: communityId } = await settle();
    const items = [tpc('gold', '1'), tpc('silver', '2'), tpc('bronze', '3'), tpc('nobody', '4'), { type: 'ODD' }];
    const body = { source: 'original' as const, content: JSON.stringify({ items }) };
    const found = await startRuleImport(t.as(admin), { communityId, body });
    assert.deepEqual(
      found.entries.map(({ state }) => state),
      ['present', 'ready', 'ready', 'unmapped', 'unmapped'],
    );
    assert.equal(found.entries[3]?.problem, 'This community has no role "nobody". Choose the role that it gives.');
    assert.deepEqual(
      found.entries.map(({ sentence, roleThere }) => [sentence, roleThere]),
      [
        ['To get GOLD, a member needs at least 1 CAT on Ethereum.', undefined],
        ['To get SILVER, a member needs at least 2 CAT on Ethereum.', undefined],
        ['To get BRONZE, a member needs at least 3 CAT on Ethereum.', undefined],
        [undefined, 'nobody'],
        [undefined, undefined],
      ],
    );
    assert.equal((await rulesOf(communityId)).length, 1);

    const importId = found.id;
    const once = await applyRuleImport(t.as(admin), { communityId, importId, body: { positions: [1] } });
    assert.deepEqual([once.imported, once.ready], [1, 1]);
    assert.match(once.entries[1]?.sentence ?? '', /SILVER/);
    await applyRuleImport(t.as(admin), { communityId, importId });
    await applyRuleImport(t.as(admin), { communityId, importId });
    assert.deepEqual((await rulesOf(communityId)).map((rule) => rule.role_id).toSorted(), ['bronze', 'gold', 'silver']);
    const shown = await getRuleImport(t.as(admin), { communityId, importId });
    assert.deepEqual([shown.imported, shown.ready, shown.unmapped], [2, 0, 2]);

    t.advanceSeconds(60);
    const again = await startRuleImport(t.as(admin), { communityId, body });
    assert.deepEqual([again.present, again.ready], [3, 0]);
    await removeRule(t.as(admin), { id: communityId, tpcId: shown.entries[1]?.ruleId ?? '' });
    assert.equal((await startRuleImport(t.as(admin), { communityId, body })).entries[1]?.state, 'ready');
    const chosen = { ...body, roles: [{ from: 'nobody', roleId: 'bronze' }] };
    assert.equal((await startRuleImport(t.as(admin), { communityId, body: chosen })).entries[3]?.state, 'ready');
    assert.equal((await listRuleImports(t.as(admin), { communityId })).length, 4);
  });

  it('calls a rule that can never be decided here not ready, with the reason, and turns it on once it can be', async () => {
    const { id: communityId } = await settle();
    const items = [{ ...tpc('silver', '2'), chainId: 8453 }, tpc('bronze', '3')];
    const body = { source: 'original' as const, content: JSON.stringify({ items }) };
    t.holdings.unread.add('evm:8453');
    const found = await startRuleImport(t.as(admin), { communityId, body });
    assert.deepEqual(
      found.entries.map(({ state }) => state),
      ['refused', 'ready'],
    );
    assert.match(found.entries[0]?.problem ?? '', /No node is configured for Base .*LATCHKEY_EVM_RPC_URLS with 8453=/);
    const apply = () => applyRuleImport(t.as(admin), { communityId, importId: found.id });
    assert.deepEqual(
      (await apply()).entries.map(({ state }) => state),
      ['refused', 'imported'],
    );
    t.holdings.unread.clear();
    assert.deepEqual(
      (await apply()).entries.map(({ state, problem }) => [state, problem]),
      [
        ['imported', undefined],
        ['imported', undefined],
      ],
    );
  });

  it('creates one rule when two admins turn the same import on at once', async () => {
    const { id: communityId } = await settle();
    const body = { source: 'original' as const, content: JSON.stringify([tpc('silver', '2'), tpc('silver', '2')]) };
    const { id: importId, ready, present } = await startRuleImport(t.as(admin), { communityId, body });
    assert.deepEqual([ready, present], [1, 1]);
    await Promise.all([1, 2, 3].map(() => applyRuleImport(t.as(admin), { communityId, importId })));
    assert.equal((await rulesOf(communityId)).length, 2);
  });

  it('reads the original page by page by its own API, and keeps no key', async () => {
    const { id: communityId } = await settle();
    const from = t.requests.length;
    t.answer(({ url }) => {
      const isSecond = new URL(url).searchParams.get('paginationToken') === 'more';
      const page = isSecond
        ? { items: [tpc('bronze', '3')] }
        : { items: [tpc('silver', '2')], paginationToken: 'more' };
      return { status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(page)) };
    });
    const found = await startRuleImport(t.as(admin), { communityId, body: { source: 'original', original } });
    assert.equal(found.ready, 2);
    const sent = t.requests.slice(from);
    assert.equal(new URL(sent[0]?.url ?? '').pathname, '/communities/DIS%23COMM%237/tpcs');
    assert.deepEqual(
      sent.map(({ headers }) => headers?.['x-api-key']),
      ['key.secret', 'key.secret'],
    );
    const { rows } = await t.services.db.pool.query(
      'select e::text || i::text as row from rule_import_entries e, rule_imports i',
    );
    assert.ok(rows.every(({ row }) => !String(row).includes('key.secret')));
    assert.ok(t.log.lines.every((line) => !line.includes('key.secret')));
  });

  it('reports what the original refused, and that it is down, without creating anything', async () => {
    const { id: communityId } = await settle();
    const start = () => startRuleImport(t.as(admin), { communityId, body: { source: 'original', original } });
    for (const [status, code] of [
      [401, 'VALIDATION_FAILED'],
      [404, 'VALIDATION_FAILED'],
      [302, 'VALIDATION_FAILED'],
      [503, 'UNAVAILABLE'],
    ] as const) {
      answerJson({}, status);
      await assert.rejects(start(), { code });
    }
    answerJson({ hello: 'there' });
    await assert.rejects(start(), { code: 'VALIDATION_FAILED' });
    answerJson({ items: [], paginationToken: 'for ever' });
    await assert.rejects(start(), { code: 'UNAVAILABLE' });
    t.answer(() => {
      throw new EgressRefused('address', 'original.example does not resolve to a public address.');
    });
    await assert.rejects(start(), { code: 'VALIDATION_FAILED' });
    t.answer(() => {
      throw new EgressFailed('timeout', 'original.example timed out.');
    });
    await assert.rejects(start(), { code: 'UNAVAILABLE' });
    assert.deepEqual(await listRuleImports(t.as(admin), { communityId }), []);
  });

  it('is not available to non-admins, and one refused rule does not stop the others', async () => {
    const { id: communityId, guildId } = await settle();
    const content = JSON.stringify([tpc('silver', '2'), tpc('bronze', '3')]);
    const body = { source: 'original' as const, content };
    const { id: importId } = await startRuleImport(t.as(admin), { communityId, body });
    const other = await settle();
    for (const attempt of [
      () => startRuleImport(t.as(mallory), { communityId, body }),
      () => getRuleImport(t.as(mallory), { communityId, importId }),
      () => applyRuleImport(t.as(mallory), { communityId, importId }),
      () => applyRuleImport(t.as(admin), { communityId: other.id, importId }),
    ])
      await assert.rejects(attempt(), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(applyRuleImport(t.as(admin), { communityId, importId, body: { positions: [9] } }), {
      code: 'VALIDATION_FAILED',
    });
    t.host.setPowers(guildId, 'silver', ['Administrator']);
    const applied = await applyRuleImport(t.as(admin), { communityId, importId });
    assert.deepEqual(
      applied.entries.map(({ state }) => state),
      ['refused', 'imported'],
    );
    assert.match(applied.entries[0]?.problem ?? '', /role/i);
  });

  it('still previews while the chat platform does not respond, and says what was not checked', async () => {
    const { id: communityId } = await settle();
    t.host.fail('Discord is down.');
    const content = JSON.stringify([tpc('silver', '2')]);
    const found = await startRuleImport(t.as(admin), { communityId, body: { source: 'original', content } }).finally(
      () => t.host.fail(undefined),
    );
    assert.equal(found.entries[0]?.state, 'ready');
    assert.match(found.entries[0]?.notes.join(' ') ?? '', /could not be verified/);
  });
});
