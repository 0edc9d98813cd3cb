import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Question } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { volume } from '@latchkey/test-kit';
import type { RpcFetch } from '../endpoints/index.ts';
import { countingFetch, type EvmWorld, someAddresses, startEvmWorld } from '../testing/evm-world.ts';
import { createEvmHoldings } from './read-holdings.ts';

const count = volume(1_000, 10_000);
// A few to detect what the node supports, and one for every few hundred members.
const maxCalls = 10 + Math.ceil(count / 200);

describe(`${count} members with 5 rules`, () => {
  let world: EvmWorld;
  const members = someAddresses(count);
  before(async () => {
    world = await startEvmWorld();
    await world.mintCoins(members, 10n ** 18n);
    await world.mintKeys(members);
    await world.mintBadges(members, 7n, 3n);
  });
  after(() => world.stop());

  const refuseLentCode: RpcFetch = async () => {
    const error = { code: -32602, message: 'too many arguments, want at most 2' };
    return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
  };

  for (const lends of [true, false]) {
    it(`are read in at most ${maxCalls} calls by a node that ${lends ? 'lends code' : 'lends no code'}`, async (t) => {
      const { fetch, count: requested } = countingFetch();
      const holdings = createEvmHoldings({
        chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
        clock: () => new Date(),
        timeoutMs: patientMs,
        fetch: (url, init) => {
          const { method, params } = JSON.parse(String(init.body));
          const isRefused = !lends && method === 'eth_call' && params.length === 3;
          return isRefused ? refuseLentCode(url, init) : fetch(url, init);
        },
      });
      const common = { chain: world.chainName, needs: 'amount' } as const;
      const { erc20, erc721, erc1155, staking } = world.contracts;
      const questions = members.flatMap((account): Question[] => [
        { ...common, account, standard: 'native', reference: 'currency' },
        { ...common, account, standard: 'erc20', reference: erc20 },
        { ...common, account, standard: 'erc721', reference: erc721 },
        { ...common, account, standard: 'erc1155', reference: erc1155, tokenIds: '7' },
        { ...common, account, standard: 'staking', reference: staking },
      ]);
      const answers = await holdings.read(questions);
      const wanted = ['0', '1', '1', '3', '0'];
      const wrong = answers.filter(
        (answer, index) => answer.kind !== 'read' || answer.amount !== wanted[index % wanted.length],
      );
      assert.deepEqual(wrong.slice(0, 3), []);
      t.diagnostic(`${requested()} calls for ${questions.length} reads`);
      assert.ok(requested() <= maxCalls, `${requested()} calls`);
    });
  }
});
