import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { WalletProof } from '@latchkey/core/ports';
import { patientMs } from '@latchkey/emulators/testing';
import { serializeErc6492Signature } from 'viem';
import { type NodeScript, startScriptedNode } from '../testing/scripted-node.ts';
import { createEvmWallets } from './wallets.ts';

const yes = `0x1626ba7e${'0'.repeat(56)}`;
const proof: WalletProof = {
  chain: '10',
  address: '0xbed1A40Ef9C6c1432253cbD52933aab6cb78443A',
  message: 'latchkey.example wants to know',
  signature: '0x1234',
};

/** A node of chain 10 with a contract at every address, which responds to calls as scripted. */
const contract = (answer: object): NodeScript => {
  const answers: Record<string, object> = { eth_chainId: { result: '0xa' }, eth_getCode: { result: '0x6000' } };
  return ({ method }) => answers[method] ?? answer;
};

async function verify(
  urls: string[],
  change: Partial<WalletProof> & { timeoutMs?: number; signal?: AbortSignal } = {},
) {
  const { timeoutMs = patientMs, signal, ...changes } = change;
  return (await createEvmWallets({ fetch, rpcUrlsOf: () => urls, timeoutMs }).verify({ ...proof, ...changes }, signal))
    .kind;
}

async function verifyBy(t: TestContext, script: NodeScript, change: Parameters<typeof verify>[1] = {}) {
  return verify([(await startScriptedNode(t, script)).url], change);
}

