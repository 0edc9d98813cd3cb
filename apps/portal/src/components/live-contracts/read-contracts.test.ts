import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type DevChain, startDevChain } from '@latchkey/emulators/evm-chain';
import { createTestClient, type Hex, hexToNumber, http, publicActions, toFunctionSelector } from 'viem';
import { findNode, readContracts, selectors } from './read-contracts.ts';

const governor: Hex = `0x${'11'.repeat(20)}`;
const timelock: Hex = `0x${'22'.repeat(20)}`;
const emptyAccount: Hex = `0x${'33'.repeat(20)}`;
/** A contract that answers every call with its selector, as a number. */
const echo: Hex = '0x60003560e01c60005260206000f3';

/** Answers every request the same way until the test ends. */
async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A server listening on a port has an AddressInfo.
}

const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    void response.end(JSON.stringify(value));

describe('contracts of a governance, read live', () => {
  let chain: DevChain;
  const client = () => createTestClient({ mode: 'hardhat', transport: http(chain.url) }).extend(publicActions);
  before(async () => {
    chain = await startDevChain();
    for (const address of [governor, timelock]) await client().setCode({ address, bytecode: echo });
    await client().setBalance({ address: timelock, value: 5n });
  });
  after(() => chain.stop());

  test('every function is called by its own selector', () => {
    for (const [signature, selector] of Object.entries(selectors))
      assert.equal(selector, toFunctionSelector(signature), signature);
  });

  test('are shown with the block, from a real node', async () => {
    const contracts = { chainId: chain.chainId, governor, timelock, treasury: timelock };
    const { block, rows } = await readContracts(chain.url, contracts);
    assert.equal(block, String(await client().getBlockNumber()));
    assert.deepEqual(
      rows.map(({ value }) => value),
      [...Object.values(selectors).map((selector) => String(hexToNumber(selector))), '5'],
    );
  });

  test('are left out where an address has no such contract, and nothing unconfigured is read', async () => {
    const { rows } = await readContracts(chain.url, { chainId: chain.chainId, timelock: emptyAccount });
    assert.deepEqual(
      rows.map(({ what, value }) => [what.slice(0, 10), value]),
      [['Least wait', 'the contract does not say']],
    );
  });

  test('are not shown from a node of another chain, or from one that cannot be read', async (t) => {
    await assert.rejects(readContracts(chain.url, { chainId: 1, governor }), /another chain/);
    const strange = await serve(t, json({ jsonrpc: '2.0', error: { code: -32600 } }));
    await assert.rejects(readContracts(strange, { chainId: 1, governor }), /several questions at once/);
    const failing = await serve(t, (_request, response) => void response.writeHead(500).end());
    await assert.rejects(readContracts(failing, { chainId: 1, governor }), /^Error: The node answered 500\.$/);
    const garbled = await serve(t, (_request, response) => void response.end('<p>'));
    await assert.rejects(readContracts(garbled, { chainId: 1, governor }), /invalid response/);
    const silent = await serve(t, () => {});
    for (const url of [silent, 'http://127.0.0.1:1'])
      await assert.rejects(readContracts(url, { chainId: 1, governor }, 200), /^Error: The node does not answer\.$/);
  });

  test('are read through the public node that the server names, if it names one', async (t) => {
    const server = await serve(
      t,
      json([
        { chainId: 1, rpcs: [] },
        { chainId: 10, rpcs: ['https://node.example'] },
      ]),
    );
    assert.equal(await findNode(server, 10), 'https://node.example');
    for (const chainId of [1, 137]) assert.equal(await findNode(server, chainId), undefined);
  });
});
