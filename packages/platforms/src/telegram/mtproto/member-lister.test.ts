import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { MemorySessions, Stage } from './testing.ts';

describe('listing the members of a Telegram chat over MTProto', () => {
  let stage: Stage;
  const logins = () => stage.calls('auth.importBotAuthorization');
  before(async () => {
    stage = await Stage.open();
  });
  beforeEach(() => stage.reset());
  after(() => stage.emulator.stop());

  it('finds every member, silent or not, and no one else', async () => {
    const silent = stage.addMembers(450);
    const [muted, mutedOutside, left, banned, admin] = stage.addMembers(5).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const restricted = { status: 'restricted', allowed: new Set<never>(), untilSeconds: 0 } as const;
    stage.group.members.set(muted, { ...restricted, isMember: true });
    stage.group.members.set(mutedOutside, { ...restricted, isMember: false });
    stage.group.members.set(left, { status: 'left' });
    stage.group.members.set(banned, { status: 'kicked', untilSeconds: 0 });
    stage.group.members.set(admin, { status: 'administrator', rights: new Set(), promotedBy: 1 });
    const { members, end } = await stage.list();
    assert.deepEqual(end, { isComplete: true });
    const byId = new Map(members.map((member) => [member.userId, member]));
    assert.equal(byId.size, 450 + 2 + 2, 'with the owner and the bot');
    for (const id of [...silent, String(muted)])
      assert.deepEqual([byId.get(id)?.roleIds, byId.get(id)?.isProtected], [['member'], false]);
    for (const id of [mutedOutside, left, banned]) assert.equal(byId.get(String(id)), undefined);
    assert.equal(byId.get(String(admin))?.isProtected, true);
    assert.equal(byId.get(String(stage.emulator.bot.user.id))?.isBot, true);
    assert.equal(byId.get(silent[7] ?? '')?.userName, 'Member 7');
  });

  it('logs in once, and resumes that session later', async () => {
    const before = logins();
    await stage.list();
    assert.equal(logins() - before, 1);
    const { session } = stage.sessions;
    stage.addMembers(3);
    assert.equal((await stage.list()).members.length, 5);
    assert.deepEqual([logins() - before, stage.sessions.session], [1, session]);
  });

  it('follows the bot to its data center, and connects there directly the next time', async () => {
    stage.mtproto.move(stage.emulator.bot, 4);
    assert.equal((await stage.list()).end.isComplete, true);
    const before = stage.mtproto.counts();
    assert.equal((await stage.list()).end.isComplete, true);
    const request = (method: string) => (stage.mtproto.counts()[method] ?? 0) - (before[method] ?? 0);
    assert.deepEqual([request('auth.importBotAuthorization'), request('help.getConfig')], [0, 0]);
  });

  it('does not treat a list as complete where members are hidden from it', async () => {
    stage.addMembers(20);
    stage.group.hidesMembers = true;
    assert.equal((await stage.list()).end.isComplete, true, 'administrators see every member');
    stage.emulator.setBot(stage.group.id, 'member');
    const { members, end } = await stage.list();
    assert.deepEqual([members.length, end.isComplete], [2, false]);
  });

  it('lists a basic group too', async () => {
    stage.group = stage.emulator.createGroup({ title: 'Small', type: 'group' });
    const [first] = stage.addMembers(3);
    const { members, end } = await stage.list();
    assert.deepEqual([members.length, end], [5, { isComplete: true }]);
    assert.equal(members.find(({ userId }) => userId === first)?.isProtected, false);
  });

  it('reports what is wrong with the chat, the application or the bot', async () => {
    stage.group = stage.emulator.createGroup({ title: 'Elsewhere', bot: false });
    await assert.rejects(stage.list(), stage.failsWith('unknown-community', /not in this chat/));
    stage.group = stage.emulator.createGroup({ title: 'News', type: 'channel', bot: [] });
    await assert.rejects(stage.list(), stage.failsWith('forbidden', /Make the bot an administrator/));
    await assert.rejects(stage.lister().list('-100999'), stage.failsWith('unknown-community', /not in this chat/));
    await assert.rejects(stage.lister().list('12'), stage.failsWith('unknown-community', /not in this chat/));
    const fresh = () => ({ sessions: new MemorySessions() });
    const application = stage.failsWith('not-configured', /LATCHKEY_TELEGRAM_API_ID/);
    await assert.rejects(stage.list({ ...fresh(), apiId: stage.mtproto.apiId + 1 }), application);
    await assert.rejects(stage.list({ ...fresh(), apiHash: 'f'.repeat(32) }), application);
    await assert.rejects(stage.list({ ...fresh(), token: '1:wrong' }), stage.failsWith('not-configured', /BOT_TOKEN/));
  });
});
