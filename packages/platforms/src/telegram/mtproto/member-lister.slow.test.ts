import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { PlatformFailed } from '@latchkey/core/ports';
import { until } from '@latchkey/test-kit';
import { MemorySessions, Stage, serverOf } from './testing.ts';

describe('listing members while Telegram is slow, disconnected or gone', () => {
  let stage: Stage;
  const logins = () => stage.calls('auth.importBotAuthorization');
  before(async () => {
    stage = await Stage.open();
  });
  beforeEach(() => stage.reset());
  after(() => stage.emulator.stop());

  it('logs in again when its session was ended, and when Telegram dropped its key', async () => {
    await stage.list();
    for (const end of [() => stage.mtproto.logOut(stage.emulator.bot), () => stage.mtproto.forgetKeys()]) {
      const [before, { session }] = [logins(), stage.sessions];
      end();
      assert.equal((await stage.list()).end.isComplete, true);
      assert.equal(logins() - before, 1);
      assert.notEqual(stage.sessions.session, session);
    }
    stage.sessions.session = 'of a version that nobody can read any more';
    assert.equal((await stage.list()).end.isComplete, true);
  });

  it('reports a truncated list where Telegram stops: 10,000 of a supergroup, 200 of a channel', async () => {
    stage.addMembers(10_040);
    const large = await stage.list();
    assert.equal(large.members.length, 10_000);
    assert.deepEqual(large.end, {
      isComplete: false,
      reason: 'Telegram listed 10000 of the 10042 members of this chat.',
    });
    stage.group = stage.emulator.createGroup({ title: 'News', type: 'channel' });
    stage.addMembers(300);
    const channel = await stage.list();
    assert.deepEqual([channel.members.length, channel.end.isComplete], [200, false]);
  });

  it('waits out a short pause, and makes no connection during a long one', async () => {
    stage.emulator.misbehave({ kind: 'rate-limit', on: 'channels.getParticipants', retryAfterSeconds: 1, count: 1 });
    const one = stage.lister();
    assert.equal((await one.list(String(stage.group.id))).end.isComplete, true);
    stage.emulator.misbehave({ kind: 'rate-limit', on: 'channels.getParticipants', retryAfterSeconds: 400, count: 1 });
    const isPaused = (seconds: number) => (error: PlatformFailed) =>
      stage.failsWith('unavailable', /Rate-limited/)(error) && error.retryAfterSeconds === seconds;
    await assert.rejects(one.list(String(stage.group.id)), isPaused(400));
    const before = stage.mtproto.counts();
    stage.nowMs += 300_000;
    await assert.rejects(one.list(String(stage.group.id)), isPaused(100));
    assert.deepEqual(stage.mtproto.counts(), before);
    stage.nowMs += 100_000;
    assert.equal((await one.list(String(stage.group.id))).end.isComplete, true);
  });

  it('survives a lost connection, and reports unavailable when Telegram hangs, fails or is gone', async () => {
    await stage.list();
    stage.emulator.misbehave({ kind: 'outage', on: 'channels.getParticipants', count: 1 });
    assert.equal((await stage.list()).end.isComplete, true);
    const impatient = { callTimeoutMs: 700, longestPauseMs: 0 };
    const unavailable = stage.failsWith('unavailable', /^Telegram/);
    stage.emulator.misbehave({ kind: 'hang', on: 'channels.getParticipants' });
    await assert.rejects(stage.list(impatient), unavailable);
    stage.emulator.behave();
    stage.emulator.misbehave({ kind: 'outage', on: 'channels.getParticipants' });
    await assert.rejects(stage.list(impatient), unavailable);
    stage.emulator.behave();
    const nowhere = { firstDc: { id: 2, ipAddress: '127.0.0.1', port: 1 }, publicKey: stage.mtproto.publicKey };
    await assert.rejects(stage.list({ ...impatient, sessions: new MemorySessions(), server: nowhere }), unavailable);
    assert.equal((await stage.list()).end.isComplete, true);
  });

  it('sends nothing to a server without Telegram’s key', async () => {
    const other = await stage.emulator.openMtproto();
    const server = { ...serverOf(other), publicKey: stage.mtproto.publicKey };
    const impatient = { callTimeoutMs: 700, longestPauseMs: 0, sessions: new MemorySessions() };
    await assert.rejects(stage.list({ ...impatient, server }), stage.failsWith('unavailable', /data centers/));
    assert.deepEqual(other.counts(), {});
  });

  it('ends with the reason of the abort', async () => {
    stage.emulator.misbehave({ kind: 'hang', on: 'channels.getParticipants' });
    const giveUp = new AbortController();
    const before = stage.calls('channels.getParticipants');
    const request = stage.lister().list(String(stage.group.id), giveUp.signal);
    request.catch(() => undefined);
    await until('the list was requested', () => stage.calls('channels.getParticipants') > before);
    giveUp.abort(new Error('The worker stops.'));
    await assert.rejects(request, /^Error: The worker stops\.$/);
  });
});