async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A server listening on a port has an AddressInfo.
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('contract wallets', () => {
  it('a contract that returns a full-word yes is accepted', async (t) => {
    assert.equal(await verifyBy(t, contract({ result: yes })), 'valid');
    assert.equal(
      await verifyBy(t, contract({ result: yes }), { details: { scheme: 'safe' }, signature: '0x' }),
      'valid',
    );
  });

  it('any other response of a contract is a no', async (t) => {
    const answers = [
      '0x',
      '0x01',
      '0x1626ba7e',
      `0x${'0'.repeat(64)}`,
      `0x${'f'.repeat(64)}`,
      `0x1626ba7e${'1'.repeat(56)}`,
    ];
    for (const result of answers) assert.equal(await verifyBy(t, contract({ result })), 'invalid', result);
  });

  it('a revert is a no, in the error format of every kind of node', async (t) => {
    const reverts = [
      { code: 3, message: 'execution reverted: GS026', data: '0x08c379a0' },
      { code: -32000, message: 'Execution reverted' },
      { code: -32015, message: 'VM execution error.', data: 'Reverted 0x' },
      { code: -32603, message: 'VM Exception while processing transaction: reverted with reason string GS013' },
      { code: -32000, message: 'invalid opcode: INVALID' },
    ];
    for (const error of reverts) assert.equal(await verifyBy(t, contract({ error })), 'invalid', error.message);
  });

  it('an address without a contract is refused without a call', async (t) => {
    const node = await startScriptedNode(t, ({ method }) => ({ result: method === 'eth_chainId' ? '0xa' : '0x' }));
    assert.equal(await verify([node.url]), 'invalid');
    assert.deepEqual(node.requests.toSorted(), ['eth_chainId', 'eth_getCode']);
  });

  it('an account is recognized by its key, without calling a node', async (t) => {
    const node = await startScriptedNode(t, contract({ result: yes }));
    const signature =
      '0xf4818c498e93dcc87d3ef34bbcad26cb6b2591de7011be9617c221a5a16cd66b71a629fe2db00edef0c7313a2d22f6370d4b6c4df5084e6f22321b19324ca6a51c';
    const signed = { address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', message: 'Latchkey venly 1', signature };
    assert.equal(await verify([node.url], signed), 'valid');
    assert.deepEqual(node.requests, []);
  });

  it('a deployed wallet is called directly, without the deployment in its signature', async (t) => {
    const wrapped = serializeErc6492Signature({
      address: `0x${'fa'.repeat(20)}`,
      data: '0xda7a',
      signature: '0x51651651',
    });
    const calls: unknown[] = [];
    const script: NodeScript = (request, response) => {
      if (request.method === 'eth_call') calls.push(request.params[0]);
      return contract({ result: yes })(request, response);
    };
    assert.equal(await verifyBy(t, script, { signature: wrapped }), 'valid');
    const [call] = calls;
    assert.equal(calls.length, 1);
    assert.match(JSON.stringify(call), /"to":"0xbed1A40Ef9C6c1432253cbD52933aab6cb78443A"/);
    assert.match(JSON.stringify(call), /51651651/);
    assert.doesNotMatch(JSON.stringify(call), /fafafa|da7a/);
  });

  it('a wrapped signature that cannot be unwrapped is refused', async (t) => {
    const suffix = '6492'.repeat(16);
    for (const body of ['', '00', 'ff'.repeat(96)]) {
      assert.equal(await verifyBy(t, contract({ result: yes }), { signature: `0x${body}${suffix}` }), 'invalid', body);
    }
  });
});

describe('nodes that fail', () => {
  const misbehaviours: Record<string, NodeScript> = {
    'closes the connection': (_request, response) => void response.destroy(),
    'answers 500': (_request, response) => void response.writeHead(500).end('no'),
    'answers 429': (_request, response) => void response.writeHead(429).end('slow down'),
    redirects: (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    'answers with a page': (_request, response) => void response.end('<html>'),
    'answers nothing': (_request, response) => void response.end(),
    'answers with no result': () => ({}),
    'answers with null': () => ({ result: null }),
    'answers with numbers': () => ({ result: 1 }),
    'answers with words': () => ({ result: 'yes' }),
    'is limited': contract({ error: { code: -32005, message: 'limit exceeded' } }),
    'has no such block': contract({ error: { code: -32000, message: 'header not found' } }),
    'refuses to call': contract({ error: { code: -32601, message: 'the method eth_call does not exist' } }),
    'answers a call with null': contract({ result: null }),
    'is on another chain': ({ method }) => ({ result: method === 'eth_call' ? yes : '0x1' }),
  };
  for (const [name, script] of Object.entries(misbehaviours)) {
    it(`a node that ${name} decides nothing`, async (t) => {
      assert.equal(await verifyBy(t, script), 'unknown');
    });
  }

  it('a node that is gone or has no URL decides nothing', async () => {
    for (const url of [await closedPort(), 'no address', 'ftp://127.0.0.1/', '']) {
      assert.equal(await verify([url]), 'unknown', url);
    }
  });

  it('a node that times out decides nothing, and neither does an aborted caller', async (t) => {
    assert.equal(await verifyBy(t, () => undefined, { timeoutMs: 50 }), 'unknown');
    assert.equal(await verifyBy(t, () => undefined, { signal: AbortSignal.timeout(50) }), 'unknown');
    assert.equal(await verifyBy(t, contract({ result: yes }), { signal: AbortSignal.abort() }), 'unknown');
  });

  it('a node that stops in the middle of its response decides nothing', async (t) => {
    const half: NodeScript = (_request, response) => void response.write('{"jsonrpc":"2.0","id":1,"res');
    assert.equal(await verifyBy(t, half, { timeoutMs: 100 }), 'unknown');
  });

  it('the next node is used when one fails, and none after the one that knows', async (t) => {
    const wrong = await startScriptedNode(t, () => ({ result: '0x1' }));
    const good = await startScriptedNode(t, contract({ result: yes }));
    const spare = await startScriptedNode(t, contract({ result: '0x' }));
    assert.equal(await verify([await closedPort(), wrong.url, good.url, spare.url]), 'valid');
    assert.deepEqual(spare.requests, []);
  });

  it('the fetch that was given is used', async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      urls.push(String(input));
      throw new Error('no network');
    };
    const wallets = createEvmWallets({
      rpcUrlsOf: (chain) => [`https://rpc.example/${chain}`],
      fetch,
      timeoutMs: patientMs,
    });
    const verdict = await wallets.verify(proof);
    assert.equal(verdict.kind, 'unknown');
    assert.ok(!JSON.stringify(verdict).includes('rpc.example'));
    assert.deepEqual([...new Set(urls)], ['https://rpc.example/10']);
  });
});
