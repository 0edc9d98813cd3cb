import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '@latchkey/kernel';
import { alice, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { knownTokens } from '../known-tokens/index.ts';
import { chainIdOf, evmNetworks } from './networks.ts';
import { getNetworkConfigs } from './operations.ts';
import { getEvmTokens, listToken, noteTokens, unlistToken } from './tokens.ts';

const coin = `0x${'c0'.repeat(20)}`;
const cats = `0x${'ca'.repeat(20)}`;
const week = 7 * 24 * 60 * 60;

describe('EVM chains', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('evm');
  });
  after(() => t.close());

  function refusal(code: ErrorCode) {
    return (error: unknown) => error instanceof AppError && error.code === code;
  }

  it('are each listed once, by id and by unique names', () => {
    const ids = evmNetworks.map(({ chainId }) => chainId);
    const names = evmNetworks.flatMap((network) => network.names);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.every((name) => name === name.toLowerCase() && !/^\d/.test(name)));
    for (const { explorers } of evmNetworks) assert.ok(explorers.every((url) => URL.canParse(url)));
    assert.deepEqual(['mainnet', 'Polygon', '2020', '31337'].map(chainIdOf), [1, 137, 2020, 31337]);
    assert.deepEqual(['', '0', '01', 'nowhere', '1e3', '-1', '__proto__'].map(chainIdOf), Array(7).fill(undefined));
  });

  it('that are not configured are marked, and only public URLs are shown', () => {
    const settings = {
      ...t.services.settings,
      evmChains: [
        { chainId: 1, publicRpcUrls: ['https://rpc.example'] },
        { chainId: 31337, publicRpcUrls: [] },
      ],
    };
    const configs = getNetworkConfigs({ settings });
    const byId = (chainId: number) => configs.find((config) => config.chainId === chainId);
    assert.deepEqual(
      [byId(1)?.hidden, byId(1)?.rpcs, byId(1)?.names?.[0]],
      [false, ['https://rpc.example'], 'mainnet'],
    );
    assert.deepEqual([byId(137)?.hidden, byId(137)?.rpcs], [true, []]);
    assert.deepEqual([byId(31337)?.hidden, byId(31337)?.names], [false, ['31337']]);
    assert.ok(getNetworkConfigs(t.services).every(({ hidden, rpcs }) => hidden === true && rpcs?.length === 0));
  });

  it('list the tokens that rules and the operator name, with their on-chain metadata', async () => {
    const now = t.services.clock();
    const named = [
      { chain: 'evm:137', standard: 'erc20', contract: coin.toUpperCase().replace('0X', '0x') },
      { chain: 'evm:137', standard: 'erc20', contract: coin },
      { chain: 'evm:137', standard: 'safe', contract: `0x${'5a'.repeat(20)}` },
      { chain: 'solana:mainnet-beta', standard: 'spl', contract: 'So11111111111111111111111111111111111111112' },
      { chain: 'evm:137', standard: 'erc721', contract: 'not-an-address' },
    ];
    await noteTokens(t.services.db.system, named, now);
    t.tokenMetadata.set('evm:137', coin, {
      kind: 'read',
      metadata: { standard: 'erc20', name: 'Coin', symbol: 'COIN', decimals: 6 },
    });
    await listToken(t.as(operator), { network: 'polygon', address: cats, icon: 'https://cats.example/icon.png' });
    t.tokenMetadata.set('evm:137', cats, { kind: 'unknown', reason: 'The node is down.' });
    const tokens = await getEvmTokens(t.as(nobody), { network: 'polygon' });
    const byAddress = (address: string) => tokens.find((token) => token.address === address);
    assert.deepEqual(
      tokens.slice(0, 2).map(({ address }) => address),
      [coin, cats].toSorted(),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(byAddress(coin))), {
      address: coin,
      contractName: 'Coin',
      tokenName: 'Coin',
      tokenSymbol: 'COIN',
      tokenType: 'ERC20',
      decimals: 6,
    });
    assert.deepEqual([byAddress(cats)?.icon, byAddress(cats)?.tokenType], ['https://cats.example/icon.png', undefined]);
  });

  it('list well-known tokens before any rule names one, each once, and without reading the chain', async () => {
    const requested = t.tokenMetadata.requests.length;
    const tokens = await getEvmTokens(t.as(nobody), { network: '1' });
    assert.equal(t.tokenMetadata.requests.length, requested);
    assert.deepEqual(JSON.parse(JSON.stringify(tokens.find(({ tokenSymbol }) => tokenSymbol === 'WETH'))), {
      address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
      contractName: 'Wrapped Ether',
      tokenName: 'Wrapped Ether',
      tokenSymbol: 'WETH',
      tokenType: 'ERC20',
      decimals: 18,
    });
    for (const { chainId } of evmNetworks) {
      const known = knownTokens(`evm:${chainId}`).map(({ address }) => address);
      assert.equal(new Set(known).size, known.length);
      assert.ok(known.every((address) => /^0x[0-9a-f]{40}$/.test(address)));
    }
  });

  it('list a well-known token with its on-chain metadata once a rule names it', async () => {
    const [known] = knownTokens('evm:42161');
    assert.ok(known);
    const token = { chain: 'evm:42161', standard: 'erc20', contract: known.address };
    t.tokenMetadata.set('evm:42161', known.address, { kind: 'read', metadata: { standard: 'erc20', name: 'Own' } });
    await noteTokens(t.services.db.system, [token], t.services.clock());
    const tokens = await getEvmTokens(t.as(nobody), { network: 'arbitrum' });
    assert.deepEqual([tokens[0]?.address, tokens[0]?.tokenName], [known.address, 'Own']);
    assert.equal(tokens.length, knownTokens('evm:42161').length);
  });

  it('are read once per token, however many callers there are, and again after a while', async () => {
    const token = `0x${'11'.repeat(20)}`;
    await noteTokens(
      t.services.db.system,
      [{ chain: 'evm:10', standard: 'erc721', contract: token }],
      t.services.clock(),
    );
    t.tokenMetadata.set('evm:10', token, { kind: 'unknown', reason: 'The node is down.' });
    const request = () => t.tokenMetadata.requests.filter((key) => key === `evm:10/${token}`).length;
    const ask = () => getEvmTokens(t.as(nobody), { network: 'optimism' });
    const all = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.equal(request(), 1);
    assert.ok(all.every(([first]) => first?.tokenType === 'ERC721'));
    t.advanceSeconds(299);
    await ask();
    assert.equal(request(), 1);
    t.tokenMetadata.set('evm:10', token, { kind: 'read', metadata: { standard: 'erc721', name: 'Late' } });
    t.advanceSeconds(1);
    assert.equal((await ask())[0]?.tokenName, 'Late');
    t.advanceSeconds(week - 1);
    await ask();
    assert.equal(request(), 2);
    t.advanceSeconds(1);
    await ask();
    assert.equal(request(), 3);
  });

  it('that are not configured are not read, and their tokens are listed as rules describe them', async () => {
    t.tokenMetadata.unread.add('evm:56');
    await noteTokens(
      t.services.db.system,
      [{ chain: 'evm:56', standard: 'erc1155', contract: cats }],
      t.services.clock(),
    );
    const [token] = await getEvmTokens(t.as(nobody), { network: 'bsc' });
    assert.deepEqual([token?.address, token?.tokenType], [cats, 'ERC1155']);
    assert.ok(!t.tokenMetadata.requests.some((key) => key.startsWith('evm:56/')));
  });

  it('do not exist under unknown names', async () => {
    for (const network of ['nowhere', '999999'])
      await assert.rejects(getEvmTokens(t.as(nobody), { network }), refusal('ENTITY_NOT_FOUND'), network);
  });

  it('have a token list that only the operator can change', async () => {
    const token = { network: 'base', address: cats };
    await assert.rejects(listToken(t.as(alice), token), refusal('ROLE_NOT_ALLOWED'));
    await assert.rejects(unlistToken(t.as(alice), token), refusal('ROLE_NOT_ALLOWED'));
    await assert.rejects(listToken(t.as(operator), { ...token, address: '0x1' }), refusal('INVALID_PARAMETER_VALUE'));
    await assert.rejects(unlistToken(t.as(operator), token), refusal('ENTITY_NOT_FOUND'));
    const listed = async () => (await getEvmTokens(t.as(nobody), { network: 'base' })).map(({ address }) => address);
    const known = await listed();
    await listToken(t.as(operator), token);
    assert.deepEqual(await listed(), [cats, ...known]);
    await unlistToken(t.as(operator), token);
    assert.deepEqual(await listed(), known);
    const [first = ''] = known;
    await unlistToken(t.as(operator), { network: 'base', address: first });
    assert.deepEqual(await listed(), known.slice(1));
    await noteTokens(
      t.services.db.system,
      [{ chain: 'evm:8453', standard: 'erc20', contract: first }],
      t.services.clock(),
    );
    assert.deepEqual(await listed(), known);
  });
});
