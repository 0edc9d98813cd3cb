import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { noteTokens } from '../evm/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild, token } from '../role-changes/testing/index.ts';
import { setRuleAssertions } from '../rule-assertions/operations.ts';
import { getRuleAnalysis } from './analyze-rules.ts';
import { describeDraft } from './describe-draft.ts';
import { findTokens } from './find-tokens.ts';
import { getCommunityRule, listCommunityRules } from './list-rules.ts';
import {
  changeCommunityRule,
  createCommunityRule,
  listRuleHistory,
  listRuleRoles,
  refuseChange,
  refuseNew,
  ruleBuilderOperations,
} from './operations.ts';
import { previewDraft } from './preview-draft.ts';
import { deleteRuleDraft, listRuleDrafts, saveRuleDraft } from './saved-drafts.ts';
import { getTokenPicture } from './token-picture.ts';
import { tryDraft } from './try-draft.ts';

const nft = '0x00000000000000000000000000000000000000bb';

describe('building rules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-builder');
    t.tokenMetadata.set('evm:1', token, {
      kind: 'read',
      metadata: { standard: 'erc20', name: 'Cat Coin', symbol: 'CAT', decimals: 18 },
    });
    t.tokenMetadata.set('evm:137', nft, { kind: 'read', metadata: { standard: 'erc721', name: 'Cool <b>Cats</b>' } });
  });
  after(() => t.close());

  const asAdmin = () => t.as(admin);

  /** Members who all have the role; the first `keeping` of them hold the token. */
  async function settle(members: number, keeping: number): Promise<Guild> {
    const rules = [{ ...erc20Rule('gold'), name: 'Gold holders' }];
    const guild = await setUpGuild(t, { members, rules, roles: () => ['gold'] });
    t.host.addCommunity(guild.guildId, [
      { id: 'gold', name: 'Gold', color: 255, position: 1 },
      { id: 'silver', name: 'Silver', position: 2 },
    ]);
    t.host.addAdmin(guild.guildId, '1');
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [guild.id, t.services.clock()],
    );
    for (let member = 0; member < members; member += 1) {
      t.host.addMember(guild.guildId, guild.nativeIdOf(member), ['gold']);
      guild.hold(member, member < keeping ? '5' : '0');
    }
    return guild;
  }

  it('lists rules in sentences with the status of their role, finds them by their words and pages', async () => {
    const { id: communityId, guildId } = await settle(2, 2);
    for (const roleId of ['silver', 'gone']) {
      t.advanceSeconds(1);
      const rule = { ...erc20Rule(roleId), name: `For ${roleId}` };
      await createCommunityRule(asAdmin(), { communityId, body: { rule } });
    }
    const { items } = await listCommunityRules(asAdmin(), { communityId: guildId });
    assert.deepEqual(
      items.map(({ roleId, roleName, roleState, visibility }) => [roleId, roleName, roleState, visibility]),
      [
        ['gold', 'Gold', 'there', 'public'],
        ['silver', 'Silver', 'there', 'public'],
        ['gone', undefined, 'missing', 'public'],
      ],
    );
    assert.match(items[0]?.sentence ?? '', /^To get Gold, a member needs at least 1 .* on Ethereum\.$/);
    const found = await listCommunityRules(asAdmin(), { communityId, search: 'FOR SILVER' });
    assert.deepEqual(
      found.items.map(({ roleId }) => roleId),
      ['silver'],
    );
    const first = await listCommunityRules(asAdmin(), { communityId, limit: 2 });
    const second = await listCommunityRules(asAdmin(), {
      communityId,
      limit: 2,
      paginationToken: first.paginationToken,
    });
    assert.deepEqual([...first.items, ...second.items], items);
    t.host.fail('Discord is down.');
    const { items: unsure } = await listCommunityRules(asAdmin(), { communityId });
    t.host.fail(undefined);
    assert.deepEqual(new Set(unsure.map(({ roleState }) => roleState)), new Set(['unknown']));
  });

  it('analyzes all rules, says whether assertions hold, and shows in a draft what breaks one', async () => {
    const { id: communityId } = await settle(1, 1);
    const create = (rule: Record<string, unknown>) => createCommunityRule(asAdmin(), { communityId, body: { rule } });
    const { id: ruleId } = await create({ ...erc20Rule('gold', '5'), name: 'Five' });
    await create(erc20Rule('silver', '0'));
    const holds = { type: 'ERC20', chainId: 1, contractAddress: token, minToken: '1' };
    const assertion = { name: 'Gold holds', never: { role: 'gold', unless: { holds } } };
    await setRuleAssertions(asAdmin(), { communityId, body: { assertions: [assertion] } });
    const { findings, assertions } = await getRuleAnalysis(asAdmin(), { communityId });
    assert.deepEqual(
      findings.map(({ kind, sentence }) => [kind, sentence]),
      [
        ['redundant', 'This rule has no effect: every member who meets it already gets the role by “Gold holders”.'],
        ['always-met', 'Every member with a linked wallet on these chains meets this rule.'],
      ],
    );
    assert.equal(findings[0]?.ruleId, ruleId);
    const sentence = '“Gold holds” holds: no member can get Gold without what it requires.';
    assert.deepEqual(assertions, [{ assertion, state: 'holds', sentence }]);
    const { problems } = await describeDraft(asAdmin(), {
      communityId,
      body: { rule: erc20Rule('gold', '0.5'), ruleId },
    });
    assert.match(problems.at(-1)?.message ?? '', /^“Gold holds” does not hold: .* holds 0\.5 CAT on Ethereum\.$/);
    await assert.rejects(getRuleAnalysis(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('shows before saving which members a wrong edit would take the role from, and that it would need approval', async () => {
    const guild = await settle(25, 25);
    const { id: communityId } = guild;
    const wrong = erc20Rule('gold', '100');
    const preview = await previewDraft(asAdmin(), { communityId, body: { rule: wrong, ruleId: 'TPC#1' } });
    const { checked, gains, loses, unknown, keeps, isHeld, isWhole } = preview;
    assert.deepEqual(
      { checked, gains, loses, unknown, keeps, isHeld, isWhole },
      {
        checked: 25,
        gains: 0,
        loses: 25,
        unknown: 0,
        keeps: 0,
        isHeld: true,
        isWhole: true,
      },
    );
    assert.equal(preview.people.length, 25);
    assert.deepEqual(
      new Set(preview.people.map(({ outcome, roleName }) => `${outcome} ${roleName}`)),
      new Set(['loses Gold']),
    );
    const same = await previewDraft(asAdmin(), {
      communityId,
      body: { rule: erc20Rule('gold', '2'), ruleId: 'TPC#1' },
    });
    assert.deepEqual([same.loses, same.keeps, same.isHeld], [0, 25, false]);
    const another = await previewDraft(asAdmin(), { communityId, body: { rule: erc20Rule('silver') } });
    assert.deepEqual([another.gains, another.loses], [25, 0]);
    // The last rule of a role: every member who has the role keeps it.
    const removal = await previewDraft(asAdmin(), { communityId, body: { ruleId: 'TPC#1' } });
    assert.deepEqual([removal.gains, removal.loses], [0, 0]);
    const changeSets = await t.services.db.system
      .selectFrom('change_sets')
      .selectAll()
      .where('community_id', '=', communityId)
      .execute();
    assert.deepEqual(changeSets, []);
    assert.deepEqual(guild.rolesOf(0), ['gold']);
  });

  it('leaves members alone whose holdings cannot be read, and counts them', async () => {
    const guild = await settle(3, 3);
    t.holdings.fail('evm:1', 'The node is down.');
    const body = { rule: erc20Rule('gold', '100'), ruleId: 'TPC#1' };
    const preview = await previewDraft(asAdmin(), { communityId: guild.id, body });
    t.holdings.fail('evm:1', undefined);
    assert.deepEqual([preview.loses, preview.unknown, preview.people.length], [0, 3, 3]);
    const malformed = { rule: { type: 'ERC20' }, ruleId: 'TPC#1' };
    await assert.rejects(previewDraft(asAdmin(), { communityId: guild.id, body: malformed }), {
      code: 'VALIDATION_FAILED',
    });
  });

  it('keeps who changed a rule, when, and what it was before and after', async () => {
    const { id: communityId } = await settle(1, 1);
    const made = await createCommunityRule(asAdmin(), {
      communityId,
      body: { rule: erc20Rule('silver'), visibility: 'secret' },
    });
    t.advanceSeconds(60);
    const rule = erc20Rule('silver', '7');
    const changed = {
      communityId,
      ruleId: made.id,
      body: { rule, visibility: 'hidden', updatedTime: made.updatedTime },
    } as const;
    await refuseChange(asAdmin(), changed);
    await changeCommunityRule(asAdmin(), changed);
    const stale = (message: RegExp) =>
      assert.rejects(changeCommunityRule(asAdmin(), changed), { code: 'STATE_CONFLICT', message });
    await stale(/^Another admin changed this rule after you opened it/);
    await t.services.db.pool.query(
      `insert into community_members (community_id, user_id, user_name, role_ids, seen_at)
       values ($1, 'DIS#USER#1', 'Ada', '{}', $2)`,
      [communityId, t.services.clock()],
    );
    await stale(/^Ada changed this rule after you opened it/);
    const { updatedTime: _, ...again } = changed.body;
    await changeCommunityRule(asAdmin(), { ...changed, body: again });
    const { items } = await listRuleHistory(asAdmin(), { communityId, ruleId: made.id });
    assert.deepEqual(
      items.map(({ action, changedBy, before, after }) => [action, changedBy, before?.visibility, after?.visibility]),
      [
        ['changed', 'DIS#USER#1', 'secret', 'hidden'],
        ['created', 'DIS#USER#1', undefined, 'secret'],
      ],
    );
    assert.match(items[0]?.before?.sentence ?? '', /at least 1 /);
    assert.match(items[0]?.after?.sentence ?? '', /at least 7 /);
    const shown = await getCommunityRule(asAdmin(), { communityId, ruleId: made.id });
    assert.deepEqual([shown.rule, shown.visibility], [rule, 'hidden']);
    await assert.rejects(listRuleHistory(asAdmin(), { communityId, ruleId: 'TPC#none' }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('says so when the platform did not name a role in time, and names it as soon as it does', async () => {
    const { id: communityId } = await settle(1, 1);
    const describe = () => describeDraft(asAdmin(), { communityId, body: { rule: erc20Rule('gold', '2') } });
    t.host.fail('no answer');
    const early = await describe();
    t.host.fail(undefined);
    const late = await describe();
    assert.match(early.sentence ?? '', /^To get role gold,/);
    assert.equal(early.isPartial, true);
    assert.match(late.sentence ?? '', /^To get Gold,/);
    assert.deepEqual([late.isPartial, late.problems], [undefined, []]);
  });

  it('says of a draft what has no effect, and of an edit who can gain and lose the role, with an example', async () => {
    const { id: communityId } = await settle(0, 0);
    const [saved] = (await listCommunityRules(asAdmin(), { communityId })).items;
    const describe = (rule: Record<string, unknown>, ruleId?: string) =>
      describeDraft(asAdmin(), { communityId, body: { rule, ruleId } });
    const second = await describe(erc20Rule('gold', '2'));
    assert.deepEqual(second.warnings, [
      'This rule has no effect: every member who meets it already gets the role by “Gold holders”.',
    ]);
    assert.equal(second.effects, undefined);
    const edit = await describe(erc20Rule('gold', '2'), saved?.id);
    assert.deepEqual(edit.warnings, []);
    assert.deepEqual(edit.effects, [
      'With this change no member can gain the role.',
      'With this change members can lose the role, for example one with a wallet that holds 1 CAT on Ethereum.',
    ]);
    const part = (minToken: string, maxToken?: string) => ({
      ...erc20Rule('gold', minToken),
      ...(maxToken !== undefined && { maxToken }),
      variables: { _sumWallets: true },
    });
    const tree = { scheme: 'logic', roleId: 'silver', variables: { rule: { and: [part('5'), part('1', '4')] } } };
    assert.deepEqual((await describe(tree)).warnings, [
      'No member can meet this rule: its conditions contradict each other.',
    ]);
  });

  it('describes a draft: one sentence, the reads it takes, and everything that is wrong with it at once', async () => {
    const { id: communityId } = await settle(1, 1);
    const describe = (rule: Record<string, unknown>) => describeDraft(asAdmin(), { communityId, body: { rule } });
    const good = await describe(erc20Rule('silver', '2'));
    assert.deepEqual([good.problems, good.warnings, good.reads], [[], [], 1]);
    const requested = t.tokenMetadata.requests.length;
    assert.deepEqual(await describe(erc20Rule('gold', '3')).then(({ problems }) => problems), []);
    assert.equal(t.tokenMetadata.requests.length, requested, 'a contract is cached for a while, however much is typed');
    const tree = {
      scheme: 'logic',
      roleId: 'gold',
      variables: {
        rule: { atLeast: 2, of: [erc20Rule('x'), { type: 'POAP', eventId: '1' }, { type: 'POAP', eventId: '2' }] },
      },
    };
    const nested = await describe(tree);
    assert.match(nested.sentence ?? '', /^To get Gold, a member needs at least 2 of these: /);
    assert.equal(nested.reads, 3);
    const bad = await describe({ ...erc20Rule('gold', 'many'), contractAddress: '0x1', colour: 'red' });
    assert.equal(bad.sentence, undefined);
    assert.deepEqual(
      bad.problems.map(({ path }) => path),
      ['/contractAddress'],
    );
    const two = { scheme: 'logic', roleId: 'gold', variables: { rule: { or: [{ type: 'x' }, { type: 'POAP' }] } } };
    assert.equal((await describe(two)).problems.length, 2);
    assert.match(bad.warnings.join(), /no field "colour"/);
    const wrongPair = await describe({ type: 'ERC721', chainId: 1, contractAddress: token, roleId: 'gold' });
    assert.match(wrongPair.problems[0]?.message ?? '', /implements ERC20, not ERC721/);
    assert.match((await describe(erc20Rule(''))).problems[0]?.message ?? '', /Pick the role/);
    const todo = async (rule: Record<string, unknown>) =>
      (await describe({ roleId: 'gold', ...rule })).problems.map(({ message }) => message.split(/[ :]/, 4).join(' '));
    assert.deepEqual(await todo({ type: 'ERC20' }), ['Pick a token '], 'one step, without field names');
    assert.deepEqual(await todo({ type: 'NATIVE' }), ['Pick the chain of']);
    assert.deepEqual(await todo({ type: 'SOLANA_FT' }), ['Name the token of']);
  });

  it('shows that a draft can never be decided here, names its traits, and saves it without effect', async () => {
    const { id: communityId } = await settle(1, 1);
    const describe = (rule: Record<string, unknown>) => describeDraft(asAdmin(), { communityId, body: { rule } });
    t.holdings.unread.add('evm:8453');
    const onBase = { ...erc20Rule('gold'), chainId: 8453 };
    const { problems } = await describe(onBase);
    assert.match(problems[0]?.message ?? '', /No node is configured for Base .*LATCHKEY_EVM_RPC_URLS with 8453=/);
    await assert.rejects(refuseNew(asAdmin(), { communityId, body: { rule: onBase } }), { code: 'VALIDATION_FAILED' });
    const { id: draftId } = await saveRuleDraft(asAdmin(), { communityId, body: { rule: onBase } });
    t.holdings.unread.clear();
    const { drafts } = await listRuleDrafts(asAdmin(), { communityId });
    assert.deepEqual(
      drafts.map(({ id, rule, sentence }) => [id, rule, /on Base/.test(sentence)]),
      [[draftId, onBase, true]],
    );
    const odd = { type: 'ODD', roleId: 'gold' };
    await saveRuleDraft(asAdmin(), { communityId, body: { rule: odd, draftId } });
    const [changed] = (await listRuleDrafts(asAdmin(), { communityId })).drafts;
    assert.deepEqual(changed?.rule, odd);
    assert.match(changed?.problem ?? '', /"ODD" is unknown/);
    assert.equal((await listCommunityRules(asAdmin(), { communityId })).items.length, 1, 'a draft is not a rule');
    const { id: other } = await settle(1, 1);
    for (const attempt of [
      () => deleteRuleDraft(asAdmin(), { communityId: other, draftId }),
      () => saveRuleDraft(asAdmin(), { communityId: other, body: { rule: odd, draftId } }),
      () => listRuleDrafts(t.as(mallory), { communityId }),
    ])
      await assert.rejects(attempt(), { code: 'ENTITY_NOT_FOUND' });
    const long = { ...odd, description: 'x'.repeat(70_000) };
    await assert.rejects(saveRuleDraft(asAdmin(), { communityId, body: { rule: long } }), {
      code: 'VALIDATION_FAILED',
    });
    await deleteRuleDraft(asAdmin(), { communityId, draftId });
    assert.deepEqual((await listRuleDrafts(asAdmin(), { communityId })).drafts, []);

    const traits = (filter: object) => ({
      asset: `evm:137/ERC721:${nft}`,
      roleId: 'gold',
      query: '$ownsTraits($, $_filter)',
      variables: { _filter: filter },
    });
    const eyes = { minCount: 2, traits: [{ trait_type: 'Eyes', value: 'Laser' }] };
    const hat = {
      traits: [
        { trait_type: 'Hat', value: 'Crown' },
        { trait_type: 'Level', value: '$ > 5' },
      ],
    };
    const { sentence } = await describe(traits({ condition: 'or', filters: [eyes, hat] }));
    assert.match(
      sentence ?? '',
      /needs tokens with Eyes = Laser on at least 2, or Hat = Crown and Level > 5 \(.+ on Polygon\)\./,
    );
  });

  it('tries a draft on a wallet or a member, and shows amounts for a wallet only', async () => {
    const guild = await settle(2, 1);
    const { id: communityId } = guild;
    await guild.resync();
    const rule = {
      scheme: 'logic',
      roleId: 'gold',
      variables: { rule: { and: [erc20Rule('x', '2'), { not: erc20Rule('x', '50') }] } },
    };
    const byWallet = await tryDraft(asAdmin(), { communityId, body: { rule, account: guild.walletOf(0) } });
    assert.equal(byWallet.qualifies, true);
    assert.match(JSON.stringify(byWallet.reason), /The wallet holds 5\./);
    const byMember = await tryDraft(asAdmin(), {
      communityId,
      body: { rule: erc20Rule('gold', '50'), userId: guild.nativeIdOf(0) },
    });
    assert.equal(byMember.qualifies, false);
    assert.match(JSON.stringify(byMember.reason), /some, but not enough/);
    assert.ok(!JSON.stringify(byMember.reason).includes(guild.walletOf(0)));
    const refused = { code: 'VALIDATION_FAILED' };
    await assert.rejects(tryDraft(asAdmin(), { communityId, body: { rule } }), refused);
    await assert.rejects(tryDraft(asAdmin(), { communityId, body: { rule, account: 'not an account' } }), refused);
    await assert.rejects(tryDraft(asAdmin(), { communityId, body: { rule, userId: '42' } }), refused);
    await assert.rejects(
      tryDraft(asAdmin(), { communityId, body: { rule: { type: 'nonsense' }, account: nft } }),
      refused,
    );
  });

  it('finds tokens by address, by link and by name, and explains what does not fit', async () => {
    const { id: communityId } = await settle(0, 0);
    const find = (search: string, chainId?: number) => findTokens(asAdmin(), { communityId, search, chainId });
    const [coin] = (await find(token.toUpperCase().replace('0X', '0x'))).tokens;
    assert.deepEqual(
      [coin?.type, coin?.chainId, coin?.chainName, coin?.symbol, coin?.decimals],
      ['ERC20', 1, 'Ethereum', 'CAT', 18],
    );
    const [cats] = (await find(`https://opensea.io/assets/matic/${nft}/7`)).tokens;
    assert.deepEqual([cats?.type, cats?.chainId, cats?.tokenId], ['ERC721', 137, '7']);
    assert.ok(!cats?.name?.includes('<'));
    assert.match((await find(nft, 1)).note ?? '', /no token at this address on Ethereum\. It is ERC721 on Polygon/);
    assert.match((await find(`0x${'9'.repeat(40)}`)).note ?? '', /not a wallet’s/);
    assert.match((await find('https://example.org/cats')).note ?? '', /does not lead to a token/);
    assert.deepEqual((await find('AAVE', 1)).tokens[0]?.symbol, 'AAVE');
    assert.match((await find('no such token')).note ?? '', /Paste its contract address/);
    t.tokenMetadata.set('evm:10', nft, { kind: 'unknown', reason: 'The node is down.' });
    assert.match((await find(nft)).note ?? '', /OP Mainnet did not respond/);
  });

  it('finds a token by name that a rule uses, though no list of rules was read since', async () => {
    const { id: communityId } = await settle(0, 0);
    const contract = `0x${'5a'.repeat(20)}`;
    t.tokenMetadata.set('evm:1', contract, {
      kind: 'read',
      metadata: { standard: 'erc20', name: 'Sleeping Coin', symbol: 'ZZZ', decimals: 6 },
    });
    const find = async () => (await findTokens(asAdmin(), { communityId, search: 'sleeping' })).tokens;
    assert.deepEqual(await find(), []);
    await noteTokens(t.services.db.system, [{ chain: 'evm:1', standard: 'erc20', contract }], t.services.clock());
    assert.deepEqual(
      (await find()).map(({ contractAddress, symbol, decimals }) => [contractAddress, symbol, decimals]),
      [[contract, 'ZZZ', 6]],
    );
  });

  it('shows pictures as data only, by what their bytes are', async () => {
    const { id: communityId } = await settle(0, 0);
    const pictureOf = async (contractAddress: string, image: unknown) => {
      t.tokenMetadata.setCollection('evm:1', contractAddress, {
        kind: 'read',
        documents: [{ image }],
        missing: 0,
        left: 0,
      });
      return (await getTokenPicture(asAdmin(), { communityId, chainId: 1, contractAddress })).picture;
    };
    const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
    const of = (digit: string) => `0x${digit.repeat(40)}`;
    assert.equal(await pictureOf(of('1'), `data:image/png;base64,${png}`), `data:image/png;base64,${png}`);
    assert.equal(await pictureOf(of('2'), 'data:text/html,<script>alert(1)</script>'), undefined);
    assert.equal(await pictureOf(of('3'), 'javascript:alert(1)'), undefined);
    assert.equal(await pictureOf(of('4'), 7), undefined);
  });

  it('lists roles with what keeps rules from giving them, and refuses those rules', async () => {
    const { id: communityId, guildId } = await settle(1, 1);
    t.host.setPowers(guildId, 'silver', ['Ban Members']);
    const roles = await listRuleRoles(asAdmin(), { communityId });
    assert.deepEqual(
      roles.map(({ id, fault }) => [id, fault !== undefined]),
      [
        ['gold', false],
        ['silver', true],
      ],
    );
    const body = { rule: erc20Rule('silver') };
    await assert.rejects(refuseNew(asAdmin(), { communityId, body }), { code: 'VALIDATION_FAILED' });
    t.host.fail('Discord is down.');
    await assert.rejects(listRuleRoles(asAdmin(), { communityId }), { code: 'UNAVAILABLE' });
    t.host.fail(undefined);
  });

  it('is for admins of the community alone', async () => {
    const { id: communityId } = await settle(1, 1);
    const stranger = t.as(mallory);
    const missing = { code: 'ENTITY_NOT_FOUND' };
    const rule = erc20Rule('gold');
    await assert.rejects(listCommunityRules(stranger, { communityId }), missing);
    await assert.rejects(getCommunityRule(stranger, { communityId, ruleId: 'TPC#1' }), missing);
    await assert.rejects(listRuleHistory(stranger, { communityId, ruleId: 'TPC#1' }), missing);
    await assert.rejects(previewDraft(stranger, { communityId, body: { rule } }), missing);
    await assert.rejects(createCommunityRule(stranger, { communityId, body: { rule } }), missing);
    await assert.rejects(changeCommunityRule(stranger, { communityId, ruleId: 'TPC#1', body: { rule } }), missing);
    for (const { contract, route } of ruleBuilderOperations)
      assert.equal(contract.access.object?.param, 'communityId', route);
  });
});
