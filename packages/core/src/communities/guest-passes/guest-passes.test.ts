import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createRule } from '../../gating/community-rules/index.ts';
import { applyGrantJob as applyGrant } from '../../gating/guest-roles/apply-grant.ts';
import { listChangeSets, writeWaiting } from '../../gating/role-changes/index.ts';
import { contextFor } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { communityAdmin } from '../access/index.ts';
import { addMembers, newCommunity } from '../community/testing.ts';
import { endGuestPass, giveGuestPass, listGuestPassHolders } from '../guest-pass-holders/operations.ts';
import { createGuestPass, refuseBadPass } from './guest-pass.ts';
import { expireGuestPasses, guestsAmong, issueGuestPass, listGuestPasses, removeGuestPass } from './index.ts';

const { signal } = new AbortController();
const [red, blue] = ['100000000000000001', '100000000000000002'];

describe('guest passes', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('guest-passes');
  });
  after(() => t.close());

  async function open() {
    const made = await newCommunity(t);
    const guildId = made.community.communityId ?? '';
    const create = (body: Parameters<typeof createGuestPass>[1]['body'] = {}) =>
      createGuestPass(t.as(made.owner), {
        guildId,
        body: { name: 'Speaker', roleSet: [{ id: red, name: 'Red' }], period: 3600, ...body },
      });
    const issue = (passId: string | undefined, userId: string) =>
      issueGuestPass(t.as(made.owner), { guildId, passId: passId ?? '', userId: `DIS#USER#${userId}` });
    return { ...made, guildId, create, issue };
  }

  /** Runs the waiting jobs, as the worker would, and returns the errors. */
  async function work(): Promise<string[]> {
    const jobs = await t.services.db.system
      .deleteFrom('jobs')
      .where('name', '=', applyGrant.name)
      .returning(['id', 'payload'])
      .execute();
    const problems: string[] = [];
    for (const { id, payload } of jobs) {
      const run = { id: String(id), attempt: 1, signal: new AbortController().signal };
      await applyGrant
        .run(t.services, payload as { grantId: string }, run)
        .catch((error: Error) => problems.push(error.message));
    }
    return problems;
  }

  test('a pass is created, listed and deleted by admins of the server', async () => {
    const { create, owner, guildId, id } = await open();
    const pass = await create({ description: 'For a talk', id: 'mine', pk: 'other', status: 'active' });
    assert.equal(pass.pk, id);
    assert.equal(pass.sk, `GUESTPASS#${pass.id}`);
    assert.deepEqual([pass.type, pass.scheme, pass.platform, pass.period], ['GUESTPASS', 'VC', 'discord', 3600]);
    assert.notEqual(pass.id, 'mine');
    assert.deepEqual(await listGuestPasses(t.as(owner), { guildId: id }), [pass]);
    await removeGuestPass(t.as(owner), { guildId, passId: pass.id ?? '' });
    assert.deepEqual(await listGuestPasses(t.as(owner), { guildId }), []);
    await assert.rejects(removeGuestPass(t.as(owner), { guildId, passId: pass.id ?? '' }), {
      code: 'ENTITY_NOT_FOUND',
    });
  });

  test('a pass without a name, without roles or with an odd period is refused', async () => {
    const { owner, guildId } = await open();
    const roleSet = [{ id: red }];
    for (const body of [
      { roleSet },
      { name: 'x' },
      { name: 'x', roleSet: [] },
      { name: 'x', roleSet: [{ name: 'Red' }] },
      { name: 'x', roleSet: [{ id: '../1' }] },
      { name: 'x', roleSet, period: 1 },
      { name: 'x', roleSet, period: 3600.5 },
      { name: 'x', roleSet, period: 1e12 },
    ])
      await assert.rejects(createGuestPass(t.as(owner), { guildId, body }), { code: 'VALIDATION_FAILED' });
  });

  test('strangers see and change nothing, through any surface', async () => {
    const { create, guildId, id } = await open();
    const pass = await create();
    const input = { guildId, passId: pass.id ?? '' };
    assert.equal(await communityAdmin('guildId').object?.admits(t.as(mallory), guildId), false);
    for (const refused of [
      () => listGuestPasses(t.as(mallory), { guildId }),
      () => removeGuestPass(t.as(mallory), input),
      () => issueGuestPass(t.as(mallory), { ...input, userId: mallory.kind === 'user' ? mallory.userId : '' }),
      () => createGuestPass(t.as(mallory), { guildId, body: { name: 'x', roleSet: [{ id: red }] } }),
    ])
      await assert.rejects(refused(), { code: 'ENTITY_NOT_FOUND' });
    assert.equal(
      (await guestsAmong(t.services.db.system, id, [mallory.kind === 'user' ? mallory.userId : ''], t.services.clock()))
        .size,
      0,
    );
  });

  test('a guest has the roles until the pass ends, and keeps those they had before', async () => {
    const { create, issue, guildId, id } = await open();
    const pass = await create({ roleSet: [{ id: red }, { id: blue }] });
    t.host.addMember(guildId, '71', [blue]);
    const { endsAt } = await issue(pass.id, '71');
    assert.equal(endsAt.getTime(), t.services.clock().getTime() + 3_600_000);
    assert.deepEqual(await work(), []);
    assert.deepEqual(t.host.rolesOf(guildId, '71'), [blue, red]);
    const guests = () => guestsAmong(t.services.db.system, id, ['DIS#USER#71', 'DIS#USER#72'], t.services.clock());
    assert.deepEqual(
      [...(await guests())],
      [['DIS#USER#71', { passes: [`${id}:${pass.id}:${red}`, `${id}:${pass.id}:${blue}`], roleIds: [red, blue] }]],
    );
    t.advanceSeconds(3599);
    await expireGuestPasses(t.services);
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '71'), [blue, red]);
    t.advanceSeconds(1);
    assert.equal((await guests()).size, 0);
    assert.ok((await expireGuestPasses(t.services)) >= 1);
    assert.deepEqual(await work(), []);
    assert.deepEqual(t.host.rolesOf(guildId, '71'), [blue]);
    assert.equal(await expireGuestPasses(t.services), 0);
  });

  test('granting a pass again extends it, and a second pass keeps a shared role until it ends too', async () => {
    const { create, issue, guildId } = await open();
    const [first, second] = [await create({ period: 600 }), await create({ period: 3600 })];
    t.host.addMember(guildId, '73');
    await issue(first.id, '73');
    t.advanceSeconds(300);
    await issue(first.id, '73');
    await work();
    t.advanceSeconds(400);
    await expireGuestPasses(t.services);
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '73'), [red]);
    await issue(second.id, '73');
    t.advanceSeconds(200);
    await expireGuestPasses(t.services);
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '73'), [red]);
    t.advanceSeconds(3600);
    await expireGuestPasses(t.services);
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '73'), []);
  });

  test('a role that a rule grants is left to the rule, which is re-checked', async () => {
    const { create, issue, owner, guildId, id } = await open();
    const pass = await create();
    t.host.addMember(guildId, '74');
    await addMembers(t, id, [{ userId: 'DIS#USER#74' }]);
    await issue(pass.id, '74');
    await work();
    const rule = { type: 'ERC721', chainId: 1, contractAddress: `0x${'1'.repeat(40)}`, roleId: red };
    await createRule(t.as(owner), { id, body: rule });
    await t.services.db.system.deleteFrom('reconcile_queue').execute();
    t.advanceSeconds(3600);
    await expireGuestPasses(t.services);
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '74'), [red]);
    const affected = await t.services.db.system
      .selectFrom('reconcile_queue')
      .select('user_id')
      .where('community_id', '=', id)
      .execute();
    assert.deepEqual(affected, [{ user_id: 'DIS#USER#74' }]);
  });

  test('grants and removals of a pass are in change sets and in the ledger, attributed to the admin who issued it', async () => {
    const { create, issue, owner, guildId, id } = await open();
    const pass = await create({ roleSet: [{ id: red }, { id: blue }] });
    t.host.addMember(guildId, '741', [blue]);
    await issue(pass.id, '741');
    await work();
    await work();
    t.advanceSeconds(3600);
    await expireGuestPasses(t.services);
    await work();
    const { items } = await listChangeSets(t.as(owner), id);
    assert.deepEqual(
      items.map(({ cause, status, grants, revokes, decided_by }) => [cause, status, grants, revokes, decided_by]),
      [
        ['guest pass', 'done', 0, 1, owner.userId],
        ['guest pass', 'done', 1, 0, owner.userId],
      ],
    );
    const { rows } = await t.services.db.pool.query(
      'select user_id, role_id, action, is_automatic, reason from role_ledger where community_id = $1 order by id',
      [id],
    );
    const entry = { user_id: 'DIS#USER#741', role_id: red, is_automatic: false, reason: { guestPass: pass.id } };
    assert.deepEqual(rows, [
      { ...entry, action: 'grant' },
      { ...entry, action: 'revoke' },
    ]);
  });

  test('a blocked role is granted by its change set once unblocked, and not at all once the pass has ended', async () => {
    const { create, issue, guildId, id } = await open();
    const pass = await create();
    const write = () => writeWaiting(contextFor(t.services, { kind: 'system', job: 'test' }), id, signal);
    for (const [userId, isLate] of [
      ['742', false],
      ['743', true],
    ] as const) {
      t.host.addMember(guildId, userId);
      t.host.breakRole(guildId, red, { roleId: red, fault: 'above-bot', advice: 'Move the role "Red".' });
      await issue(pass.id, userId);
      assert.deepEqual(await work(), ['Move the role "Red".']);
      if (isLate) {
        t.advanceSeconds(3600);
        await expireGuestPasses(t.services);
        await work();
      }
      t.host.breakRole(guildId, red, undefined);
      await write();
      assert.deepEqual(t.host.rolesOf(guildId, userId), isLate ? [] : [red]);
    }
  });

  test('deleting a pass removes the roles it granted', async () => {
    const { create, issue, owner, guildId } = await open();
    const pass = await create();
    t.host.addMember(guildId, '75');
    await issue(pass.id, '75');
    await work();
    await removeGuestPass(t.as(owner), { guildId, passId: pass.id ?? '' });
    await work();
    assert.deepEqual(t.host.rolesOf(guildId, '75'), []);
  });

  test('writes that Discord rejects are retried, and permanent refusals are recorded', async () => {
    const { create, issue, guildId } = await open();
    const pass = await create();
    t.host.addMember(guildId, '76');
    t.host.interfere(() => ({ kind: 'forbidden', advice: 'Move the role "Red" below the bot.' }));
    await issue(pass.id, '76');
    assert.deepEqual(await work(), ['Move the role "Red" below the bot.']);
    const problems = await t.services.db.system
      .selectFrom('guest_pass_grants')
      .select('problem')
      .where('user_id', '=', 'DIS#USER#76')
      .execute();
    assert.deepEqual(problems, [{ problem: 'Move the role "Red" below the bot.' }]);
    t.host.interfere(undefined);
    await issue(pass.id, '76');
    assert.deepEqual(await work(), []);
    assert.deepEqual(t.host.rolesOf(guildId, '76'), [red]);
    await issue(pass.id, '77');
    assert.deepEqual(await work(), []);
  });

  test('an inactive pass is not granted, and a grant that is rolled back leaves nothing', async () => {
    const { create, issue, owner, guildId } = await open();
    const inactive = await create({ status: 'inactive' });
    await assert.rejects(issue(inactive.id, '78'), { code: 'STATE_CONFLICT' });
    const pass = await create();
    const half = t.services.db.transaction({ owner: owner.userId }, async (tx) => {
      await issueGuestPass(contextFor(t.services, owner, tx), {
        guildId,
        passId: pass.id ?? '',
        userId: 'DIS#USER#78',
      });
      throw new Error('the rest failed');
    });
    await assert.rejects(half, /the rest failed/);
    assert.deepEqual(await work(), []);
    const guests = await guestsAmong(
      t.services.db.system,
      communityKey('discord', guildId),
      ['DIS#USER#78'],
      t.services.clock(),
    );
    assert.equal(guests.size, 0);
    await assert.rejects(issueGuestPass(t.as(owner), { guildId, passId: pass.id ?? '', userId: '78' }), {
      code: 'INVALID_PARAMETER_VALUE',
    });
  });

  test('a role with moderation power is refused in a pass, and not granted by one that gained it later', async () => {
    const { create, issue, owner, guildId } = await open();
    const body = { name: 'Speaker', roleSet: [{ id: red }, { id: blue }] };
    await refuseBadPass(t.as(owner), { guildId, body });
    const pass = await create({ roleSet: [{ id: red }, { id: blue }] });
    t.host.setPowers(guildId, blue, ['Kick Members']);
    await assert.rejects(refuseBadPass(t.as(owner), { guildId, body }), {
      code: 'VALIDATION_FAILED',
      message: /roleSet\/1\/id must name another role.*Kick Members/,
    });
    t.host.addMember(guildId, '4711');
    await issue(pass.id, '4711');
    assert.match((await work()).join(), /has Kick Members/);
    assert.deepEqual(t.host.rolesOf(guildId, '4711'), [red]);
    assert.ok(t.log.lines.some((line) => line.includes('Kick Members')));
    t.host.setPowers(guildId, blue, []);
    await issue(pass.id, '4711');
    assert.deepEqual(await work(), []);
    assert.deepEqual(t.host.rolesOf(guildId, '4711'), [red, blue]);
  });

  test('holders of a pass are listed with names and end dates; each can be granted it again or lose it alone', async () => {
    const { create, owner, id } = await open();
    const passId = (await create()).id ?? '';
    const [ann, ben] = ['DIS#USER#501', 'DIS#USER#502'];
    await addMembers(t, id, [{ userId: ann }, { userId: ben }]);
    const ctx = t.as(owner);
    const holders = async () =>
      (await listGuestPassHolders(ctx, { communityId: id, passId })).items.map(({ userId }) => userId);
    await giveGuestPass(ctx, { communityId: id, passId, userId: ann });
    t.advanceSeconds(60);
    const { endsTime } = await giveGuestPass(ctx, { communityId: id, passId, userId: '502' });
    assert.equal(endsTime, new Date(t.services.clock().getTime() + 3600_000).toISOString());
    assert.deepEqual(await holders(), [ann, ben]);
    const first = await listGuestPassHolders(ctx, { communityId: id, passId, limit: 1 });
    const { paginationToken } = first;
    const second = await listGuestPassHolders(ctx, { communityId: id, passId, limit: 1, paginationToken });
    assert.deepEqual([first.items[0]?.userId, second.items[0]?.userId], [ann, ben]);
    await giveGuestPass(ctx, { communityId: id, passId, userId: ann });
    assert.equal((await holders()).length, 2, 'giving it again does not add a second pass');
    await endGuestPass(ctx, { communityId: id, passId, userId: ann });
    assert.deepEqual(await holders(), [ben]);
    const none = { code: 'ENTITY_NOT_FOUND' };
    await assert.rejects(endGuestPass(ctx, { communityId: id, passId, userId: ann }), none);
    const stranger = await open();
    await assert.rejects(listGuestPassHolders(t.as(stranger.owner), { communityId: id, passId }), none);
    await assert.rejects(giveGuestPass(t.as(stranger.owner), { communityId: stranger.id, passId, userId: ann }), none);
    await assert.rejects(giveGuestPass(ctx, { communityId: id, passId, userId: 'TEL#USER#1' }), {
      code: 'INVALID_PARAMETER_VALUE',
    });
    await work();
  });
});
