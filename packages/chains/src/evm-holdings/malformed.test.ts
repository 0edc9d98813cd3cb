import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Question } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { fuzzAnswers, startAnswerProxy, volume } from '@latchkey/test-kit';
import { someAddresses, startEvmWorld } from '../testing/evm-world.ts';
import { createEvmFollower } from './follow-chain.ts';
import { createEvmHoldings } from './read-holdings.ts';

test('however an EVM node’s response is corrupted, the result is right or unknown', async (t) => {
  const world = await startEvmWorld();
  t.after(() => world.stop());
  const proxy = await startAnswerProxy(world.url);
  t.after(() => proxy.stop());
  const accounts = someAddresses(2);
  const first = Number(await world.rpc('eth_blockNumber', []));
  const passedBlock = Object(await world.rpc('eth_getBlockByNumber', [`0x${first.toString(16)}`, false]));
  await world.mintCoins(accounts, 12n);
  await world.mintKeys(accounts);
  await world.mintBadges(accounts, 7n, 3n);
  const { erc20, erc721, erc1155 } = world.contracts;
  const ask = (standard: string, reference: string, more: Partial<Question> = {}): Question[] =>
    accounts.map((account) => ({
      chain: world.chainName,
      standard,
      reference,
      account,
      needs: 'amount',
      ...more,
    }));
  const questions = [
    ...ask('native', 'native'),
    ...ask('erc20', erc20),
    ...ask('erc721', erc721),
    ...ask('erc1155', erc1155, { tokenIds: '7' }),
  ];
  const chains = new Map([[String(world.chainId), { urls: [proxy.url] }]]);
  const options = { fetch, chains, clock: () => new Date(), timeoutMs: patientMs };
  const essence = (answer: Answer) =>
    answer.kind === 'unknown' ? 'unknown' : [answer.amount, answer.tokens?.map(({ id, amount }) => [id, amount])];
  await fuzzAnswers({
    name: 'evm holdings',
    rounds: volume(60, 2_000),
    intercept: proxy.intercept,
    // Created again each time, because an endpoint that failed is skipped for a while.
    read: async () => (await createEvmHoldings(options).read(questions)).map(essence),
    isRight: (got, truth) =>
      got.length === truth.length &&
      got.every((one, place) => one === 'unknown' || isDeepStrictEqual(one, truth[place])),
    optional: ['error'],
  });
  const passed = [{ number: String(first), hash: String(passedBlock.hash) }];
  await fuzzAnswers({
    name: 'evm transfers',
    rounds: volume(60, 2_000),
    intercept: proxy.intercept,
    read: () => createEvmFollower(options).next(world.chainName, { passed, contracts: [erc20, erc721], depth: 0 }),
    // Re-reading more accounts than those that changed is harmless.
    isRight: (got, truth) => {
      if (got.kind !== 'advanced' || truth.kind !== 'advanced') return got.kind === 'unknown';
      const report = new Set(got.changes.map((change) => JSON.stringify(change)));
      return isDeepStrictEqual(got.to, truth.to) && truth.changes.every((change) => report.has(JSON.stringify(change)));
    },
    optional: ['error'],
  });
});
