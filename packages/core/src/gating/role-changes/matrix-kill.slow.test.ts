import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMatrix } from '@latchkey/platforms/matrix';
import { seed, until, volume } from '@latchkey/test-kit';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { contextFor } from '../../shared/context.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { writeWaiting } from './applying/write-community.ts';
import { reconcileCommunityJob } from './jobs.ts';
import { clubLevel, type MatrixClub, needed, setUpMatrixClub } from './testing/matrix-club.ts';

/** Returns numbers from 0 to 1, the same in every run. */
function numbersFrom(drawnFrom: string): () => number {
  const random = seededRandom(drawnFrom);
  return () => Buffer.from(random.bytes(2)).readUInt16BE() / 65_536;
}

/** `out`: they left the space, whatever they hold. */
type Holds = number | 'out';

const deserved = (holds: Holds) => ({
  isInRoom: holds !== 'out' && holds >= needed.room,
  level: holds !== 'out' && holds >= needed.level ? clubLevel : undefined,
});

describe('writing rooms and power levels of Matrix', () => {
  let t: TestPlatform;
  let club: MatrixClub | undefined;
  before(async () => {
    t = await testPlatform('matrix-kill');
    t.services.clock = () => new Date();
    // Half of the members lose their roles, so approval of large removals is turned off.
    t.services.settings.gating = { heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
  });
  after(async () => {
    await club?.emulator.stop();
    await t.close();
  });

  const count = async (from: string): Promise<number> =>
    (await t.services.db.pool.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]?.n ?? Number.NaN;

  it('survives kills of the worker: in the end every member has what the rules say, each change is recorded once', async (test) => {
    const size = volume(24, 400);
    const made = await setUpMatrixClub(t, size, (member) => member % 2 === 0);
    club = made;
    const { emulator, id, botToken, stateOf, hold, members } = made;
    const matrix = createMatrix({
      homeserverUrl: emulator.url,
      accessToken: botToken,
      fetch,
      clock: t.services.clock,
      log: t.log,
      random: t.services.random,
    });
    t.services.hosts = { matrix: matrix.host };
    for (const member of members.keys()) hold(member, member % 2 === 0 ? 0 : needed.level);
    await enqueueReconcile(t.services.db.system, { communityId: id, members: '*', cause: 'schedule' });
    await reconcileCommunityJob(contextFor(t.services, { kind: 'system', job: 'test' }), id);
    await t.services.db.pool.query("delete from jobs where name = 'gating.check'");
    const changes = 2 * size;
    assert.equal(await count('change_set_items'), changes);

    const program = fileURLToPath(new URL('testing/worker.ts', import.meta.url));
    const children = new Set<ChildProcess>();
    const startChild = (): ChildProcess => {
      const databaseUrl = t.services.db.pool.options.connectionString ?? '';
      const child = spawn(process.execPath, [program, databaseUrl, emulator.url, botToken], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.add(child);
      return child;
    };
    const kill = async (child: ChildProcess): Promise<void> => {
      children.delete(child);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    };
    test.after(() => Promise.all([...children].map(kill)));

    const drawnFrom = seed('killed writers of Matrix');
    const draw = numbersFrom(drawnFrom);
    const moments = Array.from({ length: volume(2, 20) }, () => Math.floor(draw() * changes * 0.8)).toSorted(
      (a, b) => a - b,
    );
    let worker = startChild();
    let inFlight = 0;
    for (const written of moments) {
      await until(`${written} changes are applied`, async () => (await count('role_ledger')) >= written);
      // Within a write: the homeserver has a request of it that is not answered yet, or its answer is not stored yet.
      await until('a write is under way', async () => (await count("change_set_items where state = 'sent'")) > 0);
      await kill(worker);
      inFlight += await count("change_set_items where state = 'sent'");
      worker = startChild();
    }
    await until('all changes are done', async () => (await count("change_sets where status <> 'done'")) === 0);
    await kill(worker);
    test.diagnostic(
      `seed ${drawnFrom}: killed after ${moments} of ${changes} changes, ${inFlight} items in flight in all`,
    );
    for (const member of members.keys())
      assert.deepEqual(stateOf(member), deserved(member % 2 === 0 ? 0 : needed.level), `member ${member}`);
    assert.equal(await count('role_ledger'), changes);
    assert.equal(await count('(select distinct user_id, role_id from role_ledger) as l'), changes);
    assert.ok(inFlight > 0, 'no kill happened in the middle of a write');
    assert.equal(made.deeds().length, size, 'each member was invited or removed once, and no one else');
  });
});

describe('a Matrix homeserver that fails', () => {
  let t: TestPlatform;
  let club: MatrixClub;
  const size = volume(20, 120);
  const rounds = volume(9, 150);
  before(async () => {
    t = await testPlatform('matrix-outage');
    t.services.settings.gating = { heldRemovalShare: 1, heldRemovalsPerDay: 1_000_000 };
    club = await setUpMatrixClub(t, size, (member) => member % 3 === 0, { nowMs: () => t.services.clock().getTime() });
  });
  after(async () => {
    await club.emulator.stop();
    await t.close();
  });

  it('lets no one in and removes no one against the rules, also those who leave and come back, and ends with what they say', async (test) => {
    const drawnFrom = seed('a homeserver that fails');
    const draw = numbersFrom(drawnFrom);
    const { id, emulator, botToken, hold, members, stateOf } = club;
    const faults = { outage: 0, lost: 0, limited: 0, broken: 0 };
    let share = 0;
    /** A network between the bot and the homeserver that fails before and after the effect of a request. */
    const unsteady: typeof fetch = async (url, init) => {
      const fault = draw() < share ? draw() : 1;
      if (fault < 0.25) {
        faults.outage += 1;
        throw new TypeError('fetch failed');
      }
      if (fault < 0.45) {
        faults.limited += 1;
        const body = { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 2_000 };
        return Response.json(body, { status: 429, headers: { 'retry-after': '2' } });
      }
      if (fault < 0.6) {
        faults.broken += 1;
        return new Response('<html>502 Bad Gateway</html>', { status: 502 });
      }
      const response = await fetch(url, init);
      if (fault === 1) return response;
      await response.arrayBuffer();
      faults.lost += 1;
      throw new TypeError('terminated');
    };
    const matrix = createMatrix({
      homeserverUrl: emulator.url,
      accessToken: botToken,
      fetch: unsteady,
      clock: t.services.clock,
      log: t.log,
      random: t.services.random,
    });
    t.services.hosts = { matrix: matrix.host };
    const ctx = () => contextFor(t.services, { kind: 'system', job: 'test' });
    const amounts: number[] = members.map((_, member) => (member % 3 === 0 ? needed.level : 0));
    for (const [member, amount] of amounts.entries()) hold(member, amount);

    let moves = 0;
    let failures = 0;
    const attempt = async (step: Promise<unknown>): Promise<boolean> => {
      const isDone = await step.then(
        () => true,
        () => false,
      );
      if (!isDone) failures += 1;
      return isDone;
    };
    /** Checks everyone and writes what is due. False if the check failed, so that older decisions are still open. */
    const settle = async (): Promise<boolean> => {
      await enqueueReconcile(t.services.db.system, { communityId: id, members: '*', cause: 'schedule' });
      const isChecked = await attempt(reconcileCommunityJob(ctx(), id));
      await attempt(writeWaiting(ctx(), id, new AbortController().signal));
      t.advanceSeconds(3_600);
      return isChecked;
    };
    const isOut = members.map(() => false);
    const holdsOf = (member: number): Holds => (isOut[member] ? 'out' : (amounts[member] ?? 0));
    /** What each member held whenever they may have been checked since the last complete check. */
    const seen = amounts.map((amount): Holds[] => [amount]);
    for (let round = 0; round < rounds; round += 1) {
      // Some rounds, the homeserver is down from the first request on; in others, the chain is.
      share = round % 4 === 3 ? 1 : draw() * 0.3;
      const isUnknown = round % 3 === 1;
      t.holdings.fail('evm:1', isUnknown ? 'The node is down.' : undefined);
      const from = emulator.world.position;
      for (let trade = 0; trade < size / 5; trade += 1) {
        const member = Math.floor(draw() * size);
        const amount = [0, needed.room, needed.level][Math.floor(draw() * 3)] ?? 0;
        amounts[member] = amount;
        hold(member, amount);
      }
      for (let move = 0; move < size / 8; move += 1) {
        const member = Math.floor(draw() * size);
        isOut[member] = !isOut[member];
        club.setInSpace(member, !isOut[member]);
        moves += 1;
      }
      // Who left loses their roles also while the chain is down: nobody has to read what they hold.
      for (const member of members.keys()) if (!isUnknown || isOut[member]) seen[member]?.push(holdsOf(member));
      const isChecked = await settle();
      // What was decided before the chain went down may still be written: nothing else.
      for (const { userId, membership } of club.deeds().filter(({ position }) => position > from)) {
        const known = seen[members.indexOf(userId)] ?? [];
        const isRight = known.some((holds) => deserved(holds).isInRoom === (membership === 'invite'));
        assert.ok(isRight, `round ${round}: ${membership} of ${userId}, who held ${known}`);
      }
      if (isChecked && !isUnknown) for (const member of members.keys()) seen[member] = [holdsOf(member)];
    }
    test.diagnostic(`seed ${drawnFrom}: ${JSON.stringify(faults)}, ${moves} moves, ${failures} jobs failed`);
    assert.ok(
      Object.values(faults).every((times) => times > 0),
      JSON.stringify(faults),
    );

    share = 0;
    t.holdings.fail('evm:1', undefined);
    for (let round = 0; round < 3; round += 1) await settle();
    for (const member of members.keys())
      assert.deepEqual(stateOf(member), deserved(holdsOf(member)), `member ${member}, who holds ${holdsOf(member)}`);
    assert.ok(isOut.includes(true) && moves > isOut.filter(Boolean).length, 'members left, and some came back');
    assert.equal(
      (await t.services.db.pool.query("select from change_set_items where state not in ('confirmed', 'dropped')")).rows
        .length,
      0,
    );
  });
});
