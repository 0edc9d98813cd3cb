import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMatrix } from '@latchkey/platforms/matrix';
import { noteMember } from '../../communities/members/index.ts';
import { countPresent } from '../../communities/memberships/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { contextFor } from '../../shared/context.ts';
import { operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { writeWaiting } from './applying/write-community.ts';
import { approveChangeSet, previewChangeSet } from './index.ts';
import { reconcileCommunityJob } from './jobs.ts';
import { type MatrixClub, needed, setUpMatrixClub } from './testing/matrix-club.ts';

const size = 40;

describe('members who leave a platform on which leaving does not end their roles', () => {
  let t: TestPlatform;
  let club: MatrixClub;
  before(async () => {
    t = await testPlatform('left-members');
    club = await setUpMatrixClub(t, size, () => true, { nowMs: () => t.services.clock().getTime() });
    const { emulator, botToken } = club;
    const { host } = createMatrix({
      homeserverUrl: emulator.url,
      accessToken: botToken,
      fetch,
      clock: t.services.clock,
      log: t.log,
      random: t.services.random,
    });
    t.services.hosts = { matrix: host };
    for (let member = 0; member < size; member += 1) club.hold(member, needed.level);
    await resync();
  });
  after(async () => {
    await club.emulator.stop();
    await t.close();
  });

  const ctx = () => contextFor(t.services, { kind: 'system', job: 'test' });
  const check = () => reconcileCommunityJob(ctx(), club.id);
  const write = () => writeWaiting(ctx(), club.id, new AbortController().signal);
  const resync = async () => {
    await enqueueReconcile(t.services.db.system, { communityId: club.id, members: '*', cause: 'schedule' });
    await check();
    await write();
  };
  const hasBoth = (member: number) => {
    const { isInRoom, level } = club.stateOf(member);
    return isInRoom && level !== undefined;
  };
  const holders = () => club.members.filter((_, member) => hasBoth(member)).length;
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await t.services.db.pool.query<Row>(text)).rows;
  const heldSets = () =>
    query<{ id: string; revokes: number }>("select id, revokes from change_sets where status = 'held'");

  it('keeps their roles while they are members, and takes them one event after they left', async () => {
    assert.equal(holders(), size);
    club.setInSpace(0, false);
    const userId = club.members[0] ?? '';
    await noteMember(t.services, 'matrix', club.id, userId, { kind: 'left', keepsRoles: true });
    assert.deepEqual(await query('select cause from reconcile_queue'), [{ cause: 'left' }]);
    await check();
    await write();
    assert.equal(hasBoth(0), false);
    assert.equal(holders(), size - 1);
    assert.equal((await countPresent(t.services.db.system, [club.id])).get(club.id), size);
    const ledger = await query<{ reason: unknown }>("select reason from role_ledger where action = 'revoke'");
    assert.deepEqual(
      ledger.map(({ reason }) => reason),
      Array.from({ length: 2 }, () => ({ truth: 'false', rules: [], hasLeft: true })),
    );
  });

  it('takes nothing of a member who is back when the change is written, and gives back what they had', async () => {
    club.setInSpace(1, false);
    await enqueueReconcile(t.services.db.system, { communityId: club.id, members: '*', cause: 'schedule' });
    await check();
    club.setInSpace(1, true);
    await write();
    assert.equal(hasBoth(1), true);
    const dropped = await query(
      "select from change_set_items where state = 'dropped' and drop_reason = 'already-done'",
    );
    assert.equal(dropped.length, 2);

    club.setInSpace(0, true);
    await resync();
    assert.equal(holders(), size);
  });

  it('asks an admin before many lose a role at once, and shows what would happen', async () => {
    for (let member = 20; member < 35; member += 1) club.setInSpace(member, false);
    const preview = await previewChangeSet(t.as(operator), club.id, '*');
    await resync();
    assert.equal(holders(), size);
    const [held, ...more] = await heldSets();
    assert.deepEqual([held?.revokes, more.length, preview.revokes], [30, 0, 30]);
    await resync();
    assert.equal((await heldSets()).length, 1, 'the next re-check holds nothing a second time');
    await approveChangeSet(t.as(operator), held?.id ?? '');
    await write();
    assert.equal(holders(), size - 15);
  });

  it('takes nothing while the homeserver does not answer, and nothing that no rule gives', async () => {
    const before = holders();
    club.setInSpace(2, false);
    club.emulator.misbehave({ kind: 'status', status: 502 });
    await enqueueReconcile(t.services.db.system, { communityId: club.id, members: '*', cause: 'schedule' });
    await assert.rejects(check());
    await write();
    club.emulator.behave();
    assert.equal(hasBoth(2), true);
    await t.services.db.pool.query("delete from community_rules where role_id like 'room:%'");
    t.advanceSeconds(60);
    await resync();
    const { isInRoom, level } = club.stateOf(2);
    assert.deepEqual([isInRoom, level, holders()], [true, undefined, before - 1]);
  });
});
