import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Actor, AppError } from '@latchkey/kernel';
import { resetCheckPeriod, setCheckPeriod } from '../../communities/community/setting-operations.ts';
import { newUser } from '../../communities/community/testing.ts';
import { createGuestPass, listGuestPasses, removeGuestPass } from '../../communities/guest-passes/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { eraseAccount } from '../../modules.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { setApprovalPolicy } from '../approval-policies/operations.ts';
import {
  createRule,
  removeRule,
  removeRuleWithChoice,
  replaceRule,
  restoreRules,
  rewriteRule,
} from '../community-rules/index.ts';
import { handlePreviewUndo, handleUndo } from '../role-changes/review/operations.ts';
import { admin, erc20Rule, setUpGuild } from '../role-changes/testing/index.ts';
import { setRuleAssertions } from '../rule-assertions/operations.ts';
import { createCommunityRule } from '../rule-builder/operations.ts';
import { applyRuleImport, startRuleImport } from '../rule-imports/index.ts';
import { applyBrakes, applyRuleSet, getRuleSet } from './index.ts';
import type { RuleSetToApply } from './shapes.ts';
import { getRuleSetSource, lockRuleSet, unlockRuleSet } from './source.ts';

const locked = {
  code: 'STATE_CONFLICT',
  message: /^This community is locked to its rules file.* was refused\. Edit the file and apply it\. Or unlock/,
};
const tpcId = 'TPC#1';

