import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { selectRules } from '../../communities/rule-records/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createRule, removeRule, removeRuleWithChoice, replaceRule, restoreRules } from '../community-rules/index.ts';
import { admin, erc20Rule, setUpGuild, token } from '../role-changes/testing/index.ts';
import { applyRuleImport, startRuleImport } from '../rule-imports/index.ts';
import { listRuleAssertions, type RuleAssertion, setRuleAssertions } from './operations.ts';

const composition = (action: 'add' | 'remove', condition: Record<string, boolean>) => ({
  scheme: 'role_composition',
  roleId: 'whale',
  variables: { roleComposition: { action, operator: 'and', condition, roleId: 'whale' } },
});
const whalesHold = (minToken: string): RuleAssertion => ({
  name: 'Whales hold',
  never: { role: 'whale', unless: { holds: { type: 'ERC20', chainId: 1, contractAddress: token, minToken } } },
});

describe('assertions about rules', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-assertions');
  });
  after(() => t.close());

  const asAdmin = () => t.as(admin);

  /** A community whose whales hold 100, and the id of that rule. */
  async function settle(...more: object[]) {
    const guild = await setUpGuild(t, { members: 1, rules: [erc20Rule('whale', '100'), ...more] as never });
    t.host.addCommunity(guild.guildId, [
      { id: 'whale', name: 'Whale' },
      { id: 'verified', name: 'Verified' },
    ]);
    t.host.addAdmin(guild.guildId, '1');
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [guild.id, t.services.clock()],
    );
    return guild.id;
  }

  const set = (communityId: string, ...assertions: RuleAssertion[]) =>
    setRuleAssertions(asAdmin(), { communityId, body: { assertions } });
  const rulesOf = (id: string) => selectRules(t.services.db.system, id);
  const broken = { code: 'VALIDATION_FAILED', message: /“Whales hold” does not hold: members can get role whale/ };

  it('are replaced as a whole, and returned as they were set', async () => {
    const communityId = await settle();
    const unverified = { never: { role: 'whale', unless: { role: 'verified' } } };
    assert.deepEqual(await listRuleAssertions(asAdmin(), { communityId }), { assertions: [] });
    assert.deepEqual(await set(communityId, whalesHold('50')), { assertions: [whalesHold('50')] });
    await assert.rejects(
      set(communityId, unverified),
      /without role verified, for example one .* and without role verified/,
    );
    assert.deepEqual(await listRuleAssertions(asAdmin(), { communityId }), { assertions: [whalesHold('50')] });
    await set(communityId);
    assert.deepEqual(await listRuleAssertions(asAdmin(), { communityId }), { assertions: [] });
  });

  it('cannot be set while the rules break them, or if they say nothing', async () => {
    const communityId = await settle();
    await assert.rejects(set(communityId, whalesHold('101')), {
      ...broken,
      message: /for example one with a wallet that holds 100 /,
    });
    const refused = { code: 'VALIDATION_FAILED' };
    const holds = { type: 'ERC20', chainId: 1, contractAddress: token };
    await assert.rejects(set(communityId, { never: { role: 'whale', unless: {} } }), refused);
    await assert.rejects(set(communityId, { never: { role: 'whale', unless: { holds, role: 'verified' } } }), refused);
    await assert.rejects(set(communityId, { never: { role: 'whale', unless: { role: 'whale' } } }), refused);
    await assert.rejects(set(communityId, { never: { role: 'whale', unless: { holds: { type: 'ODD' } } } }), refused);
    const cyclic = composition('add', { verified: true });
    await assert.rejects(set(communityId, { never: { role: 'whale', unless: { holds: cyclic } } }), refused);
  });

  it('refuse rules that break them, with an example, and change nothing then', async () => {
    const communityId = await settle();
    await set(communityId, whalesHold('100'));
    const [rule] = await rulesOf(communityId);
    const tpcId = rule?.id ?? '';
    await assert.rejects(createRule(asAdmin(), { id: communityId, body: erc20Rule('whale', '5') }), broken);
    await assert.rejects(replaceRule(asAdmin(), { id: communityId, tpcId, body: erc20Rule('whale', '99') }), broken);
    assert.deepEqual(await rulesOf(communityId), [rule]);
    await replaceRule(asAdmin(), { id: communityId, tpcId, body: erc20Rule('whale', '200') });
    await createRule(asAdmin(), { id: communityId, body: erc20Rule('verified', '1') });
  });

  it('refuse to delete a rule that keeps members from a role', async () => {
    const communityId = await settle(composition('remove', { verified: false }));
    await set(communityId, { name: 'Whales hold', never: { role: 'whale', unless: { role: 'verified' } } });
    const veto = (await rulesOf(communityId)).find(({ definition }) => definition.scheme === 'role_composition');
    const ruleId = veto?.id ?? '';
    await assert.rejects(removeRule(asAdmin(), { id: communityId, tpcId: ruleId }), broken);
    await assert.rejects(removeRuleWithChoice(asAdmin(), { id: communityId, ruleId, roles: 'take' }), broken);
    assert.equal((await rulesOf(communityId)).length, 2);
  });

  it('refuse to restore a version that breaks them', async () => {
    const communityId = await settle();
    await set(communityId, whalesHold('100'));
    const [rule] = await rulesOf(communityId);
    const before = { roleId: 'whale', definition: erc20Rule('whale', '1'), visibility: 'public' as const };
    const restored = { ruleId: rule?.id ?? '', changeId: '1', action: 'changed' as const, before, roleIds: ['whale'] };
    const restore = t.services.db.transaction('system', (tx) => restoreRules(asAdmin(), tx, communityId, [restored]));
    await assert.rejects(restore, broken);
    assert.deepEqual(await rulesOf(communityId), [rule]);
  });

  it('refuse the entries of an import that break them, and let the others in', async () => {
    const communityId = await settle();
    await set(communityId, whalesHold('100'));
    const items = [erc20Rule('whale', '5'), erc20Rule('verified', '5')].map((rule, n) => ({ ...rule, id: `TPC#${n}` }));
    const body = { source: 'original' as const, content: JSON.stringify({ items }) };
    const { id: importId } = await startRuleImport(asAdmin(), { communityId, body });
    const { entries } = await applyRuleImport(asAdmin(), { communityId, importId });
    assert.deepEqual(
      entries.map(({ state }) => state),
      ['refused', 'imported'],
    );
    assert.match(entries[0]?.problem ?? '', broken.message);
  });

  it('are not visible to strangers', async () => {
    const communityId = await settle();
    await assert.rejects(listRuleAssertions(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(setRuleAssertions(t.as(mallory), { communityId, body: { assertions: [] } }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });
});
