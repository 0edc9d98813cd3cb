import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { rewriteRule } from '../../gating/community-rules/index.ts';
import { plainName } from '../../gating/naming/index.ts';
import { getChangeSet, listChangeSets, previewChangeSet } from '../../gating/role-changes/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild, token } from '../../gating/role-changes/testing/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { type MemoryHost, mallory, memoryHost, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { runAdminCommand, whyRoles } from './index.ts';

describe('bot replies', () => {
  let t: TestPlatform;
  let host: MemoryHost;
  let services: TestPlatform['services'];
  let ctx: Context;
  before(async () => {
    t = await testPlatform('bot-answers');
    host = memoryHost('discord');
    host.readRoles = async () => [{ id: 'gold', name: 'Gold' }];
    services = { ...t.services, hosts: { discord: host } };
    ctx = contextFor(services, admin);
    const metadata = { standard: 'erc20', name: 'Cat Coin', symbol: 'CAT', decimals: 18 } as const;
    t.tokenMetadata.set('evm:1', token, { kind: 'read', metadata });
    await services.db.pool.query(
      `insert into evm_tokens (chain_id, address, added_at, due_at) values (1, $1, now(), '2000-01-01')`,
      [token],
    );
  });
  after(() => t.close());
  beforeEach(() => host.interfere(undefined));

  const members = 12;
  /** A guild in which every member has lost the token, so that a change set is held. */
  async function held(): Promise<{ guild: Guild; community: CommunityRow; changeSetId: string }> {
    const rule = { ...erc20Rule('gold', '2'), name: 'Cat club' };
    const guild = await setUpGuild(
      { services, host, holdings: t.holdings },
      { members, rules: [rule], roles: () => ['gold'] },
    );
    host.addAdmin(guild.guildId, '1');
    await services.db.pool.query(
      `insert into community_admins (community_id, user_id, added_at, confirmed_at, ask_at)
       values ($1, 'DIS#USER#1', $2, $2, $2)`,
      [guild.id, services.clock()],
    );
    for (let member = 0; member < members; member += 1) guild.hold(member, '1.25');
    await guild.resync();
    await services.db.pool.query(
      `update community_members set user_name = 'cat' || substr(user_id, length(user_id) - 1) where community_id = $1`,
      [guild.id],
    );
    const community = await selectCommunity(services.db.system, guild.id);
    assert.ok(community);
    const changeSet = (await listChangeSets(ctx, guild.id)).items.find(({ status }) => status === 'held');
    assert.ok(changeSet);
    return { guild, community, changeSetId: changeSet.id };
  }
  const run = async (community: CommunityRow, words: string, as = ctx) => {
    const [word = '', ...rest] = words.split(' ');
    return runAdminCommand(as, community, word as Parameters<typeof runAdminCommand>[2], rest);
  };

  test('the list of change sets and a single one show roles, members, rules and tokens, and why it is held', async () => {
    const { guild, community, changeSetId } = await held();
    const list = await run(community, 'changes');
    assert.match(list.text, /12 members lose Gold \(waiting for your approval; after a scheduled re-check\)\./);
    assert.deepEqual(
      list.buttons.map(({ words }) => words),
      [
        ['show', changeSetId],
        ['approve', changeSetId],
        ['reject', changeSetId],
      ],
    );
    await whyRoles(ctx, community, guild.idOf(0), 'other');
    const { text } = await run(community, `show ${changeSetId}`);
    assert.match(text, /12 of 12 members with the role Gold would lose it within 24 hours\./);
    assert.match(
      text,
      /• cat00 loses Gold\. The rule "Cat club" needs at least 2 CAT on Ethereum\. The linked wallets hold some/,
    );
    assert.match(text, /… and 2 more changes\./);
    for (const secret of [guild.walletOf(0), '1.25']) assert.ok(!text.includes(secret), text);
  });

  test('only the grants are approved, or the rule is restored with the rejection, after a confirmation', async () => {
    const { guild, community, changeSetId } = await held();
    assert.match((await run(community, `approve_grants ${changeSetId}`)).text, /gives no role/);
    assert.match((await run(community, `reject_restore ${changeSetId}`)).text, /^No earlier version of a rule/);
    await run(community, `reject ${changeSetId}`);
    for (let member = 0; member < members; member += 1) guild.hold(member, '3');
    await guild.resync('*', 'requested');
    const body = { ...erc20Rule('gold', '4000'), name: 'Cat club' };
    await rewriteRule(ctx, { id: guild.id, tpcId: 'TPC#1', body });
    await guild.check();
    const id = (await listChangeSets(ctx, guild.id, { status: 'held' })).items[0]?.id ?? '';
    const shown = await run(community, `show ${id}`);
    assert.match(shown.text, /needs at least 4,000 CAT on Ethereum/);
    assert.deepEqual(shown.buttons.at(-1), { label: 'Reject and restore the rule…', words: ['reject_restore', id] });
    const request = await run(community, `reject_restore ${id}`);
    assert.match(
      request.text,
      /^Reject 12 removals and restore the rule to the version before\? Members are then checked/,
    );
    assert.equal((await getChangeSet(ctx, id)).changeSet.status, 'held');
    assert.match(
      (await run(community, (request.buttons[0]?.words ?? []).join(' '))).text,
      /^Rejected, and the rule is/,
    );
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    assert.match((await run(community, 'changes')).text, /Rejected by 1\. The rule was restored\./);

    host.addMember(guild.guildId, guild.nativeIdOf(0), []);
    for (let member = 1; member < members; member += 1) guild.hold(member, '0');
    const preview = await previewChangeSet(ctx, guild.id, '*');
    const question = await run(community, `approve ${preview.id}`);
    assert.deepEqual(question.buttons[1], { label: 'Approve 1 grant only…', words: ['approve_grants', preview.id] });
    const confirm = await run(community, `approve_grants ${preview.id}`);
    assert.match(confirm.text, /^Approve 1 grant and reject 11 removals\? Members keep the roles/);
    assert.match(
      (await run(community, (confirm.buttons[0]?.words ?? []).join(' '))).text,
      /^Approved: 1 grant\. Rejected: 11 removals\./,
    );
    await guild.write();
    assert.match(
      (await run(community, 'changes')).text,
      /1 member gets Gold; 11 dropped \(only the grants were approved\)/,
    );
  });

  test('the health of rules names each rule, who meets it and what keeps it from being decided, for admins only', async () => {
    const { guild, community } = await held();
    assert.match(
      (await run(community, 'health')).text,
      /^• Cat club \(Gold\): not checked yet\. This rule has not been/,
    );
    const problem = { code: 'no-reader', message: 'No node is configured for Ethereum.', action: 'Set it.' };
    await services.db.pool.query(
      `insert into rule_health (community_id, rule_id, state, cause, problems, reads, since, due_at, blocks, count_due_at, qualifying)
       select community_id, id, 'undecidable', 'no-reader', $2, 1, $3, $3, '{}', $3, 0 from community_rules where community_id = $1`,
      [guild.id, JSON.stringify([problem]), services.clock()],
    );
    const { text, link } = await run(community, 'health');
    assert.equal(
      text,
      '• Cat club (Gold): can never be decided here, met by 0 members. No node is configured for Ethereum. Set it.',
    );
    assert.ok(link?.url.endsWith('/rules'));
    assert.match((await run(community, 'health', contextFor(services, mallory))).text, /Only admins/);
  });

  test('approving asks for the count, proceeds once it is confirmed, and shows who decided', async () => {
    const { guild, community, changeSetId } = await held();
    const request = await run(community, `approve ${changeSetId}`);
    assert.match(request.text, /^Approve 12 removals\?/);
    assert.deepEqual(request.buttons[0], { label: 'Approve 12 removals', words: ['approve', changeSetId, '12'] });
    assert.equal((await getChangeSet(ctx, changeSetId)).changeSet.status, 'held');
    assert.match(
      (await run(community, `approve ${changeSetId} 11`)).text,
      /^These role changes have been updated\. Approve 12/,
    );
    assert.equal((await getChangeSet(ctx, changeSetId)).changeSet.status, 'held');
    assert.match((await run(community, `approve ${changeSetId} 12`)).text, /^Approved: 12 removals\./);
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), []);
    assert.match((await run(community, 'changes')).text, /12 members lose Gold \(done; .+\)\. Approved by 1\./);
    assert.match(
      (await run(community, `approve ${changeSetId} 12`)).text,
      /already approved or rejected\. Approved by 1\.$/,
    );
    const undo = await run(community, `undo ${changeSetId}`);
    assert.match(undo.text, /^Undo these role changes\? That means 12 grants/);
    assert.match((await run(community, (undo.buttons[0]?.words ?? []).join(' '))).text, /^Undone: 12 grants/);
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), ['gold']);
    const actions = await services.db.pool.query(
      'select action from audit_entries where community_id = $1 order by id',
      [guild.id],
    );
    assert.deepEqual(
      actions.rows.map(({ action }) => action),
      ['change-set.approve', 'change-set.undo'],
    );
  });

  test('rejecting keeps the roles', async () => {
    const { guild, community, changeSetId } = await held();
    assert.match((await run(community, `reject ${changeSetId}`)).text, /^Rejected/);
    await guild.resync();
    assert.deepEqual(guild.rolesOf(3), ['gold']);
    assert.match((await run(community, `show ${changeSetId}`)).text, /Rejected by 1\./);
  });

  test('strangers, foreign change sets and admins demoted on the platform get a refusal and change nothing', async () => {
    const { guild, community, changeSetId } = await held();
    const other = await held();
    const stranger = contextFor(services, mallory);
    for (const word of [
      'changes',
      `show ${changeSetId}`,
      `approve ${changeSetId} 12`,
      `reject ${changeSetId}`,
      `undo ${changeSetId} 0`,
    ])
      assert.deepEqual(await run(community, word, stranger), {
        text: 'Only admins of this community can do that.',
        buttons: [],
      });
    for (const word of ['show', 'approve', 'reject', 'undo'])
      assert.match((await run(other.community, `${word} ${changeSetId} 12`)).text, /^Role changes not found/);
    assert.match((await run(community, 'approve nonsense')).text, /^Role changes not found/);
    assert.match((await run(community, 'approve')).text, /^Usage: approve <id>/);
    host.removeAdmin(guild.guildId, '1');
    assert.match((await run(community, `approve ${changeSetId} 12`)).text, /no longer manage this community/);
    assert.equal(
      (await getChangeSet(contextFor(services, { kind: 'system', job: 'test' }), changeSetId)).changeSet.status,
      'held',
    );
  });

  test('a member sees amounts of their own wallets; an admin sees whether they were enough', async () => {
    const { guild, community } = await held();
    const own = await whyRoles(contextFor(services, admin), community, guild.idOf(1), 'self', 'Type /connect.');
    assert.match(
      own.text,
      /^You have 1 linked wallet\.\n• Gold: held, but the rules are no longer met\. .+hold 1\.25\.$/,
    );
    const report = await whyRoles(ctx, community, guild.idOf(1), 'other');
    assert.match(report.text, /^cat01 has 1 linked wallet\.\n• Gold: held, but .+ needs at least 2 CAT on Ethereum\./);
    for (const secret of [guild.walletOf(1), '1.25']) assert.ok(!report.text.includes(secret), report.text);
    assert.match((await whyRoles(ctx, community, 'DIS#USER#404', 'other')).text, /is not a member here/);
  });

  test('replies link to the exact page of the console', async () => {
    const { guild, community, changeSetId } = await held();
    const place = `${services.settings.baseUrl}/console/communities/${encodeURIComponent(guild.id)}`;
    const member = guild.idOf(1);
    const links = [
      [await run(community, 'changes'), `${place}/role-changes`],
      [await run(community, `show ${changeSetId}`), `${place}/role-changes/${changeSetId}`],
      [await run(community, `approve ${changeSetId}`), `${place}/role-changes/${changeSetId}`],
      [await whyRoles(ctx, community, member, 'other'), `${place}/members/${encodeURIComponent(member)}`],
      [await whyRoles(ctx, community, member, 'self'), `${services.settings.baseUrl}/console/me/roles`],
    ] as const;
    for (const [{ link }, url] of links) assert.deepEqual(link, { label: 'Open in the console', url });
  });

  test('third-party names make no link, no mention and no line break', () => {
    assert.equal(plainName('[Approve](https://evil.example)\n@everyone `x`'), 'Approve(https evil.example) everyone x');
    assert.equal(plainName('<@&1> **bold** "quoted"'), '@&1 bold quoted');
    assert.equal(plainName('\u202eevil\u0000'), 'evil');
    assert.equal(plainName('x'.repeat(100)).length, 64);
  });
});
