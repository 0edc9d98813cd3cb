import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer, Question } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { seed, volume } from '@latchkey/test-kit';
import { type Address, encodeAbiParameters, numberToHex, parseAbiParameters } from 'viem';
import { seededRandom } from '../../vectors/mutate.ts';
import { constantContract, gasBurner } from '../testing/constant-contract.ts';
import { countingFetch, type EvmWorld, someAddresses, startEvmWorld } from '../testing/evm-world.ts';
import { createEvmHoldings, type EvmHoldingsOptions } from './read-holdings.ts';

/** Responds in place of the node, or lets the request pass. */
type Intercept = (body: string) => Response | undefined;

describe('reading many holdings of an EVM chain', () => {
  let world: EvmWorld;
  const half = volume(100, 300);
  const members = someAddresses(2 * half);
  before(async () => {
    world = await startEvmWorld();
    await world.mintCoins(members, 10n ** 18n);
    await world.mintKeys(members.slice(0, half));
    await world.mintBadges(members.slice(half), 7n, 2n);
  });
  after(() => world.stop());

  function setUp(options: Partial<EvmHoldingsOptions> & { multicall?: Address; intercept?: Intercept } = {}) {
    const { fetch, ...counted } = countingFetch();
    const { multicall, intercept, ...others } = options;
    const holdings = createEvmHoldings({
      chains: new Map([[String(world.chainId), { urls: [world.url], multicall }]]),
      clock: () => new Date(),
      timeoutMs: patientMs,
      fetch: async (url, init) => intercept?.(String(init.body)) ?? fetch(url, init),
      ...others,
    });
    return { holdings, ...counted };
  }
  const question = (account: string, change: Partial<Question> = {}): Question => ({
    chain: world.chainName,
    standard: 'erc20',
    reference: world.contracts.erc20,
    account,
    needs: 'amount',
    ...change,
  });
  const fiveRules = () =>
    members.flatMap((account) => [
      question(account),
      question(account, { standard: 'native', reference: 'currency' }),
      question(account, { standard: 'erc721', reference: world.contracts.erc721 }),
      question(account, { standard: 'erc1155', reference: world.contracts.erc1155, tokenIds: '7' }),
      question(account, { standard: 'staking', reference: world.contracts.staking }),
    ]);
  const amounts = (answers: readonly Answer[]) =>
    answers.map((answer) => (answer.kind === 'read' ? answer.amount : answer.reason));
  const expected = members.flatMap((_, index) => ['1', '0', index < half ? '1' : '0', index < half ? '0' : '2', '0']);

  it('takes a handful of calls, all at one block, and none for cached block data', async () => {
    const { holdings, requests: requested, count } = setUp();
    const answers = await holdings.read(fiveRules());
    assert.deepEqual(amounts(answers), expected);
    assert.equal(new Set(answers.map((answer) => answer.kind === 'read' && answer.block?.hash)).size, 1);
    assert.ok(count() <= 6, requested.join());
    assert.equal(count('eth_chainId'), 1);
    requested.length = 0;
    await holdings.read(fiveRules());
    assert.deepEqual(requested, ['eth_getBlockByNumber']);
  });

  it('members with different tokens are each read for their own, sliced or not', async () => {
    const random = seededRandom(seed('members and their rules'));
    const all = fiveRules().map((request, index) => ({ question: request, amount: expected[index] }));
    const some = all.filter(() => random.below(5) > 1).sort(() => random.below(3) - 1);
    for (const callsPerRequest of [undefined, 70]) {
      const { holdings, requests: requested, count } = setUp({ callsPerRequest });
      const answers = await holdings.read(some.map((one) => one.question));
      assert.deepEqual(
        amounts(answers),
        some.map(({ amount }) => amount),
      );
      const least = Math.ceil(some.length / (callsPerRequest ?? some.length));
      assert.ok(count('eth_call') >= least && count() <= 3 * least + 6, requested.join());
    }
  });

  it('reads equal questions once, even concurrent ones', async () => {
    const { holdings, requests: requested, count } = setUp();
    const [first = question('')] = fiveRules();
    const many = Array.from({ length: 50 }, () => first);
    await holdings.read(many);
    assert.equal(count('eth_call'), 1);
    requested.length = 0;
    await world.client.mine({ blocks: 1 });
    await Promise.all([holdings.read(many), holdings.read(many)]);
    assert.ok(count('eth_call') <= 2);
  });

  it('reads the decimals of a contract only once', async () => {
    const { holdings } = setUp();
    const bodies: string[] = [];
    const watched = setUp({
      intercept: (body) => {
        bodies.push(body);
        return undefined;
      },
    }).holdings;
    await watched.read([question(members[0] ?? '')]);
    await world.client.mine({ blocks: 1 });
    await watched.read([question(members[0] ?? '')]);
    assert.equal(bodies.filter((body) => body.includes('313ce567')).length, 1);
    assert.equal((await holdings.read([question(members[0] ?? '')]))[0]?.kind, 'read');
  });

  /** A node without state overrides for calls. */
  const lendsNoCode: Intercept = (body) => {
    const { method, params } = JSON.parse(body);
    if (method !== 'eth_call' || params.length < 3) return undefined;
    const error = { code: -32602, message: 'too many arguments, want at most 2' };
    return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
  };
  const ignoresLentCode: Intercept = (body) =>
    lendsNoCode(body) && new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x' }));

  for (const [name, intercept] of Object.entries({
    'lends no code': lendsNoCode,
    'ignores lent code': ignoresLentCode,
  })) {
    it(`a node that ${name} is read through Multicall3, and that is remembered`, async () => {
      const { holdings, requests: requested, count } = setUp({ intercept });
      assert.deepEqual(amounts(await holdings.read(fiveRules())), expected);
      assert.ok(count() <= 8, requested.join());
      requested.length = 0;
      await world.client.mine({ blocks: 1 });
      assert.deepEqual(amounts(await holdings.read(fiveRules())), expected);
      assert.deepEqual(requested, ['eth_getBlockByNumber', 'eth_call']);
    });
  }

  it('uses smaller batches where a node requires it, and remembers that', async () => {
    let refused = 0;
    const intercept: Intercept = (body) => {
      if (body.length < 100_000) return lendsNoCode(body);
      refused += 1;
      return new Response('too large', { status: 413 });
    };
    const { holdings, requests: requested } = setUp({ intercept });
    assert.deepEqual(amounts(await holdings.read(fiveRules())), expected);
    assert.ok(refused > 0 && refused < 20, `${refused} refusals`);
    refused = 0;
    requested.length = 0;
    await world.client.mine({ blocks: 1 });
    assert.deepEqual(amounts(await holdings.read(fiveRules())), expected);
    assert.equal(refused, 0);
    assert.ok(requested.length < 40, `${requested.length} calls`);
  });

  it('needs no Multicall3 on the chain', async () => {
    const nowhere = '0x00000000000000000000000000000000000000aa';
    const { holdings, requests: requested, count } = setUp({ multicall: nowhere, intercept: lendsNoCode });
    assert.deepEqual(amounts(await holdings.read(fiveRules().slice(0, 500))), expected.slice(0, 500));
    assert.ok(count() <= 20, requested.join());
    requested.length = 0;
    await holdings.read(fiveRules().slice(500, 600));
    assert.equal(count('eth_getCode'), 0, 'the absence of Multicall3 is cached');
  });

  it('a contract that burns all gas affects only its own results', async () => {
    const burner = '0x00000000000000000000000000000000000000bb';
    await world.client.setCode({ address: burner, bytecode: gasBurner });
    await world.client.mine({ blocks: 1 });
    for (const intercept of [undefined, lendsNoCode]) {
      const { holdings } = setUp(intercept && { intercept });
      const [first = [], rest = []] = [fiveRules().slice(0, 100), fiveRules().slice(100, 400)];
      const bad = members.slice(0, 6).map((account) => question(account, { reference: burner }));
      const answers = await holdings.read([...first, ...bad, ...rest]);
      assert.deepEqual(amounts(answers.slice(0, 100)), expected.slice(0, 100));
      assert.deepEqual(amounts(answers.slice(106)), expected.slice(100, 400));
      assert.ok(answers.slice(100, 106).every(({ kind }) => kind === 'unknown'));
    }
  });

  it('a history that nodes return in ranges is assembled, and one that is too long is unknown', async () => {
    const limited =
      (blocks: bigint): Intercept =>
      (body) => {
        const { method, params } = JSON.parse(body);
        if (method !== 'eth_getLogs' || BigInt(params[0].toBlock) - BigInt(params[0].fromBlock) < blocks)
          return undefined;
        const error = { code: -32005, message: 'query exceeds the range' };
        return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
      };
    await world.client.mine({ blocks: 120 });
    const wanted = members
      .slice(half - 2, half + 2)
      .map((account) => question(account, { standard: 'erc1155', reference: world.contracts.erc1155, tokenIds: '*' }));
    const { holdings, count } = setUp({ intercept: limited(20n) });
    assert.deepEqual(amounts(await holdings.read(wanted)), ['0', '0', '2', '2']);
    assert.ok(count('eth_getLogs') <= 20);
    const hopeless = setUp({ intercept: limited(2n) }).holdings;
    assert.match(String(amounts(await hopeless.read(wanted))[0]), /takes too many calls/);
  });
});

