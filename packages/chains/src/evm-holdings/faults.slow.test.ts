import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { seed, until, volume } from '@latchkey/test-kit';
import { systemTimers } from '../endpoints/index.ts';
import { type EvmWorld, someAddresses, startEvmWorld } from '../testing/evm-world.ts';
import { type FaultProxy, type RpcFault, startFaultProxy } from '../testing/fault-proxy.ts';
import { type IdleTimers, idleTimers } from '../testing/idle-timers.ts';
import { createEvmHoldings, type EvmHoldings, type EvmHoldingsOptions } from './read-holdings.ts';

describe('nodes that fail and lie', () => {
  let world: EvmWorld;
  let proxies: [FaultProxy, FaultProxy, FaultProxy];
  let time: IdleTimers;
  const members = someAddresses(40);
  const allFaults: RpcFault[] = [
    'fail',
    'drop',
    'hang',
    'refuse',
    'garble',
    'zero',
    'zero-balances',
    'wrong-chain',
    'stale',
  ];

  before(async () => {
    world = await startEvmWorld();
    await world.client.mine({ blocks: 50 });
    await world.mintCoins(members, 10n ** 18n);
    await world.mintKeys(members);
    proxies = [
      await startFaultProxy(world.url, seed('one')),
      await startFaultProxy(world.url, seed('two')),
      await startFaultProxy(world.url, seed('three')),
    ];
    time = idleTimers((number) => proxies.some(({ unanswered }) => unanswered.has(number)));
  });
  after(async () => {
    time.stop();
    for (const proxy of proxies) await proxy.stop();
    await world.stop();
  });
  beforeEach(() => {
    for (const proxy of proxies) proxy.behave();
  });

  function create(count: 1 | 2 | 3, change: Partial<EvmHoldingsOptions> = {}): EvmHoldings {
    return createEvmHoldings({
      chains: new Map([[String(world.chainId), { urls: proxies.slice(0, count).map(({ url }) => url) }]]),
      clock: () => new Date(),
      timers: time.timers,
      fetch: time.fetch,
      hedgeAfterMs: 50,
      circuit: { firstPauseMs: 20, longestPauseMs: 40 },
      ...change,
    });
  }
  const questions = (): Question[] =>
    members.flatMap((account) => [
      { chain: world.chainName, standard: 'erc20', reference: world.contracts.erc20, account, needs: 'amount' },
      { chain: world.chainName, standard: 'erc721', reference: world.contracts.erc721, account, needs: 'amount' },
    ]);
  const isRight = (answer: Answer) => answer.kind === 'read' && answer.amount === '1';
  const isWrong = (answer: Answer) => answer.kind === 'read' && answer.amount !== '1';
  /** Returns the user-visible reason, without details of the installation. */
  const check = (answers: readonly Answer[]) => {
    assert.equal(answers.length, 2 * members.length);
    assert.doesNotMatch(JSON.stringify(answers), /127\.0\.0\.1|secret|http/);
    for (const answer of answers) if (answer.kind === 'unknown') assert.match(answer.reason, /^[A-Z0-9].*\.$/);
    return answers;
  };

  // A single endpoint that only lies about balances, or is stalled from the start, cannot be detected.
  const found = allFaults.filter((fault) => fault !== 'zero-balances' && fault !== 'stale');
  for (const fault of found) {
    it(`a single node with the fault "${fault}" is never trusted`, async () => {
      proxies[0].misbehave([fault]);
      const holdings = create(1);
      const answers = check(await holdings.read(questions()));
      assert.ok(answers.every(({ kind }) => kind === 'unknown'));
      assert.ok((proxies[0].struck.get(fault) ?? 0) > 0);
    });
  }

  for (const fault of allFaults) {
    it(`two healthy nodes compensate for one with the fault "${fault}", and two of three must agree`, async () => {
      const holdings = create(3);
      proxies[0].misbehave([fault]);
      const answers = check(await holdings.read(questions(), { quorum: 2 }));
      assert.equal(answers.filter(isWrong).length, 0);
      if (fault !== 'zero-balances') assert.ok(answers.every(isRight), JSON.stringify(answers[0]));
      else assert.match(JSON.stringify(answers[0]), /disagree/);
    });
  }

  it('a single node that lies only about balances is trusted, which is why removals require agreement', async () => {
    proxies[0].misbehave(['zero-balances']);
    assert.ok(
      check(await create(1).read(questions())).every((answer) => answer.kind === 'read' && answer.amount === '0'),
    );
  });

  it('a stalled node is detected by another one, and used again when it has caught up', async () => {
    const holdings = create(2);
    proxies[0].misbehave(['stale']);
    assert.ok(check(await holdings.read(questions())).every(isRight));
    const before = proxies[0].requests.length;
    await world.client.mine({ blocks: 1 });
    assert.ok((await holdings.read(questions())).every(isRight));
    const methods = proxies[0].requests.slice(before);
    assert.ok(!methods.includes('eth_call'), methods.join());
    proxies[0].behave();
    await world.client.mine({ blocks: 1 });
    await holdings.read(questions());
    assert.ok((await holdings.read(questions(), { quorum: 2 })).every(isRight));
  });

  it('a single node that suddenly jumps back is not trusted', async () => {
    const holdings = create(1);
    assert.ok(check(await holdings.read(questions())).every(isRight));
    proxies[0].misbehave(['stale']);
    assert.match(JSON.stringify(check(await holdings.read(questions()))[0]), /behind the newest block/);
    proxies[0].behave();
    assert.ok(check(await holdings.read(questions())).every(isRight));
  });

  it('a head block that is too old is not accepted as the head', async () => {
    const chains = new Map([[String(world.chainId), { urls: [proxies[0].url], maxHeadAgeSeconds: 3_600 }]]);
    const timeoutMs = patientMs;
    const tomorrow = createEvmHoldings({ fetch, chains, timeoutMs, clock: () => new Date(Date.now() + 86_400_000) });
    assert.match(JSON.stringify((await tomorrow.read(questions()))[0]), /seconds old/);
    await world.client.mine({ blocks: 1 });
    assert.ok(
      (await createEvmHoldings({ fetch, chains, timeoutMs, clock: () => new Date() }).read(questions())).every(isRight),
    );
  });

  it('a quorum above the number of endpoints means all of them', async () => {
    const holdings = create(2);
    assert.equal(holdings.independentEndpoints(world.chainName), 2);
    assert.ok(check(await holdings.read(questions(), { quorum: 3 })).every(isRight));
    proxies[1].misbehave(['zero-balances']);
    await world.client.mine({ blocks: 1 });
    const answers = check(await holdings.read(questions(), { quorum: 3 }));
    assert.ok(answers.every(({ kind }) => kind === 'unknown'));
  });

  it('an aborted reader returns unknown at once', async () => {
    proxies[0].misbehave(['hang']);
    const callOff = new AbortController();
    const patient = create(1, { timers: systemTimers, timeoutMs: patientMs });
    const reading = patient.read(questions(), { signal: callOff.signal });
    const requested = proxies[0].requests.length;
    await until('the node received a request', () => proxies[0].requests.length > requested);
    callOff.abort();
    assert.match(JSON.stringify(check(await reading)[0]), /canceled/);
  });

  // Two nodes that return the same wrong result at the same moment agree, so only one of the three lies here, whatever the seed.
  it('with three of ten calls failing and one node lying, no owner is ever read as owning nothing', async () => {
    const holdings = create(3);
    const [liar, ...honest] = proxies;
    liar.misbehave(allFaults, 0.3);
    for (const proxy of honest) proxy.misbehave(['fail', 'drop', 'hang', 'refuse'], 0.3);
    const counts = { right: 0, wrong: 0, unknown: 0 };
    for (let sweep = 0; sweep < volume(20, 100); sweep += 1) {
      await time.pass(100);
      await world.client.mine({ blocks: 1 });
      for (const answer of check(await holdings.read(questions(), { quorum: 2 }))) {
        counts[isRight(answer) ? 'right' : isWrong(answer) ? 'wrong' : 'unknown'] += 1;
      }
    }
    assert.equal(counts.wrong, 0, JSON.stringify(counts));
    assert.ok(counts.right > counts.unknown / 4, JSON.stringify(counts));
    const struck = new Set(proxies.flatMap((proxy) => [...proxy.struck.keys()]));
    assert.deepEqual(struck, new Set(allFaults));
  });
});
