import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seed, volume } from '@latchkey/test-kit';
import type { Answer, HoldingsReader, Question } from '../../ports/index.ts';
import { seededRandom, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { type Guild, setUpGuild } from './testing/index.ts';

/** Returns numbers from 0 to 1, the same in every run. */
function numbersFrom(seed: string): () => number {
  const random = seededRandom(seed);
  let pool = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at + 4 > pool.length) [pool, at] = [Buffer.from(random.bytes(8_192)), 0];
    at += 4;
    return pool.readUInt32BE(at - 4) / 4_294_967_296;
  };
}

/**
 * Three endpoints of one chain, one of them broken: it returns nothing, zero, or the state at the previous resync. A
 * plain read uses any of them; a quorum read uses two and is unknown if they disagree.
 */
function lyingReader(draw: () => number, truth: Map<string, string>, past: Map<string, string>) {
  const read = (amount: string | undefined, block: string): Answer => ({
    kind: 'read',
    amount: amount ?? '0',
    block: { number: block },
  });
  let lies = 0;
  const askEndpoint = (endpoint: number, account: string): Answer => {
    if (endpoint !== 0) return read(truth.get(account), '2');
    lies += 1;
    const fault = draw();
    if (fault < 0.34) return { kind: 'unknown', reason: 'The endpoint does not answer.' };
    return fault < 0.67 ? read('0', '2') : read(past.get(account), '1');
  };
  const answer = ({ account }: Question, quorum: number): Answer => {
    const first = Math.floor(draw() * 3);
    const requested = Array.from({ length: quorum }, (_, at) => askEndpoint((first + at) % 3, account));
    const amounts = new Set(requested.map((one) => (one.kind === 'read' ? one.amount : undefined)));
    return requested[0] !== undefined && amounts.size === 1
      ? requested[0]
      : { kind: 'unknown', reason: 'They disagree.' };
  };
  const reader: HoldingsReader = {
    reads: () => true,
    read: async (questions, { quorum = 1 } = {}) => questions.map((question) => answer(question, quorum)),
  };
  return { reader, lies: () => lies };
}

describe('resyncs with endpoints that lie', () => {
  const members = volume(600, 10_000);
  const resyncs = volume(3, 20);
  const drawnFrom = seed('lies of a third endpoint');
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform(drawnFrom);
    t.host.writesAtOnce = 50;
  });
  after(() => t.close());

  it('no member who holds the token loses the role, and in the end every member has the right roles', async (test) => {
    const draw = numbersFrom(drawnFrom);
    const truth = new Map<string, string>();
    const holds = Array.from({ length: members }, () => draw() < 0.7);
    const guild: Guild = await setUpGuild(t, { members, roles: (member) => (holds[member] ? ['gold'] : []) });
    for (const [member, isHolder] of holds.entries()) truth.set(guild.walletOf(member), isHolder ? '5' : '0');
    const honest = t.services.holdings;
    const past = new Map(truth);
    const { reader, lies } = lyingReader(draw, truth, past);
    t.services.holdings = reader;
    let requested = 0;
    const { read } = reader;
    reader.read = (questions, options) => {
      requested += questions.length * (options?.quorum ?? 1);
      return read(questions, options);
    };
    let wrongful = 0;
    for (let resync = 0; resync < resyncs; resync += 1) {
      for (const [account, amount] of truth) past.set(account, amount);
      for (let trade = 0; trade < members / 100; trade += 1) {
        const account = guild.walletOf(Math.floor(draw() * members));
        truth.set(account, truth.get(account) === '0' ? '5' : '0');
      }
      const before = Array.from({ length: members }, (_, member) => guild.rolesOf(member)?.length === 1);
      await guild.resync();
      for (let member = 0; member < members; member += 1) {
        const isHolder = truth.get(guild.walletOf(member)) !== '0';
        if (isHolder && before[member] && guild.rolesOf(member)?.length === 0) wrongful += 1;
      }
      t.advanceSeconds(25 * 60 * 60);
    }
    test.diagnostic(
      `seed ${drawnFrom}: ${members} members, ${resyncs} resyncs, ${lies()} of ${requested} answers broken: ${wrongful} wrongful`,
    );
    assert.equal(wrongful, 0);
    assert.ok(lies() / requested > 0.3);

    t.services.holdings = {
      ...honest,
      read: async (questions) =>
        questions.map(({ account }) => ({ kind: 'read', amount: truth.get(account) ?? '0', block: { number: '9' } })),
    };
    await guild.resync();
    for (let member = 0; member < members; member += 1) {
      const isHolder = truth.get(guild.walletOf(member)) !== '0';
      assert.deepEqual(guild.rolesOf(member), isHolder ? ['gold'] : [], `member ${member}`);
    }
  });
});
