import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor, AppError } from '@latchkey/kernel';
import { newUser } from '../../communities/community/testing.ts';
import type { NameAnswer } from '../../ports/index.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { checkRoles } from './check-roles.ts';
import { caller, coin, erc20, link, newAccount, other } from './testing.ts';

/** The test wallet does not verify checksums; this address is treated as one with a typo. */
const wrongLetter = `0x${'Ab'.repeat(20)}`;

describe('checking roles', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('access-control');
    const { evm } = t.services.wallets;
    const normalizeAddress = (address: string, chain: string) =>
      address === wrongLetter ? undefined : evm.normalizeAddress(address, chain);
    t.services.wallets = { ...t.services.wallets, evm: { ...evm, normalizeAddress } };
  });
  after(() => t.close());

  const hold = (account: string, reference: string, amount: string) =>
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference, account }, amount);
  const check = (body: Parameters<typeof checkRoles>[1]['body'], actor: Actor = caller) =>
    checkRoles(t.as(actor), { body });

  test('roles are granted by what the account holds', async () => {
    const account = newAccount();
    hold(account, coin, '2.5');
    const rules = [erc20(coin, 'rich', { minToken: '2.5' }), erc20(coin, 'richer', { minToken: '2.51' })];
    assert.deepEqual(await check({ account, rules }), {
      roles: [
        { id: 'rich', granted: true },
        { id: 'richer', granted: false },
      ],
      errors: [],
    });
  });

  test('a picture string in a query is refused, and the queries of a request share one budget', async () => {
    const account = newAccount();
    const asking = (roleId: string, query: string) => ({ ...erc20(coin, roleId), query });
    const picture = `$toMillis("${'1'.repeat(60)}x", "${'[f]'.repeat(25)}") > 0`;
    await assert.rejects(check({ account, rules: [asking('a', picture)] }), { code: 'VALIDATION_FAILED' });
    const slow = '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })';
    const many = Array.from({ length: 30 }, (_, index) => asking(String(index), slow));
    const { roles, errors = [] } = await check({ account, rules: [asking('good', '$[0].balance = "0"'), ...many] });
    assert.deepEqual(roles, [{ id: 'good', granted: true }]);
    assert.equal(errors.length, 30);
    assert.ok(errors.filter(({ message }) => message === 'The query takes too long.').length <= 11);
    assert.ok(errors.some(({ message }) => message === 'The queries of this request take too long.'));
  });

  test('any rule of a role is enough', async () => {
    const account = newAccount();
    hold(account, other, '1');
    const { roles } = await check({ account, rules: [erc20(coin, 'a'), erc20(other, 'a'), erc20(coin, 'b')] });
    assert.deepEqual(roles, [
      { id: 'a', granted: true },
      { id: 'b', granted: false },
    ]);
  });

  test('an undecided role is neither granted nor refused, and the reason is given', async () => {
    const account = newAccount();
    const onPolygon = erc20(coin, 'open', { chainId: 137, id: 'rule-1' });
    t.holdings.fail('evm:137', 'The node is down.');
    try {
      const { roles, errors } = await check({ account, rules: [onPolygon, erc20(coin, 'closed')] });
      assert.deepEqual(roles, [{ id: 'closed', granted: false }]);
      assert.equal(errors?.length, 1);
      const [{ roleId, ruleId, code, message } = {}] = errors ?? [];
      assert.deepEqual([roleId, ruleId, code, message], ['open', 'rule-1', 'UNDECIDED', 'The node is down.']);
    } finally {
      t.holdings.fail('evm:137', undefined);
    }
    // Unknown results are not cached.
    assert.deepEqual((await check({ account, rules: [onPolygon] })).roles, [{ id: 'open', granted: false }]);
  });

  test('roles follow from roles of the same request', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    const composition = { action: 'add', roleId: 'vip', operator: 'and', condition: { member: true, banned: false } };
    const rules = [
      { scheme: 'role_composition', roleId: 'vip', variables: { roleComposition: composition } },
      erc20(coin, 'member'),
    ];
    assert.deepEqual((await check({ account, rules })).roles, [
      { id: 'member', granted: true },
      { id: 'vip', granted: true },
    ]);
  });

  test('amounts may be numbers', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    const rules = [
      erc20(coin, 'one', { minToken: 1 }),
      erc20(coin, 'half', { minToken: 0.5, maxToken: 1 }),
      erc20(coin, 'two', { minToken: 2 }),
      erc20(coin, 'many', { minToken: 1e21 }),
    ];
    assert.deepEqual((await check({ account, rules })).roles, [
      { id: 'one', granted: true },
      { id: 'half', granted: true },
      { id: 'two', granted: false },
      { id: 'many', granted: false },
    ]);
    await assert.rejects(check({ account, rules: [erc20(coin, 'less', { minToken: -1 })] }), {
      code: 'VALIDATION_FAILED',
    });
  });

  test('an account may be written with its chain', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    for (const spelling of [`evm:1:${account}`, `eip155:137:${account}`, account.toUpperCase().replace('0X', '0x')]) {
      const { roles } = await check({ account: spelling, rules: [erc20(coin, 'r')] });
      assert.deepEqual(roles, [{ id: 'r', granted: true }], spelling);
    }
    t.holdings.set({ chain: 'near:mainnet', standard: 'nep141', reference: 'x.near', account: 'alice.near' }, '1');
    for (const spelling of ['alice.near', 'near:mainnet:alice.near']) {
      const rules = [{ type: 'NEP141', contractAddress: 'x.near', roleId: 'r' }, erc20(coin, 's')];
      assert.deepEqual((await check({ account: spelling, rules })).roles, [
        { id: 'r', granted: true },
        { id: 's', granted: false },
      ]);
    }
  });

  test('an unreadable account is refused with the reason, and never checked against a rule', async () => {
    const holder = newAccount();
    hold(holder, coin, '1');
    const refusals: [account: string, message: RegExp][] = [
      ['foo', /0x followed by 40 hex digits/],
      ['0x123', /0x followed by 40 hex digits/],
      [`${holder}0`, /0x followed by 40 hex digits/],
      ['vitalik.eth', /does not resolve names/],
      ['evm:1:vitalik.eth', /does not resolve names/],
      ['evm:1:foo', /0x followed by 40 hex digits/],
      [`nowhere:mainnet:${holder}`, /Unknown chain: nowhere:mainnet/],
      ['   ', /0x followed by 40 hex digits/],
      [wrongLetter, /EIP-55/],
    ];
    for (const [account, message] of refusals)
      for (const rules of [[erc20(coin, 'r')], [erc20(coin, 'r', { chainId: 137 }), erc20(other, 's')]])
        await assert.rejects(check({ account, rules }), (error: AppError) => {
          assert.equal(error.code, 'VALIDATION_FAILED', account);
          assert.equal(Object(Object(error.details)[0]).path, '/account', account);
          assert.match(error.message, message, account);
          return true;
        });
  });

  test('space around an account is not part of it', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    for (const spelling of [` ${account}`, `${account}\n`, ` evm:1: ${account} `])
      assert.deepEqual((await check({ account: spelling, rules: [erc20(coin, 'r')] })).roles, [
        { id: 'r', granted: true },
      ]);
  });

  test('an account with its chain counts on that chain alone', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    for (const spelling of [`twitter:twitter:${account}`, `near:mainnet:${account}`])
      assert.deepEqual((await check({ account: spelling, rules: [erc20(coin, 'r')] })).roles, [
        { id: 'r', granted: false },
      ]);
  });

  test('an Ethereum address is unknown on other chains, even where one would accept it', async () => {
    const rules = [{ type: 'NEP141', contractAddress: 'x.near', roleId: 'near' }, erc20(coin, 'evm')];
    const { roles, errors } = await check({ account: '0x123', rules });
    assert.deepEqual(roles, [{ id: 'near', granted: false }]);
    assert.deepEqual(
      errors?.map(({ roleId, code }) => [roleId, code]),
      [['evm', 'UNDECIDED']],
    );
    assert.match(String(errors?.[0]?.message), /0x followed by 40 hex digits/);
  });

  test('a name is resolved where the server can, and is undecided while it cannot', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    const answers: Record<string, NameAnswer> = {
      'rich.eth': { kind: 'found', address: account },
      'nobody.eth': { kind: 'none', reason: 'Nobody has this name.' },
    };
    const names = {
      namespace: 'evm',
      resolve: async (name: string): Promise<NameAnswer> =>
        answers[name] ?? { kind: 'unknown', reason: 'The names cannot be asked.' },
    };
    const ask = (name: string) =>
      checkRoles({ ...t.as(caller), names }, { body: { account: name, rules: [erc20(coin, 'r')] } });
    assert.deepEqual((await ask('rich.eth')).roles, [{ id: 'r', granted: true }]);
    await assert.rejects(ask('nobody.eth'), /Nobody has this name/);
    const { roles, errors } = await ask('later.eth');
    assert.deepEqual([roles, errors?.[0]?.message], [[], 'The names cannot be asked.']);
  });

  test('results are cached for some seconds, also for concurrent callers', async () => {
    const account = newAccount();
    hold(account, coin, '1');
    const before = t.holdings.requests.length;
    const body = { account, rules: [erc20(coin, 'a'), erc20(coin, 'b', { minToken: '2' })] };
    await Promise.all([check(body), check(body), check(body)]);
    await check(body);
    assert.equal(t.holdings.requests.length - before, 1);
    hold(account, coin, '2');
    t.advanceSeconds(16);
    assert.deepEqual((await check(body)).roles?.[1], { id: 'b', granted: true });
  });

  test('a list of token ids is fetched through egress', async () => {
    const account = newAccount();
    const rule = { type: 'ERC721', chainId: 1, contractAddress: coin, tokenId: 'https://lists.example/a', roleId: 'r' };
    t.holdings.give({ chain: 'evm:1', standard: 'erc721', reference: coin, account }, [{ id: '7', amount: '1' }]);
    t.answer(() => ({ status: 500, headers: {}, body: new Uint8Array() }));
    assert.match(String((await check({ account, rules: [rule] })).errors?.[0]?.message), /list of token ids/);
    t.answer(() => ({ status: 200, headers: {}, body: new TextEncoder().encode('6\n7\n') }));
    assert.deepEqual((await check({ account, rules: [rule] })).roles, [{ id: 'r', granted: true }]);
    const sent = t.requests.length;
    await check({ account, rules: [rule] });
    assert.equal(t.requests.length, sent);
  });

  test('a rule error names its location', async () => {
    await assert.rejects(
      check({
        account: newAccount(),
        rules: [erc20(coin, 'a'), { type: 'ERC1155', chainId: 1, contractAddress: coin }],
      }),
      {
        code: 'VALIDATION_FAILED',
        details: [
          {
            path: '/rules/1/tokenId',
            code: 'required',
            message: 'rules of type ERC1155 must list the token ids that count.',
          },
        ],
      },
    );
    await assert.rejects(check({ rules: [] }), { code: 'VALIDATION_FAILED' });
    await assert.rejects(check({ account: 'evm:1:0x12', rules: [] }), { code: 'VALIDATION_FAILED' });
  });

  test('requests that take too many reads are refused before anything is read', async () => {
    const before = t.holdings.requests.length;
    const rules = Array.from({ length: 100 }, (_, index) =>
      erc20(`0x${index.toString(16).padStart(40, '0')}`, 'a', { variables: { _delegation: true } }),
    );
    await assert.rejects(check({ account: newAccount(), rules }), /need up to 2200 reads/);
    assert.equal(t.holdings.requests.length, before);
  });

  test('a signed-in user may check their own wallets', async () => {
    const user = newUser();
    const account = newAccount();
    await link(t, user.userId, account);
    hold(account, coin, '1');
    assert.deepEqual((await check({ rules: [erc20(coin, 'r')] }, user)).roles, [{ id: 'r', granted: true }]);
  });
});
