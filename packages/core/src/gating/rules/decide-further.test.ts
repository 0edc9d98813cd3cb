import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HeldToken, Question } from '../../ports/index.ts';
import { decide, readRule } from './index.ts';
import { a, b, contract, down, erc20, evm, look, now, read, vault } from './testing.ts';

describe('evaluating delegated wallets', () => {
  const rule = { ...erc20, variables: { _delegation: true } };
  const vaults = (...ids: string[]) =>
    read(
      String(ids.length),
      ids.map((id) => ({ id, amount: '1' })),
    );

  test('what a vault holds counts for the wallet it delegated to', async () => {
    const answer = (question: Question) => {
      if (question.standard === 'delegate') return vaults(vault);
      return read(question.account === vault ? '1' : '0');
    };
    const decision = await look(rule, evm(a), answer);
    assert.equal(decision.truth, 'true');
    assert.match(JSON.stringify(decision.reason), new RegExp(`"wallet":"${a}","vault":"${vault}"`));
  });

  test('without delegation no vaults are read', async () => {
    await look(erc20, evm(a), ({ standard }) => {
      assert.equal(standard, 'erc20');
      return read('0');
    });
  });

  test('unreadable vaults remove nothing', async () => {
    const unread = (own: string) => (question: Question) => (question.standard === 'delegate' ? down : read(own));
    assert.equal((await look(rule, evm(a), unread('0'))).truth, 'unknown');
    assert.equal((await look(rule, evm(a), unread('1'))).truth, 'true');
  });

  test('the vaults that delegated first count, so that they cannot be displaced or hidden behind many empty ones', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `0x${index.toString(16).padStart(40, 'd')}`);
    const answer = (rich: string) => (question: Question) =>
      question.standard === 'delegate' ? vaults(...many, ...many) : read(question.account === rich ? '1' : '0');
    assert.equal((await look(rule, evm(a), answer(many[19] ?? ''))).truth, 'true');
    assert.equal((await look(rule, evm(a), answer(many[20] ?? ''))).truth, 'false');
  });
});

describe('evaluating a Safe', () => {
  const safe = (owners?: unknown) => ({
    asset: `evm:1/gnosis:${contract}`,
    variables: owners ? { _owners: owners } : {},
  });
  const owners = (list: string[]) => (question: Question) => {
    const place = list.indexOf(question.account);
    return place < 0 ? read('0', []) : read('1', [{ id: String(place), amount: '1' }]);
  };

  test('any owner, the first owner, or a number of them', async () => {
    const cases: [unknown, string[], string][] = [
      [undefined, [b], 'true'],
      ['any', [vault], 'false'],
      ['first', [a], 'true'],
      ['first', [b], 'false'],
      [{ atLeast: 2 }, [a], 'false'],
      [{ atLeast: 2 }, [a, b], 'true'],
    ];
    for (const [policy, wallets, truth] of cases) {
      assert.equal((await look(safe(policy), evm(...wallets), owners([a, b]))).truth, truth, JSON.stringify(policy));
    }
  });

  test('an owner without a position may be the first', async () => {
    assert.equal((await look(safe('first'), evm(a), () => read('1'))).truth, 'unknown');
  });
});

describe('evaluating token metadata', () => {
  const filter = { filters: [{ traits: [{ trait_type: 'hat', value: 'crown' }] }] };
  const rule = { asset: `evm:1/ERC721:${contract}`, query: '#ownsTraits', variables: { _filter: filter } };
  const crown = { id: '1', amount: '1', metadata: { attributes: { hat: 'crown' } } };

  test('metadata is read, and a token without any leaves the result undecided', async () => {
    const answer =
      (...tokens: HeldToken[]) =>
      (question: Question) => {
        assert.equal(question.needs, 'metadata');
        return read(String(tokens.length), tokens);
      };
    assert.equal((await look(rule, evm(a), answer(crown))).truth, 'true');
    assert.equal((await look(rule, evm(a), answer())).truth, 'false');
    assert.equal((await look(rule, evm(a), answer({ id: '2', amount: '1' }))).truth, 'unknown');
    assert.equal((await look(rule, evm(a), answer(crown, { id: '2', amount: '1' }))).truth, 'true');
  });

  test('a query sees the assets of one wallet, or of all together', async () => {
    const query = { asset: `evm:1/ERC721:${contract}`, query: '$count($[0].tokens) >= 2 and $eq($[0].balance, 2)' };
    const answer = ({ account }: Question) => read('1', [{ id: account, amount: '1' }]);
    assert.equal((await look(query, evm(a, b), answer)).truth, 'false');
    assert.equal((await look({ ...query, variables: { _sumWallets: true } }, evm(a, b), answer)).truth, 'true');
  });

  test('a query that fails decides nothing', async () => {
    const endless = { ...rule, query: '($f := function($x) { $f($x) }; $f(1))' };
    const decision = await look(endless, evm(a), () => read('1', [crown]));
    assert.equal(decision.truth, 'unknown');
    assert.match(JSON.stringify(decision.reason), /takes too long/);
  });

  test('a social profile is read from the account there', async () => {
    const twitter = {
      scheme: 'twitter',
      variables: { _filter: { filters: [{ traits: [{ trait_type: 'followers_count', value: '$ >= 100' }] }] } },
    };
    const answer = (question: Question) => {
      assert.equal(`${question.chain} ${question.account}`, 'twitter:twitter 42');
      return read('1', [{ id: '42', amount: '1', metadata: { followers_count: '150' } }]);
    };
    assert.equal((await look(twitter, [{ namespace: 'twitter', address: '42' }], answer)).truth, 'true');
  });
});

describe('evaluating guest passes and roles', () => {
  const pass = 'DIS#COMM#1:pass-1:1001';
  const guest = {
    scheme: 'VC',
    variables: { _filter: { filters: [{ traits: [{ trait_type: 'pass', value: pass }] }] } },
  };

  test('a guest pass counts without any wallet', async () => {
    const decided = async (guestPasses?: string[]) =>
      (await decide(readRule(guest), { now, wallets: [], answers: new Map(), ...(guestPasses && { guestPasses }) }))
        .truth;
    assert.equal(await decided([pass]), 'true');
    assert.equal(await decided(['DIS#COMM#1:pass-2:1001']), 'false');
    assert.equal(await decided([]), 'false');
    assert.equal(await decided(), 'unknown');
  });

  test('a composition follows the roles that a member holds', async () => {
    const rule = readRule({
      scheme: 'role_composition',
      roleId: '9',
      variables: { roleComposition: { action: 'add', operator: 'and', condition: { '1': true, '2': false } } },
    });
    const decided = async (memberRoles?: string[]) =>
      (await decide(rule, { now, wallets: [], answers: new Map(), ...(memberRoles && { memberRoles }) })).truth;
    assert.equal(await decided(['1']), 'true');
    assert.equal(await decided(['1', '2']), 'false');
    assert.equal(await decided(), 'unknown');
  });
});