describe('rarer standards', () => {
  let world: EvmWorld;
  const documents = new Map<string, unknown>();
  const fetched: string[] = [];
  const [account = '', receiver = ''] = someAddresses(2);
  const contract = '0x00000000000000000000000000000000000000cc';
  before(async () => {
    world = await startEvmWorld();
  });
  after(() => world.stop());

  async function read(standard: string, answer: `0x${string}`, change: Partial<Question> = {}, at: Address = contract) {
    await world.client.setCode({ address: at, bytecode: constantContract(answer) });
    await world.client.mine({ blocks: 1 });
    const holdings = createEvmHoldings({
      fetch,
      chains: new Map([[String(world.chainId), { urls: [world.url] }]]),
      clock: () => new Date(),
      timeoutMs: patientMs,
      metadata: {
        ipfsGateway: 'https://ipfs.example/ipfs',
        fetchJson: async (url) => {
          fetched.push(url);
          return documents.get(url) ?? Promise.reject(new Error('not there'));
        },
      },
    });
    const question: Question = { chain: world.chainName, standard, reference: at, account, needs: 'amount', ...change };
    const [result] = await holdings.read([question]);
    return result;
  }

  it('Moloch shares are the second field of a member, in both versions', async () => {
    const member = encodeAbiParameters(parseAbiParameters('address, uint256, bool, uint256'), [
      contract,
      42n,
      true,
      0n,
    ]);
    const answer = await read('moloch', member);
    assert.ok(answer?.kind === 'read' && answer.amount === '42', JSON.stringify(answer));
    assert.equal((await read('moloch', numberToHex(5n, { size: 32 })))?.kind, 'unknown');
  });

  it('a stream is reported as its monthly flow', async () => {
    const rate = 1_000_000_000_000n; // Per second, with 18 decimals.
    const forwarder = '0xcfa132e353cb4e398080b9700609bb008eceb125';
    const change = { reference: world.contracts.erc20, details: { to: receiver } };
    const answer = await read('superfluid', numberToHex(rate, { size: 32 }), change, forwarder);
    assert.ok(answer?.kind === 'read' && answer.amount === '2.628', JSON.stringify(answer));
    const other = await read('superfluid', '0x', { ...change, details: {} }, forwarder);
    assert.match(JSON.stringify(other), /receiver of the stream/);
  });

  it('token metadata is read from the document at its URI, with the id filled in', async () => {
    const describeAt = async (uri: string) => {
      const text = encodeAbiParameters(parseAbiParameters('string'), [uri]);
      const answer = await read('erc1155', text, { tokenIds: '31', needs: 'metadata' });
      assert.ok(answer?.kind === 'read', JSON.stringify(answer));
      return answer.tokens?.[0];
    };
    const id = '000000000000000000000000000000000000000000000000000000000000001f';
    documents.set(`https://ipfs.example/ipfs/Qm/${id}.json`, { name: 'from IPFS' });
    documents.set('https://one.example/31', { name: 'from the web' });
    documents.set('https://one.example/list', ['no', 'object']);
    assert.deepEqual((await describeAt('ipfs://Qm/{id}.json'))?.metadata, { name: 'from IPFS' });
    assert.deepEqual((await describeAt('ipfs://ipfs/Qm/{id}.json'))?.metadata, { name: 'from IPFS' });
    assert.deepEqual((await describeAt('https://one.example/31'))?.metadata, { name: 'from the web' });
    assert.deepEqual((await describeAt('data:application/json,{"name":"100%"}'))?.metadata, { name: '100%' });
    assert.deepEqual((await describeAt(`data:application/json;base64,${btoa('{"a":1}')}`))?.metadata, { a: 1 });
    assert.deepEqual((await describeAt(''))?.metadata, {}, 'a token without a URI has no metadata');
    fetched.length = 0;
    for (const uri of ['https://one.example/gone', 'https://one.example/list', 'ftp://one.example', 'data:,{', 'x']) {
      assert.equal((await describeAt(uri))?.metadata, undefined, uri);
    }
    assert.deepEqual(fetched, ['https://one.example/gone', 'https://one.example/list']);
  });

  it('a contract with absurd decimals is unknown', async () => {
    assert.equal((await read('erc20', numberToHex(200n, { size: 32 })))?.kind, 'unknown');
  });
});
