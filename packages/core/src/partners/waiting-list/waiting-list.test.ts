import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { newUser } from '../../communities/community/testing.ts';
import type { RegistryAnswer } from '../../ports/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeOldGrants } from './jobs.ts';
import {
  getQuote,
  getWaitingListMetadata,
  inviteToWaitingList,
  isRegistered,
  type PaymasterData,
  registerKol,
  verifyPolicies,
  waitingListSigner,
} from './operations.ts';

const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const [list, other] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
const [allowed, method] = [`0x${'c'.repeat(40)}`, '0x12345678'];
const secret = 'shared with the paymaster';

describe('the waiting list', () => {
  let t: TestPlatform;
  let services: Services;
  let onChain: (place: { chainId: number; userIdHash: string }) => RegistryAnswer;
  before(async () => {
    t = await testPlatform('waiting-list');
    const partners = {
      waitingList: {
        contracts: [
          { chainId: 31337, address: list },
          { chainId: 10, address: other },
        ],
        priceWei: 10n ** 18n,
        quoteTtlSeconds: 900,
      },
      paymaster: {
        secrets: [secret],
        calls: [
          { chainId: 31337, address: allowed, selector: method },
          { chainId: 10, address: allowed },
        ],
        maxValueWei: 100n,
        transactionsPerDay: 3,
        totalPerDay: 1_000,
      },
    };
    onChain = () => ({ kind: 'read', isRegistered: false });
    services = {
      ...t.services,
      settings: { ...t.services.settings, partners },
      waitingList: { ...t.services.waitingList, readRegistered: async (place) => onChain(place) },
    };
  });
  after(() => t.close());
  const as = (actor: Actor): Context => contextFor(services, actor);

  test('a quote is valid for one user, one contract and one chain, and expires', async () => {
    const quote = await getQuote(as(alice), {});
    const expiresAt = t.services.clock().getTime() / 1000 + 900;
    assert.deepEqual(
      [quote.price, quote.expiresAt, quote.chainId, quote.contractAddress],
      ['1000000000000000000', expiresAt, 31337, list],
    );
    assert.match(quote.userIdHash ?? '', /^0x[0-9a-f]{64}$/);
    const elsewhere = await getQuote(as(alice), { chainId: 10 });
    assert.deepEqual([elsewhere.contractAddress, elsewhere.userIdHash], [other, quote.userIdHash]);
    assert.notEqual(elsewhere.signature, quote.signature);
    assert.notEqual((await getQuote(as(mallory), {})).userIdHash, quote.userIdHash);
    await assert.rejects(getQuote(as(alice), { chainId: 1 }), refused('INVALID_PARAMETER_VALUE'));
    await using elsewhereServer = await testPlatform('another server');
    const foreign = contextFor({ ...services, db: elsewhereServer.services.db }, alice);
    assert.notEqual(
      (await getQuote(foreign, {})).userIdHash,
      quote.userIdHash,
      'the hash reveals nothing to outsiders',
    );
  });

  test('returns an error while none is set up', async () => {
    assert.deepEqual(await getWaitingListMetadata(t.as(nobody)), { isOpen: false, contracts: [] });
    await assert.rejects(getQuote(t.as(alice), {}), refused('NOT_CONFIGURED'));
    await assert.rejects(isRegistered(t.as(alice)), refused('NOT_CONFIGURED'));
  });

  test('its metadata names the contracts, the price and the signer, which the operator can replace', async () => {
    const before = await getWaitingListMetadata(as(nobody));
    assert.equal(before.price, '1000000000000000000');
    assert.deepEqual(before.contracts, [
      { chainId: 31337, contractAddress: list },
      { chainId: 10, contractAddress: other },
    ]);
    assert.equal(before.signer, await waitingListSigner(as(operator), { isReplaced: false }));
    const quote = await getQuote(as(alice), {});
    const next = await waitingListSigner(as(operator), { isReplaced: true });
    assert.notEqual(next, before.signer);
    assert.equal((await getWaitingListMetadata(as(nobody))).signer, next);
    const later = await getQuote(as(alice), {});
    assert.equal(later.userIdHash, quote.userIdHash, 'those who registered before are still known');
    assert.notEqual(later.signature, quote.signature);
  });

  test('users invited by the operator are accepted without a quote; others are not', async () => {
    const [guest, uninvited] = [newUser(), newUser()];
    await assert.rejects(
      inviteToWaitingList(as(mallory), { userId: mallory.kind === 'user' ? mallory.userId : '', isInvited: true }),
      refused('ROLE_NOT_ALLOWED'),
    );
    await inviteToWaitingList(as(operator), { userId: guest.userId, isInvited: true });
    assert.deepEqual(await Promise.all([as(guest), as(guest), as(uninvited)].map(registerKol)), [true, true, false]);
    assert.deepEqual([await isRegistered(as(guest)), await isRegistered(as(uninvited))], [true, false]);
    await assert.rejects(getQuote(as(guest), {}), refused('STATE_CONFLICT'));
    await inviteToWaitingList(as(operator), { userId: guest.userId, isInvited: false });
    assert.deepEqual([await registerKol(as(guest)), await isRegistered(as(guest))], [false, true]);
  });

  test('users who paid are read from the chain, and remembered when it is unavailable later', async () => {
    const payer = newUser();
    const { userIdHash } = await getQuote(as(payer), {});
    onChain = () => ({ kind: 'unknown', reason: 'No node for chain 31337 responded.' });
    await assert.rejects(isRegistered(as(payer)), refused('UNAVAILABLE'));
    onChain = (place) => ({ kind: 'read', isRegistered: place.chainId === 10 && place.userIdHash === userIdHash });
    assert.deepEqual([await isRegistered(as(payer)), await isRegistered(as(newUser()))], [true, false]);
    onChain = () => ({ kind: 'unknown', reason: 'No node for chain 31337 responded.' });
    assert.equal(await isRegistered(as(payer)), true);
    onChain = () => ({ kind: 'read', isRegistered: false });
  });

  describe('the paymaster', () => {
    let owners = 0;
    const newOwner = () => {
      owners += 1;
      return `0x${owners.toString(16).padStart(40, 'd')}`;
    };
    const ask = (data: PaymasterData) => verifyPolicies(as(nobody), { body: { data: { authToken: secret, ...data } } });
    const call = { to: allowed, value: '0', data: `${method}00` };
    const decision = async (data: PaymasterData) => {
      const answer = await ask(data);
      assert.equal(answer.arePoliciesVerifed, answer.arePoliciesVerified);
      return [answer.arePoliciesVerifed, answer.reason];
    };

    test('pays for calls that the policy allows, and gives the reason when it does not', async () => {
      const owner = newOwner();
      assert.deepEqual((await decision({ chainId: 31337, owner, txs: [call] }))[0], true);
      const cases: [PaymasterData, RegExp][] = [
        [{ chainId: 31337, owner, txs: [{ ...call, to: other }] }, /Transaction 1 calls a contract/],
        [{ chainId: 31337, owner, txs: [call, { ...call, data: '0x87654321' }] }, /Transaction 2 calls a method/],
        [{ chainId: 31337, owner, txs: [{ ...call, data: '0x' }] }, /calls a method/],
        [{ chainId: 31337, owner, txs: [{ ...call, data: 'hello' }] }, /not hexadecimal/],
        [{ chainId: 31337, owner, txs: [{ ...call, value: '101' }] }, /sends more/],
        [{ chainId: 31337, owner, txs: [{ ...call, value: '0xff' }] }, /sends more/],
        [{ chainId: 31337, owner, txs: [{ ...call, value: '-1' }] }, /invalid value/],
        [{ chainId: 31337, owner, txs: [] }, /no transaction/],
        [{ chainId: 1, owner, txs: [call] }, /on this chain/],
        [{ owner, txs: [call] }, /on this chain/],
        [{ chainId: 31337, owner: 'me', txs: [call] }, /owner is no/],
        [{ chainId: 31337, txs: [call] }, /owner is no/],
        [{ chainId: 31337, owner, account: 'x', txs: [call] }, /account is no/],
      ];
      for (const [data, reason] of cases) {
        const [isVerified, why] = await decision(data);
        assert.equal(isVerified, false);
        assert.match(String(why), reason);
      }
      const anyMethod = { chainId: 10, owner: newOwner(), txs: [{ to: allowed.toUpperCase().replace('0X', '0x') }] };
      assert.equal((await decision(anyMethod))[0], true);
    });

    test('pays for a limited number of transactions per owner and day, also concurrently', async () => {
      const owner = newOwner();
      const request = { chainId: 31337, owner, txs: [call] };
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(request)));
      assert.equal(answers.filter((answer) => answer.arePoliciesVerifed === true).length, 3);
      assert.match(
        String((await ask({ ...request, owner: owner.toUpperCase().replace('0X', '0x') })).reason),
        /3 are used/,
      );
      assert.equal((await ask({ ...request, owner: newOwner(), txs: Array(4).fill(call) })).arePoliciesVerifed, false);
      t.advanceSeconds(86_400);
      assert.equal((await ask(request)).arePoliciesVerifed, true);
      t.advanceSeconds(3 * 86_400);
      const run = { id: '1', attempt: 1, signal: new AbortController().signal };
      await removeOldGrants.run(as({ kind: 'system', job: 'test' }), {}, run);
      assert.deepEqual(await services.db.system.selectFrom('paymaster_grants').selectAll().execute(), []);
    });

    test('pays for a limited number of transactions per day in total, for any number of owners', async () => {
      t.advanceSeconds(86_400);
      const { partners } = services.settings;
      const paymaster = partners?.paymaster && { ...partners.paymaster, totalPerDay: 5 };
      const settings = { ...services.settings, partners: { ...partners, ...(paymaster && { paymaster }) } };
      const body = () => ({ data: { chainId: 31337, owner: newOwner(), txs: [call], authToken: secret } });
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => verifyPolicies({ ...as(nobody), settings }, { body: body() })),
      );
      assert.equal(answers.filter((answer) => answer.arePoliciesVerifed === true).length, 5);
      assert.match(String((await verifyPolicies({ ...as(nobody), settings }, { body: body() })).reason), /5 are used/);
    });

    test('answers only those who know the secret', async () => {
      const bare = (data: PaymasterData, ctx = as(nobody)) => verifyPolicies(ctx, { body: { data } });
      await assert.rejects(bare({}), refused('AUTHENTICATION_REQUIRED'));
      await assert.rejects(verifyPolicies(as(nobody), { body: {} }), refused('AUTHENTICATION_REQUIRED'));
      for (const authToken of ['', 'wrong', `${secret} `])
        await assert.rejects(bare({ authToken }), refused('INVALID_CREDENTIAL'));
      await assert.rejects(bare({ authToken: secret }, t.as(nobody)), refused('NOT_CONFIGURED'));
      assert.ok(!t.log.lines.some((line) => line.includes(secret)));
    });
  });
});
