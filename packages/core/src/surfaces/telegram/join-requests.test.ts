import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import { findLocale } from '@latchkey/kernel/messages';
import { retryChangeSet, writeWaiting } from '../../gating/role-changes/index.ts';
import { contextFor } from '../../shared/context.ts';
import { communityKey, userKey } from '../../shared/qualified-ids.ts';
import { answerCommand } from './answer-command.ts';
import { decideJoin } from './decide-join.ts';
import { TelegramWorld } from './testing-world.ts';

describe('a Telegram chat, from outside', () => {
  const { signal } = new AbortController();
  let w: TelegramWorld;
  before(async () => {
    w = await TelegramWorld.open('door');
  });
  after(() => w.close());

  describe('has join requests', () => {
    it('that are approved for users who qualify', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
      await w.knock(chatId, ann);
      await w.settled();
      assert.equal(w.isIn(chatId, ann), true);
      assert.deepEqual(w.sentTo(ann), []);
    });

    it('that are declined for others, who first get a message on what to do', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder('0.5')];
      const { writeMember } = w.telegram.host;
      const toldBefore: number[] = [];
      w.telegram.host.writeMember = async (...args) => {
        toldBefore.push(w.sentTo(ann).length);
        return writeMember(...args);
      };
      await w.knock(chatId, ann);
      await w.settled();
      w.telegram.host.writeMember = writeMember;
      assert.deepEqual([w.isIn(chatId, ann), w.isWaiting(chatId, ann)], [false, false]);
      assert.deepEqual(toldBefore, [1], 'Telegram allows no message once the request is decided');
      const [message] = w.sentTo(ann);
      const [lead, need, ...next] = (message?.text ?? '').split('\n');
      assert.equal(lead, 'Cat Club requires tokens that your linked wallets do not hold.');
      assert.match(need ?? '', /^A rule needs at least 1 .+\. Your linked wallets hold 0\.5\.$/);
      assert.deepEqual(next, ['Link another wallet and request to join again.']);
      assert.match(message?.button?.url ?? '', /^http:\/\/latchkey\.test\/connect\/[\w-]+$/);
      assert.equal(message?.button?.text, 'Link a wallet');
    });

    it('that are declined in the language of the person, with nothing of a rule that is not public', async () => {
      const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder('0'), await w.newHolder('0')];
      const ask = async (user: number, locale: string) => {
        const request = { communityId: communityKey('telegram', chatId), userId: String(user), replyTo: String(user) };
        w.telegram.waiting.add(`${chatId}/${user}`);
        await decideJoin({ ...w.ctx, locale: findLocale(locale) }, request, { attempt: 1, signal });
        return (w.sentTo(user)[0]?.text ?? '').split('\n');
      };
      const [, need, next] = await ask(ann, 'de');
      assert.match(need ?? '', /mindestens 1 .+ Deine verknüpften Wallets/);
      assert.equal(next, 'Verknüpfe eine andere Wallet und stelle die Beitrittsanfrage noch einmal.');
      const hide = (visibility: string) =>
        w.t.services.db.pool.query('update community_rules set visibility = $2 where community_id = $1', [
          communityKey('telegram', chatId),
          visibility,
        ]);
      await hide('hidden');
      assert.equal((await ask(ben, 'en')).length, 2);
      await hide('secret');
      assert.equal((await ask(await w.newHolder('0'), 'en'))[1], 'A hidden condition is not met.');
    });

    it('whose decisions are change sets with one ledger row each, and remove no one', async () => {
      const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder('0')];
      for (const user of [ann, ben]) await w.knock(chatId, user);
      await w.settled();
      const id = communityKey('telegram', chatId);
      const { rows: changeSets } = await w.t.services.db.pool.query(
        `select status, grants, revokes from change_sets where community_id = $1 and cause = 'join request' order by grants`,
        [id],
      );
      assert.deepEqual(changeSets, [
        { status: 'done', grants: 0, revokes: 1 },
        { status: 'done', grants: 1, revokes: 0 },
      ]);
      const { rows } = await w.t.services.db.pool.query(
        'select user_id, role_id, action, reason from role_ledger where community_id = $1 order by action',
        [id],
      );
      const entry = (user: number) => ({ user_id: userKey('telegram', String(user)), role_id: 'member' });
      assert.deepEqual(rows, [
        { ...entry(ann), action: 'grant', reason: { joinRequest: 'approved' } },
        { ...entry(ben), action: 'revoke', reason: { joinRequest: 'declined' } },
      ]);
      assert.deepEqual([w.isIn(chatId, ann), w.isIn(chatId, ben)], [true, false]);
    });

    it('that are decided once, even while another process writes the roles of the chat', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder('0')];
      const communityId = communityKey('telegram', chatId);
      const { findFaults, writeMember } = w.telegram.host;
      const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let other: Promise<void> | undefined;
      // The worker of this test also calls findFaults, at any time.
      const joining = new AsyncLocalStorage<true>();
      await w.settled();
      // Runs between the change set and its writing, and would be slow with the items it claims.
      w.telegram.host.findFaults = async (...args) => {
        if (joining.getStore() !== true) return findFaults?.(...args) ?? [];
        w.telegram.host.findFaults = findFaults;
        w.telegram.host.writeMember = async (...write) => {
          begun.resolve();
          await answered.promise;
          return writeMember(...write);
        };
        other = writeWaiting(w.ctx, communityId, signal);
        await Promise.race([begun.promise, other]);
        w.telegram.host.writeMember = writeMember;
        return findFaults?.(...args) ?? [];
      };
      w.telegram.waiting.add(`${chatId}/${ann}`);
      const request = { communityId, userId: String(ann), replyTo: String(ann) };
      await joining.run(true, () => decideJoin(w.ctx, request, { attempt: 1, signal }));
      answered.resolve();
      assert.ok(other, 'another process wrote in the meantime');
      await other;
      const { rows } = await w.t.services.db.pool.query(
        `select status from change_sets where community_id = $1 and cause = 'join request'`,
        [communityId],
      );
      assert.deepEqual([rows, w.isWaiting(chatId, ann)], [[{ status: 'done' }], false]);
    });

    it('whose change set fails when Telegram rejects it, and is not written later: the user is evaluated again', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
      const id = communityKey('telegram', chatId);
      const request = { communityId: id, userId: String(ann), replyTo: String(ann) };
      w.telegram.waiting.add(`${chatId}/${ann}`);
      w.telegram.host.interfere(({ communityId }) =>
        communityId === chatId
          ? { kind: 'forbidden', scope: 'community', advice: 'Make the bot an admin.' }
          : undefined,
      );
      await assert.rejects(decideJoin(w.ctx, request, { attempt: 1, signal }), /Make the bot an admin/);
      w.telegram.host.interfere(undefined);
      const { rows } = await w.t.services.db.pool.query(
        'select p.id, p.status, i.state from change_sets p join change_set_items i on i.change_set_id = p.id where p.community_id = $1',
        [id],
      );
      assert.deepEqual([rows[0].status, rows[0].state], ['failed', 'failed']);
      const owner = contextFor(w.services, { kind: 'admin', name: 'test' });
      await assert.rejects(retryChangeSet(owner, rows[0].id), { code: 'STATE_CONFLICT' });
      w.telegram.waiting.add(`${chatId}/${ann}`);
      await decideJoin(w.ctx, request, { attempt: 2, signal });
      assert.equal(w.isIn(chatId, ann), true);
    });

    it('whose decision is not written to a later request if its process died: that one is evaluated for itself', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
      const communityId = communityKey('telegram', chatId);
      const key = `${chatId}/${ann}`;
      const request = { communityId, userId: String(ann), replyTo: String(ann) };
      const { writeMember } = w.telegram.host;
      w.telegram.waiting.add(key);
      w.telegram.host.writeMember = () => Promise.reject(new Error('The process died.'));
      await assert.rejects(decideJoin(w.ctx, request, { attempt: 1, signal }), /The process died/);
      w.telegram.host.writeMember = writeMember;
      w.telegram.waiting.delete(key);
      w.hold(ann, '0');
      w.telegram.waiting.add(key);
      w.t.advanceSeconds(600);
      await writeWaiting(w.ctx, communityId, signal);
      assert.deepEqual([w.isIn(chatId, ann), w.isWaiting(chatId, ann)], [false, true]);
      await decideJoin(w.ctx, request, { attempt: 1, signal });
      assert.deepEqual([w.isIn(chatId, ann), w.isWaiting(chatId, ann)], [false, false]);
    });

    it('that are declined even for users who block the bot', async () => {
      const [chatId, ann] = [await w.newGatedChat(), w.newNumber()];
      w.telegram.deaf.add(String(ann));
      await w.knock(chatId, ann);
      await w.settled();
      assert.equal(w.isWaiting(chatId, ann), false);
    });

    it('that stay pending while a chain does not respond', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
      const request = { communityId: communityKey('telegram', chatId), userId: String(ann), replyTo: String(ann) };
      w.telegram.waiting.add(`${chatId}/${ann}`);
      w.t.holdings.fail('evm:1', 'The node is down.');
      for (const attempt of [1, 2])
        await assert.rejects(decideJoin(w.ctx, request, { attempt, signal }), /cannot be read yet/);
      w.t.holdings.fail('evm:1', undefined);
      assert.equal(w.isWaiting(chatId, ann), true);
      assert.deepEqual(
        w.sentTo(ann).map(({ text }) => text),
        ['Your wallets cannot be checked right now. Your request stays open.'],
      );
      await decideJoin(w.ctx, request, { attempt: 3, signal });
      assert.equal(w.isIn(chatId, ann), true);
    });

    it('that are retried when Telegram fails, and dropped when the request is gone', async () => {
      const [chatId, ann] = [await w.newGatedChat(), await w.newHolder()];
      const request = { communityId: communityKey('telegram', chatId), userId: String(ann), replyTo: String(ann) };
      w.telegram.host.interfere(() => ({ kind: 'failed', reason: 'Telegram is not responding.' }));
      await assert.rejects(decideJoin(w.ctx, request, { attempt: 1, signal }), /is not responding/);
      w.telegram.host.interfere(undefined);
      await decideJoin(w.ctx, request, { attempt: 2, signal });
      assert.equal(w.isIn(chatId, ann), false);
    });

    it('that are left to its admins as long as no rule covers membership', async () => {
      const [chatId, owner, ann] = [w.newChat(), w.newNumber(), w.newNumber()];
      w.telegram.host.addAdmin(chatId, String(owner));
      await w.addBot(chatId, owner);
      await w.settled();
      await w.knock(chatId, ann);
      await w.settled();
      assert.deepEqual([w.isWaiting(chatId, ann), w.isIn(chatId, ann)], [true, false]);
    });
  });

  describe('answers private messages', () => {
    const type = async (userId: number, command: string, argument = '') => {
      const chatId = String(userId);
      await w.hear({ kind: 'command', chatId, isPrivate: true, user: w.person(userId), command, argument });
      await w.settled();
    };

    it('with a one-time invitation only for users who qualify', async () => {
      const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder(), await w.newHolder('0')];
      for (const user of [ann, ben]) await type(user, 'start', chatId);
      const url = `https://t.me/+${chatId}/for ${ann}/${new Date(w.t.services.clock().getTime() + 900_000).toISOString()}`;
      assert.deepEqual(w.sentTo(ann)[0]?.button, { text: 'Join Cat Club', url });
      assert.match(w.sentTo(ben)[0]?.text ?? '', /requires tokens[\s\S]*\n.*needs at least 1 .* hold none\.$/);
      assert.match(w.sentTo(ben)[0]?.button?.url ?? '', /\/connect\//);
    });

    it('with the reason when the result is unknown, there are no rules, a right is missing or the chat is unknown', async () => {
      const [chatId, ruleless, ann, owner] = [await w.newGatedChat(), w.newChat(), await w.newHolder(), w.newNumber()];
      w.telegram.host.addAdmin(ruleless, String(owner));
      await w.addBot(ruleless, owner);
      await w.settled();
      w.t.holdings.fail('evm:1', 'The node is down.');
      await type(ann, 'start', chatId);
      w.t.holdings.fail('evm:1', undefined);
      w.telegram.missing = ['invite users'];
      await type(ann, 'start', chatId);
      w.telegram.missing = [];
      await type(ann, 'start', ruleless);
      await type(ann, 'start', '-1');
      const words = w.sentTo(ann).map(({ text }) => text);
      assert.equal(words.length, 4);
      for (const [at, pattern] of [
        /^Your wallets cannot be checked right now\. Try again in a few minutes\.$/,
        /does not have permission to invite/,
        /has no rules/,
        /Chat not found/,
      ].entries())
        assert.match(words[at] ?? '', pattern);
      assert.ok(w.sentTo(ann).every(({ button }) => button === undefined));
    });

    it('with a link to the member’s roles in the group whose join message was pressed', async () => {
      const [chatId, ann] = [await w.newGatedChat(), w.newNumber()];
      await type(ann, 'start', `link${chatId}`);
      await type(ann, 'start', 'link-1');
      const [found, missing] = w.sentTo(ann);
      assert.match(found?.text ?? '', /^Link a wallet for Cat Club\./);
      assert.match(found?.button?.url ?? '', /\/connect\//);
      assert.deepEqual([missing?.text, missing?.button], ['Chat not found here.', undefined]);
    });

    it('with links that only let the reader link a wallet', async () => {
      const ann = w.newNumber();
      await type(ann, 'start');
      await type(ann, 'connect');
      await type(ann, 'help');
      assert.equal(w.sentTo(ann).length, 2);
      const slugs = w.sentTo(ann).map(({ button }) => button?.url.split('/').at(-1));
      assert.equal(new Set(slugs).size, 2);
      for (const slug of slugs)
        assert.ok(
          w.t.log.lines.every((line) => !line.includes(slug ?? '?')),
          'no link in the log',
        );
    });

    it('for its members, whose roles are checked without lifting a suppression', async () => {
      const [chatId, ann, ben] = [await w.newGatedChat(), await w.newHolder('0'), await w.newHolder('0')];
      for (const user of [ann, ben]) w.telegram.host.addMember(chatId, String(user), ['member']);
      const id = communityKey('telegram', chatId);
      await w.t.services.db.pool.query(
        `insert into role_suppressions (community_id, user_id, role_id, change_set_id, since) values ($1, $2, 'member', 'undone', now())`,
        [id, userKey('telegram', String(ben))],
      );
      for (const user of [ann, ben])
        await w.hear({
          kind: 'command',
          chatId,
          isPrivate: false,
          user: w.person(user),
          command: 'check',
          argument: '',
        });
      await w.settled();
      assert.deepEqual([w.isIn(chatId, ann), w.isIn(chatId, ben)], [false, true]);
    });

    it('unless no bot is configured', async () => {
      const without = contextFor({ ...w.services, telegram: undefined }, { kind: 'system', job: 'test' });
      const given = { chatId: '1', isPrivate: true, userId: '1', command: 'start', argument: '' };
      await answerCommand(without, given, signal);
    });
  });
});
