import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { stakingContracts } from '@latchkey/core';
import { assetKinds } from '@latchkey/core/facts';
import { settingFor } from '@latchkey/core/testing/insides';
import { toFunctionSelector } from 'viem';
import { systemClock } from '../../src/clock.ts';
import { composeChains } from '../../src/compose/chains.ts';

/** Kinds that rules may have although no reader supports them, each with the reason. */
const unreadable: Readonly<Record<string, string>> = {
  'NFTY.INK': 'Its meaning was never published, so there is nothing to query.',
};

/** Returns every name that the page about chains documents. */
function readDocumentedNames(): string[] {
  const page = readFileSync(new URL('../../../../docs/chains.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

async function composeWith(names: readonly string[], evmChains: readonly string[], url = ['https://node.test']) {
  const config = {
    evmRpcUrls: new Map(evmChains.map((chain) => [chain, url])),
    chainUrls: new Map(names.map((name) => [name, url])),
    serviceKeys: new Map(),
    ipfsGateway: undefined,
  };
  const egress = { send: () => assert.fail('composing makes no request') };
  return (await composeChains(config, { clock: systemClock, egress })).chains.holdings;
}

const requestedBy = ({ name, chain, standard }: (typeof assetKinds)[number]) => ({
  name,
  chain: typeof chain === 'string' ? chain : `evm:${chain.evm ?? 1}`,
  standard,
});

test('every kind of rule is readable when everything in the documentation is configured', async () => {
  const holdings = await composeWith(readDocumentedNames(), ['1', '56']);
  const unread = assetKinds.map(requestedBy).filter((question) => !holdings.reads(question));
  assert.deepEqual(
    unread.map(({ name }) => name),
    Object.keys(unreadable),
  );
});

test('the setting that a refusal names is the one that lets a kind of rule be read', async () => {
  for (const { name, chain, standard } of assetKinds.map(requestedBy)) {
    const setting = settingFor(chain, standard);
    assert.equal(setting === undefined, Object.hasOwn(unreadable, name), name);
    if (setting === undefined) continue;
    const entriesOf = (wanted: string) =>
      setting.settings.filter((one) => one.name === wanted).map(({ entry }) => entry.replace('=https://…', ''));
    const holdings = await composeWith(entriesOf('LATCHKEY_CHAIN_URLS'), entriesOf('LATCHKEY_EVM_RPC_URLS'));
    assert.ok(holdings.reads({ chain, standard }), `${name}: ${JSON.stringify(setting.settings)}`);
  }
});

test('without any URL no kind is readable', async () => {
  const holdings = await composeWith([], []);
  assert.deepEqual(
    assetKinds.map(requestedBy).filter((question) => holdings.reads(question)),
    [],
  );
});

test('a staking contract that the API lists is read with the function in its description', async (t) => {
  const node = await startEvmNode(t);
  const chains = [...new Set(stakingContracts.map(({ chainId }) => String(chainId)))];
  const account = `0x${'ab'.repeat(20)}`;
  for (const { chainId, address: reference, assets } of stakingContracts) {
    const holdings = await composeWith([], chains, [`${node.url}/${chainId}`]);
    for (const { name: asset, read } of assets) {
      const question = { chain: `evm:${chainId}`, standard: 'staking', reference, account, needs: 'amount' as const };
      const [answer] = await holdings.read([{ ...question, details: { asset } }]);
      assert.equal(answer?.kind, 'unknown');
      assert.ok(node.calls.at(-1)?.includes(toFunctionSelector(read).slice(2)), `${asset}: ${read}`);
    }
  }
});

/** A node of the chain in its path, with one block and no contracts. */
async function startEvmNode(t: TestContext) {
  const calls: string[] = [];
  const block = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: '0x1' };
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await request.toArray()).join(''));
    if (method === 'eth_call') calls.push(JSON.stringify(params));
    const result = method === 'eth_chainId' ? `0x${Number(request.url?.slice(1)).toString(16)}` : block;
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'eth_call' ? { error: { code: 3 } } : { result }) }),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