describe('a rule set that is locked to its file', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('rule-set-lock');
  });
  after(() => t.close());

  const present = () => t.as({ ...admin, presence: { at: t.services.clock(), how: 'wallet' } });

  async function newKey(): Promise<Actor> {
    const scopes = ['rules:apply', 'rules:brakes'];
    const { id = '' } = await createDevelopmentApp(t.as(operator), { userId: newUser().userId, name: 'CI', scopes });
    return {
      kind: 'client',
      credential: 'api-key',
      client: { id, name: 'CI', allowedScopes: scopes, disallowedScopes: [] },
    };
  }

  /** A community of `admin` with one rule. */
  async function settle() {
    const guild = await setUpGuild(t, { members: 1 });
    t.host.addCommunity(guild.guildId, [
      { id: 'gold', name: 'Gold' },
      { id: 'silver', name: 'Silver' },
    ]);
    t.host.addMember(guild.guildId, guild.nativeIdOf(0));
    t.host.addAdmin(guild.guildId, '1');
    const { id: communityId } = guild;
    await t.services.db.pool.query(
      `insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, 'DIS#USER#1', $2, $2)`,
      [communityId, t.services.clock()],
    );
    const rules = () => selectRules(t.services.db.system, communityId);
    const apply = async (actor: Actor, minToken: string, more: Partial<RuleSetToApply> = {}) => {
      const { version } = await getRuleSet(t.as(actor), { communityId });
      const wanted = [{ id: tpcId, rule: erc20Rule('gold', minToken) as never }];
      return applyRuleSet(t.as(actor), { communityId, body: { version, rules: wanted, unlisted: 'keep', ...more } });
    };
    return { guild, communityId, rules, apply };
  }

  const source = (communityId: string, actor: Actor = admin) => getRuleSetSource(t.as(actor), { communityId });

  test('is changed by no other way, and says how to change it', async () => {
    const { guild, communityId, rules } = await settle();
    const ctx = t.as(admin);
    const pass = await createGuestPass(ctx, {
      guildId: communityId,
      body: { name: 'Visitor', roleSet: [{ id: '770000000000000077' }] },
    });
    const content = JSON.stringify({ items: [{ ...erc20Rule('silver', '5'), id: 'TPC#9' }] });
    const started = await startRuleImport(ctx, { communityId, body: { source: 'original', content } });
    const kept = { rules: await rules(), set: await getRuleSet(ctx, { communityId }) };
    await lockRuleSet(ctx, { communityId });
    const before = { roleId: 'gold', definition: erc20Rule('gold', '7'), visibility: 'public' as const };
    const restored = { ruleId: tpcId, changeId: '1', action: 'changed' as const, before, roleIds: ['gold'] };
    const body = erc20Rule('silver', '5');
    const ways: Record<string, () => Promise<unknown>> = {
      create: () => createRule(ctx, { id: communityId, body }),
      createHere: () => createCommunityRule(ctx, { communityId, body: { rule: body } }),
      replace: () => replaceRule(ctx, { id: communityId, tpcId, body }),
      change: () => rewriteRule(ctx, { id: communityId, tpcId, body: erc20Rule('gold', '1'), visibility: 'hidden' }),
      remove: () => removeRule(ctx, { id: communityId, tpcId }),
      removeWithRoles: () => removeRuleWithChoice(ctx, { id: communityId, ruleId: tpcId, roles: 'take' }),
      restore: () => t.services.db.transaction('system', (tx) => restoreRules(ctx, tx, communityId, [restored])),
      import: () => applyRuleImport(ctx, { communityId, importId: started.id }),
      createPass: () =>
        createGuestPass(ctx, { guildId: guild.guildId, body: { name: 'B', roleSet: [{ id: '770000000000000077' }] } }),
      removePass: () => removeGuestPass(ctx, { guildId: communityId, passId: pass.id ?? '' }),
      period: () => setCheckPeriod(ctx, { id: communityId, body: { checkPeriodSeconds: 7200 } }),
      usualPeriod: () => resetCheckPeriod(ctx, { id: communityId }),
      policy: () => setApprovalPolicy(present(), { communityId, body: { approvers: 1, roles: [] } }),
      assertions: () => setRuleAssertions(ctx, { communityId, body: { assertions: [] } }),
    };
    for (const [way, change] of Object.entries(ways)) await assert.rejects(change(), locked, way);
    assert.deepEqual({ rules: await rules(), set: await getRuleSet(ctx, { communityId }) }, kept);
    assert.equal((await listGuestPasses(ctx, { guildId: communityId })).length, 1);
    await unlockRuleSet(present(), { communityId });
    for (const change of [ways.change, ways.policy, ways.period, ways.assertions, ways.import]) await change?.();
  });

  test('is changed by the key that applied its file, and by no other', async () => {
    const { communityId, rules, apply } = await settle();
    const [key, other] = [await newKey(), await newKey()];
    await apply(key, '2', { source: { file: 'latchkey.yaml', repository: 'https://git.example/cats' } });
    await lockRuleSet(t.as(admin), { communityId });
    await assert.rejects(apply(other, '3'), {
      ...locked,
      message: /rules file latchkey\.yaml in https:\/\/git\.example\/cats, so a file applied with the key of another/,
    });
    await assert.rejects(apply(admin, '3'), locked);
    const { brakesVersion } = await getRuleSet(t.as(admin), { communityId });
    const brakes = { communityId, body: { version: brakesVersion, brakes: { approvers: 2, roles: [] } } };
    await assert.rejects(applyBrakes(t.as(other), brakes), locked);
    await applyBrakes(t.as(key), brakes);
    await apply(key, '4');
    assert.equal((await rules())[0]?.definition.minToken, '4');
    assert.deepEqual((await apply(other, '4')).changes, [], 'who asks for what is there writes nothing');
    await apply(operator, '5');
    assert.equal((await rules())[0]?.definition.minToken, '5');
  });

  test('belongs to the first key that applies a file, if it was locked without one', async () => {
    const { communityId, apply } = await settle();
    const [key, other] = [await newKey(), await newKey()];
    await lockRuleSet(t.as(admin), { communityId });
    assert.deepEqual([(await source(communityId)).applied, (await source(communityId)).moved], [undefined, []]);
    await apply(key, '2');
    assert.equal((await source(communityId)).lock?.toName, 'CI');
    await assert.rejects(apply(other, '3'), locked);
  });

  test('shows the file, who applied it, and what was changed elsewhere since', async () => {
    const { communityId, apply } = await settle();
    assert.deepEqual(await source(communityId), { moved: [] });
    const key = await newKey();
    const repository = 'https://ci:glpat-secret@git.example/cats.git';
    await apply(key, '2', { source: { file: 'rules/latchkey.yaml', repository, commit: 'abcdef0' } });
    assert.deepEqual(await source(communityId), {
      applied: {
        file: 'rules/latchkey.yaml',
        repository: 'https://git.example/cats.git',
        commit: 'abcdef0',
        time: t.services.clock().toISOString(),
        by: `$app/${key.kind === 'client' ? key.client.id : ''}`,
        byName: 'CI',
        isByKey: true,
      },
      moved: [],
    });
    await replaceRule(t.as(admin), { id: communityId, tpcId, body: erc20Rule('gold', '9') });
    assert.deepEqual((await source(communityId)).moved, ['rules']);
    await replaceRule(t.as(admin), { id: communityId, tpcId, body: erc20Rule('gold', '2') });
    assert.deepEqual((await source(communityId)).moved, [], 'what was put back is as the file says');
    await assert.rejects(source(communityId, newUser()), { code: 'ENTITY_NOT_FOUND' });
  });

  test('is unlocked by the admin who locked it and by the owner, who are present, and by no other admin', async () => {
    const { guild, communityId } = await settle();
    const second = newUser();
    t.host.addAdmin(guild.guildId, second.nativeId);
    await t.services.db.pool.query(
      'insert into community_admins (community_id, user_id, confirmed_at, added_at) values ($1, $2, $3, $3)',
      [communityId, second.userId, t.services.clock()],
    );
    const asSecond = () => t.as({ ...second, presence: { at: t.services.clock(), how: 'wallet' } });
    await lockRuleSet(t.as(admin), { communityId });
    await assert.rejects(unlockRuleSet(t.as(admin), { communityId }), { code: 'PRESENCE_REQUIRED' });
    await assert.rejects(unlockRuleSet(asSecond(), { communityId }), {
      code: 'ROLE_NOT_ALLOWED',
      message: /Only the owner of the community and the admin who locked its rules/,
    });
    const seen = await Promise.all([source(communityId), source(communityId, second)]);
    assert.deepEqual(
      seen.map(({ lock }) => lock?.canUnlock),
      [true, false],
    );
    await unlockRuleSet(present(), { communityId });
    assert.equal((await source(communityId)).lock, undefined);
    await lockRuleSet(asSecond(), { communityId });
    await eraseAccount(t.as(operator), second.userId);
    assert.notEqual((await source(communityId)).lock?.by, second.userId, 'nothing names a person who is gone');
    await unlockRuleSet(present(), { communityId });
    await lockRuleSet(t.as(admin), { communityId });
    await unlockRuleSet(t.as(operator), { communityId });
    await unlockRuleSet(present(), { communityId });
  });

  test('lets role changes be undone, and leaves the rule to the file', async () => {
    const { guild, communityId, rules } = await settle();
    await rewriteRule(t.as(admin), { id: communityId, tpcId, body: erc20Rule('gold', '3') });
    guild.hold(0, '5');
    await guild.check();
    await guild.write();
    const [changeSet] = (
      await t.services.db.pool.query('select id from change_sets where community_id = $1', [communityId])
    ).rows;
    const named = { communityId, changeSetId: String(changeSet?.id) };
    assert.equal((await handlePreviewUndo(t.as(admin), named)).restoresRule, true);
    await lockRuleSet(t.as(admin), { communityId });
    assert.equal((await handlePreviewUndo(t.as(admin), named)).restoresRule, false);
    await assert.rejects(handleUndo(t.as(admin), { ...named, body: { restoreRule: true } }), locked);
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    await handleUndo(t.as(admin), named);
    await guild.write();
    assert.deepEqual([guild.rolesOf(0), (await rules())[0]?.definition.minToken], [[], '3']);
  });

  test('is refused in the same words everywhere: no fault of the server', async () => {
    const { communityId } = await settle();
    await lockRuleSet(t.as(admin), { communityId });
    await lockRuleSet(t.as(admin), { communityId });
    const refusal = await removeRule(t.as(admin), { id: communityId, tpcId }).catch((error: unknown) => error);
    assert.ok(refusal instanceof AppError && refusal.status === 409);
  });
});
