import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ContractProbe, TokenMetadataReader } from '@latchkey/core/ports';
import {
  type DevChain,
  deployWaitingList,
  devChain,
  devTransport,
  sampleKeysAbi,
  startDevChain,
} from '@latchkey/emulators/evm-chain';
import { patientMs } from '@latchkey/emulators/testing';
import { createTestClient, createWalletClient, type Hex, publicActions } from 'viem';
import { deploySafes } from '../testing/deploy-safes.ts';
import { startScriptedNode } from '../testing/scripted-node.ts';
import { createEvmTokenMetadata } from './index.ts';

const keys = 12;

describe('token metadata on EVM chains', () => {
  let chain: DevChain;
  before(async () => {
    chain = await startDevChain();
    const transport = devTransport(chain.url);
    const client = createWalletClient({ chain: devChain(chain.url, chain.chainId), transport });
    const [minter] = chain.accounts;
    assert.ok(minter);
    const receivers = Array.from({ length: keys }, () => minter.address);
    await client.writeContract({
      account: minter.address,
      address: chain.contracts.erc721,
      abi: sampleKeysAbi,
      functionName: 'mintMany',
      args: [receivers],
    });
  });
  after(() => chain.stop());

  function readerOf(urls: readonly string[]): TokenMetadataReader {
    const clock = () => new Date('2026-01-15T12:00:00Z');
    return createEvmTokenMetadata({
      fetch,
      chains: new Map([[String(chain.chainId), { urls }]]),
      clock,
      timeoutMs: patientMs,
    });
  }

  const name = () => `evm:${chain.chainId}`;
  const probe = (standard: string, reference: string): ContractProbe => ({ standard, reference });

  /** Another code at an address, until the end of the block. */
  async function replaceCode(address: Hex, change: (code: Hex) => string) {
    const client = createTestClient({
      mode: 'hardhat',
      chain: devChain(chain.url, chain.chainId),
      transport: devTransport(chain.url),
    }).extend(publicActions);
    const code = await client.getCode({ address });
    assert.ok(code);
    const put = async (bytecode: string) => {
      await client.setCode({ address, bytecode: bytecode as Hex });
      await client.mine({ blocks: 1 });
    };
    assert.notEqual(change(code), code);
    await put(change(code));
    return { address, [Symbol.asyncDispose]: () => put(code) };
  }

  it('distinguishes coins, keys and badges, in the requested order', async () => {
    const { erc20, erc721, erc1155 } = chain.contracts;
    const answers = await readerOf([chain.url]).read(name(), [erc1155, erc20, erc721.toLowerCase()]);
    assert.deepEqual(
      answers.map((answer) => answer.kind === 'read' && answer.metadata),
      [
        { standard: 'erc1155', name: 'Sample Badge' },
        { standard: 'erc20', name: 'Sample Coin', symbol: 'COIN', decimals: 18 },
        { standard: 'erc721', name: 'Sample Key', symbol: 'KEY' },
      ],
    );
  });

  it('treats an address without a contract or token as having no metadata', async () => {
    const nobody = `0x${'9'.repeat(40)}`;
    const answers = await readerOf([chain.url]).read(name(), [nobody, 'nonsense', chain.contracts.multicall3]);
    for (const answer of answers) assert.deepEqual(answer, { kind: 'read', metadata: {} });
  });

  it('reports whether there is code at an address, and unknown where a node does not answer', async () => {
    const nobody = `0x${'9'.repeat(40)}`;
    const contracts = [chain.contracts.erc20, nobody, 'nonsense', chain.contracts.multicall3];
    const answers = await readerOf([chain.url]).readCode(name(), contracts);
    assert.deepEqual(
      answers.map((answer) => answer.kind === 'read' && answer.hasCode),
      [true, false, false, true],
    );
    for (const answer of await readerOf(['http://127.0.0.1:9']).readCode(name(), contracts))
      assert.equal(answer.kind, 'unknown');
    for (const answer of await readerOf([chain.url]).readCode('evm:8453', contracts))
      assert.deepEqual(answer, { kind: 'unknown', reason: 'No node is configured for this chain.' });
  });

  it('finds out which contracts answer what a condition reads, whatever they say about themselves', async () => {
    const { erc20, erc721, erc1155, multicall3, staking } = chain.contracts;
    const safes = await deploySafes(chain.url);
    const ofSafe = await readerOf([chain.url]).probe('evm:31337', [probe('safe', safes.deployedSafe)]);
    const call = (fn: string, args = '["$account"]') => ({ ...probe('call', erc20), details: { function: fn, args } });
    const expected: [asked: ContractProbe, isAnswered: boolean][] = [
      [probe('erc20', erc20), true],
      [probe('erc20', multicall3), false],
      [probe('erc721', erc721), true],
      [probe('erc721', erc20), false],
      [probe('erc721', multicall3), false],
      [{ ...probe('erc1155', erc1155), tokenIds: '1' }, true],
      [{ ...probe('erc1155', erc20), tokenIds: '1' }, false],
      [{ ...probe('erc1155', multicall3), tokenIds: '1' }, false],
      [call('balanceOf(address)'), true],
      [call('totalSupply()', '[]'), true],
      [call('shares(address)'), false],
      [call('totalSupply()'), false],
      [probe('staking', staking), true],
      [probe('staking', multicall3), false],
      [probe('moloch', erc20), false],
      [probe('safe', erc20), false],
      [{ ...probe('superfluid', erc20), details: { to: `0x${'9'.repeat(40)}` } }, false],
    ];
    const answers = await readerOf([chain.url]).probe(
      name(),
      expected.map(([asked]) => asked),
    );
    assert.deepEqual(
      answers,
      expected.map(([, isAnswered]) => ({ kind: 'read', isAnswered })),
    );
    assert.deepEqual(ofSafe, [{ kind: 'read', isAnswered: chain.chainId === 31337 }]);
  });

  it('accepts a collection older than ERC-165, and a function that gives a reason for refusing one account', async () => {
    await using older = await replaceCode(chain.contracts.erc721, (code) => code.replaceAll('01ffc9a7', '00000000'));
    const reader = readerOf([chain.url]);
    const [metadata] = await reader.read(name(), [older.address]);
    assert.ok(metadata?.kind === 'read');
    assert.equal(metadata.metadata.standard, undefined);
    assert.deepEqual(await reader.probe(name(), [probe('erc721', older.address)]), [
      { kind: 'read', isAnswered: true },
    ]);
    // Reverts with the word "no": PUSH2 "no", MSTORE, then REVERT with that word.
    await using picky = await replaceCode(chain.contracts.staking, () => '0x616e6f60005260206000fd');
    const details = { function: 'shares(address)', args: '["$account"]' };
    assert.deepEqual(
      await reader.probe(name(), [{ ...probe('call', picky.address), details }, probe('erc721', picky.address)]),
      [
        { kind: 'read', isAnswered: true },
        { kind: 'read', isAnswered: false },
      ],
    );
  });

  it('knows nothing about a contract that one of two nodes does not have, nor while one does not answer', async (t) => {
    const { erc721 } = chain.contracts;
    const [present, absent] = [erc721.slice(2).toLowerCase(), '9'.repeat(40)];
    const behind = await startScriptedNode(t, (request, response) => {
      const body = JSON.stringify(request).replaceAll(present, absent);
      const headers = { 'content-type': 'application/json' };
      void fetch(chain.url, { method: 'POST', headers, body }).then(async (reply) => response.end(await reply.text()));
    });
    const alone = await readerOf([behind.url]).probe(name(), [probe('erc721', erc721)]);
    assert.deepEqual(alone, [{ kind: 'read', isAnswered: false }]);
    const other = chain.url.replace('127.0.0.1', 'localhost');
    const [apart] = await readerOf([behind.url, other]).probe(name(), [probe('erc721', erc721)]);
    assert.ok(apart?.kind === 'unknown');
    assert.match(apart.reason, /disagree/);
    for (const urls of [['http://127.0.0.1:9'], ['http://127.0.0.1:9', other]])
      assert.equal((await readerOf(urls).probe(name(), [probe('erc721', erc721)]))[0]?.kind, 'unknown');
  });

  it('reads the metadata of the first tokens of a collection, and reports how many it left out', async () => {
    const reader = readerOf([chain.url]);
    const whole = await reader.readCollection(name(), chain.contracts.erc721, { limit: 500 });
    assert.ok(whole.kind === 'read');
    assert.deepEqual([whole.documents.length, whole.missing, whole.left], [keys, 0, 0]);
    const [first] = whole.documents;
    assert.ok(typeof first === 'object' && first !== null && 'attributes' in first, JSON.stringify(first));
    const part = await reader.readCollection(name(), chain.contracts.erc721, { limit: 5 });
    assert.ok(part.kind === 'read');
    assert.deepEqual([part.documents.length, part.left], [5, keys - 5]);
  });

  it('finds nothing to list in a coin', async () => {
    const reader = readerOf([chain.url]);
    for (const contract of [chain.contracts.erc20, 'nonsense'])
      assert.deepEqual(await reader.readCollection(name(), contract, { limit: 5 }), { kind: 'none' });
  });

  it('finds the owner that a contract names, and the deployer of one that names none', async () => {
    const [minter, stranger] = chain.accounts.map(({ address }) => address);
    const deployer = chain.accounts.at(-2)?.address;
    assert.ok(minter && stranger && deployer);
    const reader = readerOf([chain.url]);
    const control = (contract: string, ...accounts: string[]) => reader.readControl(name(), contract, accounts);
    const controlled = { kind: 'controlled', by: minter.toLowerCase() };
    assert.deepEqual(await control(chain.contracts.erc721, stranger, minter), controlled);
    assert.deepEqual(await control(chain.contracts.erc721, stranger), { kind: 'not-controlled' });
    const owned = await deployWaitingList(chain, stranger);
    assert.deepEqual(await control(owned, stranger, minter), controlled);
    assert.deepEqual(await control(owned, deployer), { kind: 'not-controlled', owner: minter.toLowerCase() });
    assert.deepEqual(await control('nonsense', minter), { kind: 'not-controlled' });
    assert.equal((await reader.readControl('evm:1', owned, [minter])).kind, 'unknown');
  });

  it('is unknown when no node is configured or responds, and names no URL', async (t) => {
    const silent = await startScriptedNode(t, (_, response) => void response.writeHead(500).end());
    const url = `${silent.url}/secret-key`;
    const reader = readerOf([url]);
    const [answer] = await reader.read(name(), [chain.contracts.erc20]);
    assert.ok(answer?.kind === 'unknown');
    const collection = await reader.readCollection(name(), chain.contracts.erc721, { limit: 5 });
    assert.ok(collection.kind === 'unknown');
    assert.ok(!`${answer.reason} ${collection.reason}`.includes('secret-key'));
    assert.equal(reader.reads('evm:1'), false);
    assert.equal((await reader.read('evm:1', [chain.contracts.erc20]))[0]?.kind, 'unknown');
  });

  it('uses the next node when the first is on another chain', async (t) => {
    const liar = await startScriptedNode(t, ({ method }) => ({ result: method === 'eth_chainId' ? '0x1' : '0x' }));
    const [answer] = await readerOf([liar.url, chain.url]).read(name(), [chain.contracts.erc20]);
    assert.ok(answer?.kind === 'read');
    assert.equal(answer.metadata.symbol, 'COIN');
  });
});
