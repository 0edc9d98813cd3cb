import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { selectCommunity } from '../../../communities/community-records/index.ts';
import { noteMember } from '../../../communities/members/index.ts';
import { contextFor } from '../../../shared/context.ts';
import { mallory, operator, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { changeRoles } from '../applying/change-roles.ts';
import { applyNow } from '../applying/write-community.ts';
import { previewChangeSet } from '../planning/preview.ts';
import { approveChangeSet, rejectChangeSet } from '../review/decide.ts';
import { listChangeSets } from '../review/reads.ts';
import { undoChangeSet } from '../review/undo.ts';
import { admin, type Guild, setUpGuild } from '../testing/index.ts';
import { getShadowMode, listShadowDifferences } from './reads.ts';
import { returnToShadow, startShadowMode, takeOverFromShadow } from './switch.ts';
import { goOnTakingOver } from './take-over.ts';

describe('shadow mode', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('shadow');
  });
  after(() => t.close());

  /**
   * The first member qualifies for the role but lacks it, the second has it without holding anything, the third matches
   * the rules.
   */
  async function settle(): Promise<Guild> {
    const guild = await setUpGuild(t, { members: 3, roles: (member) => (member === 0 ? [] : ['gold']) });
    t.host.addCommunity(guild.guildId, [{ id: 'gold', name: 'Gold' }]);
    for (const member of [0, 1, 2]) {
      t.host.addMember(guild.guildId, guild.nativeIdOf(member), member === 0 ? [] : ['gold']);
      guild.hold(member, member === 1 ? '0' : '5');
    }
    t.host.addAdmin(guild.guildId, '1');
    return guild;
  }

  const asAdmin = () => t.as(admin);
  const asWorker = () => contextFor(t.services, { kind: 'system', job: 'gating.take-over' });
  const goOn = ({ id }: Guild, signal = new AbortController().signal) => goOnTakingOver(asWorker(), id, signal);
  /** Requests the takeover, and runs it as a worker would. */
  async function takeOver(guild: Guild) {
    await takeOverFromShadow(asAdmin(), { communityId: guild.id });
    await goOn(guild);
    return getShadowMode(asAdmin(), { communityId: guild.id });
  }
  async function communityOf({ id }: Guild) {
    const community = await selectCommunity(t.services.db.system, id);
    assert.ok(community);
    return community;
  }
  const rolesOf = (guild: Guild) => [0, 1, 2].map((member) => guild.rolesOf(member)?.join() ?? '');
  const differencesOf = async ({ id: communityId }: Guild, day?: string) =>
    (await listShadowDifferences(asAdmin(), { communityId, ...(day !== undefined && { day }) })).items.map(
      ({ userId, roleName, action }) => `${userId} ${roleName} ${action}`,
    );

  it('writes nothing, and keeps each day where the roles and the rules differ', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    assert.equal((await startShadowMode(asAdmin(), { communityId })).isOn, true);
    await guild.resync();
    assert.deepEqual(guild.writes(), []);
    assert.deepEqual(await differencesOf(guild), [`${guild.idOf(0)} Gold grant`, `${guild.idOf(1)} Gold revoke`]);
    const [{ day, ...counts } = { day: '' }] = (await getShadowMode(asAdmin(), { communityId })).days;
    assert.deepEqual(counts, { grants: 1, revokes: 1, members: 2 });

    const { items } = await listShadowDifferences(asAdmin(), { communityId });
    assert.match(items[0]?.words.join(' ') ?? '', /is met/);
    assert.match(items[1]?.words.join(' ') ?? '', /needs/);
    assert.ok(items.every(({ lines }) => lines.length > 0));
    const { rows } = await t.services.db.pool.query('select reason::text from shadow_differences');
    assert.ok(!rows.some(({ reason }) => /0x[0-9a-f]{40}/i.test(reason.replaceAll(/"asset": "[^"]*"/g, ''))));

    t.host.addMember(guild.guildId, guild.nativeIdOf(0), ['gold']);
    await guild.resync();
    assert.deepEqual(await differencesOf(guild), [`${guild.idOf(1)} Gold revoke`]);

    t.advanceSeconds(24 * 60 * 60);
    guild.hold(1, '5');
    await guild.resync();
    assert.deepEqual(await differencesOf(guild), []);
    assert.deepEqual(await differencesOf(guild, day), [`${guild.idOf(1)} Gold revoke`]);
    assert.deepEqual(guild.writes(), []);
    assert.deepEqual((await listChangeSets(asAdmin(), communityId)).items, []);
  });

  it('takes over with one change set, and undoes everything in one step', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    const before = rolesOf(guild);
    await startShadowMode(asAdmin(), { communityId });
    await guild.resync();

    const request = await takeOverFromShadow(asAdmin(), { communityId });
    assert.deepEqual([request.isOn, request.takeOver?.checkedMembers], [true, 0]);
    const over = await takeOver(guild);
    assert.deepEqual([over.isOn, over.takeOver], [false, undefined]);
    await guild.write();
    assert.deepEqual(rolesOf(guild), ['gold', '', 'gold']);
    const { items: changeSets } = await listChangeSets(asAdmin(), communityId);
    assert.deepEqual(
      changeSets.map(({ id, cause, status }) => [id, cause, status]),
      [[over.changeSetId, 'take-over', 'done']],
    );

    const back = await returnToShadow(asAdmin(), { communityId });
    assert.equal(back.isOn, true);
    await guild.write();
    assert.deepEqual(rolesOf(guild), before);
    const writes = guild.writes().length;
    await guild.resync();
    await guild.resync('*', 'requested');
    assert.equal(guild.writes().length, writes);
    assert.deepEqual(rolesOf(guild), before);
    assert.equal((await differencesOf(guild)).length, 2);
    await takeOver(guild);
    await guild.write();
    assert.deepEqual(rolesOf(guild), ['gold', '', 'gold']);
  });

  it('undoes also what a late event of the platform shows as undone already', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    const before = rolesOf(guild);
    await startShadowMode(asAdmin(), { communityId });
    await takeOver(guild);
    await guild.write();
    // Events from before the takeover arrive after it.
    for (const member of [0, 1]) {
      const news = { kind: 'updated' as const, roleIds: member === 0 ? [] : ['gold'] };
      await noteMember(t.services, 'discord', guild.guildId, guild.nativeIdOf(member), news);
    }
    await returnToShadow(asAdmin(), { communityId });
    await guild.write();
    assert.deepEqual(rolesOf(guild), before);
  });

  it('undoes everything even if members are checked before it is written', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    const before = rolesOf(guild);
    await startShadowMode(asAdmin(), { communityId });
    await takeOver(guild);
    await guild.write();
    await returnToShadow(asAdmin(), { communityId });
    await guild.check();
    await applyNow(asWorker(), await communityOf(guild), guild.idOf(1), { liftSuppressions: true });
    await guild.write();
    assert.deepEqual(rolesOf(guild), before);
  });

  describe('the undo of a takeover that gave a role to many members', () => {
    const present = () => t.as({ ...admin, presence: { how: 'passkey', at: t.services.clock() } });
    const holders = (guild: Guild) =>
      Array.from({ length: 12 }, (_, member) => guild.rolesOf(member)).filter((roles) => roles?.includes('gold'))
        .length;

    /** Twelve members who got the role in a takeover. */
    async function takenOver(): Promise<Guild> {
      const guild = await setUpGuild(t, { members: 12 });
      for (let member = 0; member < 12; member += 1) guild.hold(member, '1');
      await startShadowMode(asAdmin(), { communityId: guild.id });
      await takeOver(guild);
      await guild.write();
      assert.equal(holders(guild), 12);
      return guild;
    }
    const heldIn = async (guild: Guild) =>
      (await listChangeSets(asAdmin(), guild.id, { status: 'held' })).items[0]?.id ?? '';

    it('asks for a recent sign-in, and changes nothing without', async () => {
      const guild = await takenOver();
      await assert.rejects(returnToShadow(asAdmin(), { communityId: guild.id }), { code: 'PRESENCE_REQUIRED' });
      assert.equal((await getShadowMode(asAdmin(), { communityId: guild.id })).isOn, false);
    });

    it('is done at once for the admin who took over within the last hour', async () => {
      const guild = await takenOver();
      const back = await returnToShadow(present(), { communityId: guild.id });
      await guild.write();
      assert.deepEqual([back.isOn, back.undoWaits, holders(guild)], [true, undefined, 0]);
    });

    it('otherwise waits for approval in shadow mode, whatever checks find meanwhile', async () => {
      const guild = await takenOver();
      t.advanceSeconds(61 * 60);
      const back = await returnToShadow(present(), { communityId: guild.id });
      assert.deepEqual([back.isOn, back.undoWaits, back.changeSetId], [true, true, await heldIn(guild)]);
      await guild.resync();
      assert.equal(holders(guild), 12);
      await approveChangeSet(t.as(operator), await heldIn(guild));
      await guild.check();
      await guild.write();
      const { isOn, undoWaits } = await getShadowMode(asAdmin(), { communityId: guild.id });
      assert.deepEqual([holders(guild), isOn, undoWaits], [0, true, undefined]);
    });

    it('leaves the roles and shadow mode as they are if it is rejected', async () => {
      const guild = await takenOver();
      t.advanceSeconds(61 * 60);
      await returnToShadow(present(), { communityId: guild.id });
      await rejectChangeSet(t.as(operator), await heldIn(guild));
      await guild.resync();
      const { isOn, undoWaits } = await getShadowMode(asAdmin(), { communityId: guild.id });
      assert.deepEqual([holders(guild), isOn, undoWaits], [12, true, undefined]);
      await assert.rejects(undoChangeSet(present(), await heldIn(guild)), { code: 'ENTITY_NOT_FOUND' });
    });
  });

  it('returns also before anything of the takeover was written, or when it was undone already', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    const before = rolesOf(guild);
    await startShadowMode(asAdmin(), { communityId });
    await takeOver(guild);
    assert.equal((await returnToShadow(asAdmin(), { communityId })).changeSetId, undefined);
    await guild.write();
    assert.deepEqual(guild.writes(), []);
    const { changeSetId } = await takeOver(guild);
    await guild.write();
    await undoChangeSet(asAdmin(), changeSetId ?? '');
    await guild.write();
    assert.deepEqual(rolesOf(guild), before);
    assert.equal((await returnToShadow(asAdmin(), { communityId })).isOn, true);
    await guild.resync();
    assert.deepEqual(rolesOf(guild), before);
  });

  it('cancels what is pending when it starts, and refuses whatever would write until the takeover', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    const preview = await previewChangeSet(asAdmin(), communityId, '*');
    await startShadowMode(asAdmin(), { communityId });
    await startShadowMode(asAdmin(), { communityId });
    const changeSet = await previewChangeSet(asAdmin(), communityId, '*');
    for (const id of [preview.id, changeSet.id]) {
      await assert.rejects(approveChangeSet(asAdmin(), id), { code: 'STATE_CONFLICT' });
      await assert.rejects(undoChangeSet(asAdmin(), id), { code: 'STATE_CONFLICT' });
    }
    const { db } = t.services;
    const community = await db.system
      .selectFrom('communities')
      .selectAll()
      .where('id', '=', communityId)
      .executeTakeFirst();
    assert.ok(community);
    const change = { userId: guild.idOf(0), roleId: 'gold', action: 'grant' as const, reason: {}, blocks: {} };
    const made = await changeRoles(asAdmin(), community, { cause: 'guest', changes: [change], mayWait: true });
    assert.match(made.problem ?? '', /shadow mode/);
    await guild.write();
    assert.deepEqual(guild.writes(), []);
  });

  it('does not take over or return where there is nothing to, for non-admins, or while the platform is down', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    for (const act of [takeOverFromShadow, returnToShadow]) {
      await assert.rejects(act(asAdmin(), { communityId }), { code: 'STATE_CONFLICT' });
      await assert.rejects(act(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
    }
    await assert.rejects(startShadowMode(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(getShadowMode(t.as(mallory), { communityId }), { code: 'ENTITY_NOT_FOUND' });
    await startShadowMode(asAdmin(), { communityId });
    t.host.fail('Discord is down.');
    await assert.rejects(takeOver(guild)).finally(() => t.host.fail(undefined));
    const waiting = await getShadowMode(asAdmin(), { communityId });
    assert.equal(waiting.isOn, true);
    assert.match(waiting.takeOver?.problem ?? '', /will retry/);
    assert.deepEqual(guild.writes(), []);
    await goOn(guild);
    assert.equal((await getShadowMode(asAdmin(), { communityId })).isOn, false);
  });

  it('takes over a large community in visible steps, continues after a kill, and is done once', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    for (let more = 0; more < 2_600; more += 1) t.host.addMember(guild.guildId, String(900_000_000 + more));
    await startShadowMode(asAdmin(), { communityId });
    await takeOverFromShadow(asAdmin(), { communityId });
    const { signal } = new AbortController();
    let batches = 0;
    signal.throwIfAborted = () => {
      if (batches === 1) throw new Error('killed');
      batches += 1;
    };
    await assert.rejects(goOn(guild, signal), /killed/);
    const half = await takeOverFromShadow(asAdmin(), { communityId });
    assert.deepEqual([half.isOn, half.takeOver?.checkedMembers, half.takeOver?.members], [true, 2_500, 2_603]);
    assert.deepEqual(guild.writes(), []);
    await Promise.all([goOn(guild), goOn(guild)]);
    await goOn(guild);
    const over = await getShadowMode(asAdmin(), { communityId });
    assert.equal(over.isOn, false);
    await guild.write();
    assert.deepEqual(rolesOf(guild), ['gold', '', 'gold']);
    const { items: changeSets } = await listChangeSets(asAdmin(), communityId);
    assert.deepEqual(
      changeSets.map(({ id, cause, grants, revokes }) => [id, cause, grants, revokes]),
      [[over.changeSetId, 'take-over', 1, 1]],
    );
  });

  it('cancels a takeover that is in progress, by a return or when its change set is rejected', async () => {
    const guild = await settle();
    const { id: communityId } = guild;
    await startShadowMode(asAdmin(), { communityId });
    await takeOverFromShadow(asAdmin(), { communityId });
    assert.equal((await returnToShadow(asAdmin(), { communityId })).takeOver, undefined);
    await goOn(guild);
    await takeOverFromShadow(asAdmin(), { communityId });
    const { items: changeSets } = await listChangeSets(asAdmin(), communityId);
    const [changeSet] = changeSets.filter(({ status }) => status === 'previewed');
    await rejectChangeSet(asAdmin(), changeSet?.id ?? '');
    await goOn(guild);
    const given = await getShadowMode(asAdmin(), { communityId });
    assert.deepEqual([given.isOn, given.takeOver?.requestedTime], [true, undefined]);
    assert.match(given.takeOver?.problem ?? '', /rejected/);
    await guild.write();
    assert.deepEqual(guild.writes(), []);
  });
});
