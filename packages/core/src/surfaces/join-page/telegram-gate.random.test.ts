import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { readPosted } from '@latchkey/platforms/telegram';
import { seed, volume } from '@latchkey/test-kit';
import { writeWaiting } from '../../gating/role-changes/index.ts';
import { type Dice, throwDice } from '../../gating/role-changes/testing/dice.ts';
import { contextFor, type Services } from '../../shared/context.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { Crash, crashing } from '../../testing/index.ts';
import { findNews } from '../admin-notices/testing.ts';
import { joinPageSeconds } from '../telegram/decide-join.ts';
import { TelegramWorld } from '../telegram/testing-world.ts';
import { revokeMisused } from '../telegram-gate/jobs.ts';
import { listGateBypasses, setGateSettings } from '../telegram-gate/operations.ts';
import { GuardedWorld } from './testing.ts';

const histories = volume(8, 400);
const steps = 70;
/** Longer than a process that died keeps what it claimed. */
const claimSeconds = 121;

/** A mistake to plant, which the comparison has to find. */
type Mistake = 'approved joins look like joins by the public name' | 'a join is not delivered';

/** What Telegram posts when a user is in, by the way that they came. */
type Entry =
  | { kind: 'request' }
  | { kind: 'public' }
  | { kind: 'folder' }
  | { kind: 'added'; by: number }
  | { kind: 'link'; by: number | 'bot'; url: string; name?: string };

const bot = { id: 7, is_bot: true, first_name: 'Gate', username: 'gate_bot' };
const admin = (id: number) => ({ id, is_bot: false, first_name: `Admin ${id}` });

function joined(chatId: string, userId: number, entry: Entry): string {
  const user = { id: userId, is_bot: false, first_name: `user${userId}` };
  const link = entry.kind === 'link' && {
    invite_link: {
      invite_link: entry.url,
      creator: entry.by === 'bot' ? bot : admin(entry.by),
      creates_join_request: false,
      ...(entry.name !== undefined && { name: entry.name }),
    },
  };
  const change = {
    chat: { id: Number(chatId), type: 'supergroup', title: 'Cat Club' },
    from: entry.kind === 'added' ? admin(entry.by) : entry.kind === 'request' ? bot : user,
    old_chat_member: { status: 'left', user },
    new_chat_member: { status: 'member', user },
    ...(entry.kind === 'request' && { via_join_request: true }),
    ...(entry.kind === 'folder' && { via_chat_folder_invite_link: true }),
    ...link,
  };
  return JSON.stringify({ update_id: 1, chat_member: change });
}

/** The ways around the gate and how many came by each, computed without the code under test. */
function findTruth(entries: readonly { userId: number; entry: Entry }[]): string[] {
  const lines = entries.flatMap(({ userId, entry }) => {
    if (entry.kind === 'request') return [];
    if (entry.kind === 'added') return [`added – Admin ${entry.by}`];
    if (entry.kind !== 'link') return [`${entry.kind} – –`];
    if (entry.by !== 'bot') return [`link ${entry.url} Admin ${entry.by}`];
    if (!entry.name?.startsWith('for ')) return [`link ${entry.url} gate_bot`];
    return entry.name === `for ${userId}` ? [] : [`shared-invitation ${entry.url} gate_bot`];
  });
  return [...Map.groupBy(lines, (line) => line)].map(([line, { length }]) => `${line} ${length}`).toSorted();
}

