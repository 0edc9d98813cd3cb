import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { AppError } from '@latchkey/kernel';
import { EgressFailed } from '../../ports/index.ts';
import { mallory, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { knownTokens } from '../known-tokens/index.ts';
import { admin, erc20Rule, type Guild, setUpGuild, token } from '../role-changes/testing/index.ts';
import { getContractAbi } from './contract-abi.ts';
import { describeContract } from './describe-contract.ts';
import { findTokens } from './find-tokens.ts';
import { listHeldTokens } from './held-tokens.ts';

const nft = '0x00000000000000000000000000000000000000bb';
const vault = '0x00000000000000000000000000000000000000cc';
const bonk = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';

describe('contracts in the rule builder', () => {
  let t: TestPlatform;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('contracts');
    t.tokenMetadata.set('evm:1', token, {
      kind: 'read',
      metadata: { standard: 'erc20', name: 'Cat <b>Coin</b>', symbol: 'CAT', decimals: 18 },
    });
    t.tokenMetadata.set('evm:1', nft, { kind: 'read', metadata: { standard: 'erc721', name: 'Cats' } });
    for (const contract of [token, nft, vault]) t.tokenMetadata.setCode('evm:1', contract, true);
  });
  after(() => t.close());
  beforeEach(async () => {
    guild = await setUpGuild(t, { members: 5, rules: [erc20Rule('gold')] });
    for (let member = 0; member < 5; member += 1) guild.hold(member, member < 3 ? '5' : '0');
    await guild.resync();
  });

  const asAdmin = () => t.as(admin);
  const facts = (
    type: string,
    contractAddress: string,
    more: { chainId?: number; tokenId?: string } = { chainId: 1 },
  ) => describeContract(asAdmin(), { communityId: guild.id, type, contractAddress, ...more });

  it('are described with their name, symbol and standard and the members who hold them', async () => {
    assert.deepEqual(await facts('ERC20', token), {
      chainName: 'Ethereum',
      standard: 'ERC20',
      name: 'Cat bCoin/b',
      symbol: 'CAT',
      decimals: 18,
      holders: 3,
      checkedMembers: 5,
      problems: [],
    });
    const { standard, problems } = await facts('CUSTOM_ABI', vault);
    assert.deepEqual([standard, problems], [undefined, []]);
  });

  it('say in words why a condition about them cannot be decided, as the health of a rule does', async () => {
    const other = await facts('ERC20', nft);
    assert.equal(other.standard, 'ERC721');
    assert.deepEqual(
      other.problems.map(({ code }) => code),
      ['standard'],
    );
    assert.equal(other.holders, undefined);
    t.tokenMetadata.setCode('evm:1', `0x${'1'.repeat(40)}`, false);
    const [empty] = (await facts('ERC20', `0x${'1'.repeat(40)}`)).problems;
    assert.match(empty?.message ?? '', /^There is no contract at .* on Ethereum\.$/);
    assert.match((await facts('ERC20', 'not an address')).problems[0]?.message ?? '', /0x followed by 40/);
    t.tokenMetadata.unread.add('evm:5');
    t.holdings.unread.add('evm:5');
    assert.equal((await facts('ERC20', token, { chainId: 5 })).problems[0]?.code, 'no-reader');
  });

  it('count only members whose wallets could be read', async () => {
    t.holdings.fail('evm:1', 'The node is down.');
    const { holders, checkedMembers, problems } = await facts('ERC20', token);
    t.holdings.fail('evm:1', undefined);
    assert.deepEqual([holders, checkedMembers, problems], [undefined, undefined, []]);
  });

  it('are counted for the token search and listed page by page, without names of members', async () => {
    const at = { chain: 'evm:1', since_number: 0 };
    const followed = { chain: 'evm:1', number: 1, hash: '0x01', followed_at: t.services.clock() };
    await t.services.db.system.insertInto('followed_chains').values(followed).execute();
    for (const reference of [token, nft])
      await t.services.db.system
        .insertInto('followed_contracts')
        .values({ ...at, reference })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const hold = (member: number, reference: string, standard: string, amount: string) =>
      t.services.db.pool.query(
        `insert into read_holdings (chain, reference, account, variant, answer, block_number, read_at)
         values ('evm:1', $1, $2, $3, $4, 1, $5)`,
        [
          reference,
          guild.walletOf(member),
          JSON.stringify([standard, 'amount', null, null]),
          JSON.stringify({ kind: 'read', amount }),
          t.services.clock(),
        ],
      );
    await hold(0, token, 'erc20', '5');
    await hold(1, token, 'erc20', '0.50');
    await hold(2, token, 'erc20', '0');
    await hold(2, nft, 'erc721', '2');
    const first = await listHeldTokens(asAdmin(), { communityId: guild.id, limit: 1 });
    const { paginationToken } = first;
    const second = await listHeldTokens(asAdmin(), { communityId: guild.id, limit: 1, paginationToken });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ type, contractAddress, holders }) => [type, contractAddress, holders]),
      [
        ['ERC20', token, 2],
        ['ERC721', nft, 1],
      ],
    );
    assert.equal(second.paginationToken, undefined);
    const found = await findTokens(asAdmin(), { communityId: guild.id, search: token, chainId: 1 });
    assert.deepEqual(
      found.tokens.map(({ holders }) => holders),
      [2],
    );
    const stranger = await setUpGuild(t, { members: 1 });
    assert.deepEqual((await listHeldTokens(asAdmin(), { communityId: stranger.id })).items, []);
  });

  it('are found by name in the bundled index, on EVM chains and on Solana', async () => {
    const names = async (search: string, type?: string) => {
      const { tokens } = await findTokens(asAdmin(), { communityId: guild.id, search, type });
      return tokens.map((found) => `${found.type} ${found.name} ${found.chainName}`);
    };
    assert.equal((await names('BoredApeYacht'))[0], 'ERC721 BoredApeYachtClub Ethereum');
    assert.ok((await names('samoyed')).some((name) => name.startsWith('SOLANA_FT Samoyed')));
    assert.ok((await names('samoyed', 'ERC20')).every((name) => name.startsWith('ERC')));
    assert.deepEqual(await names(bonk, 'SOLANA_FT'), ['SOLANA_FT undefined Solana']);
    assert.ok(knownTokens('solana:mainnet-beta').length > 200);
  });

  it('have their functions read from Sourcify, and a note where that fails', async () => {
    const abi = [
      { type: 'function', name: 'shares', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
      { type: 'event', name: 'Moved' },
    ];
    const read = () => getContractAbi(asAdmin(), { communityId: guild.id, chainId: 1, contractAddress: vault });
    const json = (status: number, body: unknown) =>
      t.answer(() => ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }));
    json(200, { abi });
    assert.deepEqual(JSON.parse((await read()).abi ?? ''), abi.slice(0, 1));
    assert.equal(t.requests.at(-1)?.url, `https://sourcify.dev/server/v2/contract/1/${vault}?fields=abi`);
    json(404, {});
    assert.match((await read()).note ?? '', /not verified on Sourcify for Ethereum\. Paste the ABI/);
    for (const body of [{ abi: 'none' }, [], null]) {
      json(200, body);
      assert.match((await read()).note ?? '', /did not return the ABI/);
    }
    json(200, { abi: Array.from({ length: 900 }, () => ({ ...abi[0], note: 'x'.repeat(1000) })) });
    assert.match((await read()).note ?? '', /too large/);
    t.answer(() => {
      throw new EgressFailed('timeout', 'It took too long.');
    });
    assert.match((await read()).note ?? '', /could not be reached/);
  });

  it('are for admins of the community', async () => {
    const communityId = guild.id;
    const stranger = t.as(mallory);
    const refused = (error: unknown) => error instanceof AppError;
    await assert.rejects(listHeldTokens(stranger, { communityId }), refused);
    await assert.rejects(getContractAbi(stranger, { communityId, chainId: 1, contractAddress: vault }), refused);
    await assert.rejects(describeContract(stranger, { communityId, type: 'ERC20', contractAddress: token }), refused);
  });
});