describe('any mix of requests, wallets, sales, outages, deaths and joins around the gate', () => {
  let g: GuardedWorld;
  let chats: string[];
  before(async () => {
    g = new GuardedWorld(await TelegramWorld.open('gate-model'));
    chats = await Promise.all(Array.from({ length: histories + 3 }, () => g.w.newGatedChat()));
    // Its jobs would change the truth between two steps; each step runs what a job does.
    await g.w.stopWorker();
  });
  after(() => g.w.close());

  async function play(dice: Dice, chatId: string, mistake?: Mistake) {
    const { w } = g;
    const communityId = communityKey('telegram', chatId);
    const people = await Promise.all(Array.from({ length: 5 }, () => w.newHolder('0')));
    const holds = new Map(people.map((user) => [user, false]));
    /** What could be known of each person whenever their request was looked at. */
    const known = new Map(people.map((user) => [user, new Set<string>()]));
    const entries: { userId: number; entry: Entry }[] = [];
    const inside = new Set<number>();
    const wrong: string[] = [];
    const counts = { admitted: 0, declined: 0, crashes: 0 };
    let isDown = false;
    const revokes = dice.below(2) === 0;
    await setGateSettings(w.ctx, { communityId, body: { revokesMisused: revokes } });
    w.t.holdings.fail('evm:1', undefined);

    const { host, api } = w.telegram;
    const real = { writeMember: host.writeMember, openJoinPage: api.openJoinPage, revokeInvite: api.revokeInvite };
    /** Telegram may do what it is asked, and its answer gets lost. */
    const perhapsLost = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
      const result = await answer;
      if (dice.below(6) === 0) throw new Error('The connection was lost.');
      return result;
    };
    host.writeMember = (write, signal) => {
      if (write.communityId === chatId && write.isJoinRequest && w.isWaiting(chatId, Number(write.userId))) {
        const action = write.add.length > 0 ? 'admitted' : 'declined';
        counts[action] += 1;
        const truths = known.get(Number(write.userId));
        if (!truths?.has(String(action === 'admitted'))) wrong.push(`${action} ${write.userId} without knowing`);
      }
      const written = real.writeMember(write, signal);
      // The port says of what it cannot know that it failed; a process can die with the answer, too.
      return perhapsLost(written).catch((error: unknown) => {
        if (dice.below(2) === 0) throw new Crash('The process died.', { cause: error });
        return { kind: 'failed', reason: String(error) };
      });
    };
    api.openJoinPage = (...page) => perhapsLost(real.openJoinPage(...page));
    api.revokeInvite = (...link) => perhapsLost(real.revokeInvite(...link));

    const pick = () => dice.oneOf(people);
    /** The services of a process that may die. */
    const mortal = (): Services => {
      const survived = dice.oneOf([0, 1, 2, 9_999, 9_999, 9_999]);
      return { ...w.services, db: crashing(w.services.db, survived) };
    };
    const system = (services: Services) => contextFor(services, { kind: 'system', job: 'test' });
    const survive = (error: unknown) => {
      if (error instanceof Crash) counts.crashes += 1;
      else if (!(error instanceof AppError) && !/The connection was lost/.test(String(error))) throw error;
    };
    const look = (user: number) => known.get(user)?.add(isDown ? 'unknown' : String(holds.get(user)));
    const decide = async (user: number, services = mortal()) => {
      look(user);
      const error = await g.decide(chatId, user, { ctx: system(services) });
      if (error instanceof Crash) counts.crashes += 1;
    };
    const hear = async (userId: number, entry: Entry) => {
      inside.add(userId);
      entries.push({ userId, entry });
      if (mistake === 'a join is not delivered' && entry.kind !== 'request') return;
      const isMistaken = mistake?.startsWith('approved') && entry.kind === 'request';
      const update = joined(chatId, userId, isMistaken ? { kind: 'public' } : entry);
      const { event } = readPosted(update, 'gate_bot', w.services.log) ?? {};
      assert.ok(event, 'every update is one that the bot uses');
      w.t.advanceSeconds(1);
      await w.hear(event);
    };
    const links = [1, 2, 3];
    const enter: (() => Entry)[] = [
      () => ({ kind: 'public' }),
      () => ({ kind: 'folder' }),
      () => ({ kind: 'added', by: dice.oneOf(links) }),
      () => ({ kind: 'link', by: dice.oneOf(links), url: `https://t.me/+ab${dice.oneOf(links)}...` }),
      () => ({ kind: 'link', by: 'bot', url: `https://t.me/+own${chatId}` }),
      () => {
        const name = `for ${pick()}`;
        return { kind: 'link', by: 'bot', url: `https://t.me/+${chatId}${name}`, name };
      },
    ];
    const noticesOf = async () => {
      const { rows } = await w.services.db.pool.query<{ about: string }>(
        `select about from admin_notices where community_id = $1 and kind = 'gate-bypass'`,
        [communityId],
      );
      return rows.map(({ about }) => about).toSorted();
    };
    const list = async () => (await listGateBypasses(w.ctx, { communityId })).items;
    const report = async (services: Services) => {
      await findNews(system(services));
      assert.deepEqual(await noticesOf(), (await list()).map(({ id }) => id).toSorted(), 'each way is reported, once');
    };
    const revoke = async (services: Services) => {
      const { rows } = await w.services.db.pool.query<{ id: string; payload: { communityId: string; wayId: string } }>(
        `select id, payload from jobs where name = 'telegram-gate.revoke-misused' and payload->>'communityId' = $1`,
        [communityId],
      );
      for (const { id, payload } of rows) {
        await revokeMisused(system(services), payload);
        await w.services.db.pool.query('delete from jobs where id = $1', [id]);
      }
    };
    const acts: (() => Promise<unknown>)[] = [
      async () => {
        const user = pick();
        if (inside.has(user)) return;
        known.set(user, new Set());
        await g.knock(chatId, user, { isLate: dice.below(4) === 0 });
      },
      async () => {
        const user = pick();
        holds.set(user, dice.below(3) > 0);
        w.hold(user, holds.get(user) ? '1' : '0');
      },
      async () => {
        isDown = dice.below(3) === 0;
        w.t.holdings.fail('evm:1', isDown ? 'The node is down.' : undefined);
      },
      async () => {
        const user = pick();
        const row = await g.row(chatId, user);
        if (row === undefined) return;
        look(user);
        await g.check(row.slug, user, mortal()).catch(survive);
      },
      () => decide(pick()),
      async () => {
        w.t.advanceSeconds(dice.below(3) === 0 ? 30 : joinPageSeconds);
        for (const user of people) await decide(user);
      },
      async () => {
        const user = pick();
        if (inside.has(user)) return;
        w.telegram.waiting.delete(`${chatId}/${user}`);
        host.addMember(chatId, String(user), ['member']);
        await hear(user, dice.oneOf(enter)());
      },
      async () => {
        for (const user of [...inside].filter(() => dice.below(2) === 0)) {
          host.removeMember(chatId, String(user));
          inside.delete(user);
          await w.hear({ kind: 'left', chatId, user: w.person(user) });
        }
      },
      () => report(mortal()).catch(survive),
      () => revoke(mortal()).catch(survive),
      async () => {
        w.t.advanceSeconds(claimSeconds);
        await writeWaiting(system(mortal()), communityId, new AbortController().signal).catch(survive);
      },
    ];
    try {
      if (mistake !== undefined) {
        // One of each, so that there is something to mistake.
        const [ann = 0, ben = 0] = people;
        holds.set(ann, true);
        w.hold(ann, '1');
        await g.knock(chatId, ann, { isLate: true });
        await decide(ann, w.services);
        host.addMember(chatId, String(ben), ['member']);
        await hear(ben, { kind: 'public' });
      }
      for (let step = 0; step < steps; step += 1) {
        await dice.oneOf(acts)();
        for (const user of people) if (w.isIn(chatId, user) && !inside.has(user)) await hear(user, { kind: 'request' });
      }
    } finally {
      Object.assign(host, { writeMember: real.writeMember });
      Object.assign(api, { openJoinPage: real.openJoinPage, revokeInvite: real.revokeInvite });
      w.t.holdings.fail('evm:1', undefined);
    }
    assert.deepEqual(wrong, []);
    await revoke(w.services);
    const items = await list();
    assert.deepEqual(
      items.map(({ kind, link, byName, joins }) => `${kind} ${link ?? '–'} ${byName ?? '–'} ${joins}`).toSorted(),
      findTruth(entries),
      'each way is listed, with everyone who took it',
    );
    for (const { kind, revokedTime } of items)
      assert.equal(revokedTime !== undefined, revokes && kind === 'shared-invitation', `${kind} is revoked by choice`);
    await report(w.services);
    return { ...counts, ways: items.length };
  }

  test(`let no one in and decline no one while unknown, and leave no way unreported, in ${histories} histories`, async () => {
    const total = { admitted: 0, declined: 0, crashes: 0, ways: 0 };
    for (const [number, chatId] of chats.slice(3).entries()) {
      const dice = throwDice(`${seed('telegram gate')} ${number}`);
      const counts = await play(dice, chatId).catch((error: unknown) => {
        throw new Error(`History ${number} failed: ${String(error)}`, { cause: error });
      });
      for (const name of ['admitted', 'declined', 'crashes', 'ways'] as const) total[name] += counts[name];
    }
    assert.ok(Math.min(...Object.values(total)) >= histories / 4, JSON.stringify(total));
  });

  test('are compared so that planted mistakes are found', async () => {
    const mistakes: Mistake[] = ['approved joins look like joins by the public name', 'a join is not delivered'];
    for (const [number, mistake] of mistakes.entries())
      await assert.rejects(
        play(throwDice(`${seed('telegram gate')} planted ${number}`), chats[number] ?? '', mistake),
        /each way is listed/,
        mistake,
      );
  });

  test('a request is decided once, wherever the process dies and whatever answer of Telegram gets lost', async () => {
    const { w } = g;
    const chatId = chats[2] ?? '';
    const communityId = communityKey('telegram', chatId);
    for (const amount of ['1', '0']) {
      let isOver = false;
      for (let survived = 0; !isOver; survived += 1) {
        const ann = await w.newHolder(amount);
        await g.knock(chatId, ann, { isLate: true });
        const { writeMember } = w.telegram.host;
        w.telegram.host.writeMember = async (...write) => {
          const outcome = await writeMember(...write);
          w.telegram.host.writeMember = writeMember;
          if (survived % 3 === 0) return outcome;
          if (survived % 3 === 1) return { kind: 'failed', reason: 'The connection was lost.' };
          throw new Crash('The process died.');
        };
        const mortal = { ...w.services, db: crashing(w.services.db, survived) };
        const error = await g.decide(chatId, ann, { ctx: contextFor(mortal, { kind: 'system', job: 'test' }) });
        w.telegram.host.writeMember = writeMember;
        isOver = error === undefined && survived > 6;
        for (let tries = 0; tries < 3; tries += 1) {
          w.t.advanceSeconds(claimSeconds);
          await writeWaiting(w.ctx, communityId, new AbortController().signal);
          await g.decide(chatId, ann);
        }
        assert.deepEqual(
          [w.isIn(chatId, ann), w.isWaiting(chatId, ann)],
          [amount === '1', false],
          `died after ${survived}`,
        );
        assert.equal((await g.row(chatId, ann))?.outcome, amount === '1' ? 'approved' : 'declined');
      }
    }
    const { rows } = await w.services.db.pool.query(
      'select user_id from role_ledger where community_id = $1 group by user_id, action having count(*) > 1',
      [communityId],
    );
    assert.deepEqual(rows, [], 'no decision is in the ledger twice');
  });
});
