import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Actor, AppError, type ErrorCode } from '@latchkey/kernel';
import { createCommunity } from '../../communities/community/index.ts';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { listWallets } from '../../identity/wallets/index.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { contextFor } from '../../shared/context.ts';
import { alice, mallory, nobody, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { mostWrongCodes, openHandoff } from './handoff.ts';
import { handoffsErasure } from './index.ts';
import { acceptHandoff, askInOtherBrowser, beginHandoff, checkHandoff, proveInOtherBrowser } from './operations.ts';

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const another = (code: string) => (code === '000000' ? '000001' : '000000');

describe('a step that continues in another browser', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('handoffs');
    await ensureSigningKeys(t.services);
  });
  after(() => t.close());

  const refusal =
    (code: ErrorCode, text = /./) =>
    (error: unknown) =>
      error instanceof AppError && error.code === code && text.test(error.message);

  const begin = async (actor: Actor, purpose: 'link' | 'sign-in', communityId?: string) => {
    const { url, key } = await beginHandoff(t.as(actor), { body: { purpose, communityId } });
    return { key, ticket: url.split('/').at(-1) ?? '' };
  };
  const ask = (ticket: string, address: string, resources?: string[]) =>
    askInOtherBrowser(t.as(nobody), { body: { ticket, accountId: `evm:1:${address}`, resources } });
  const send = (ticket: string, address: string, state: string, signature: string) =>
    proveInOtherBrowser(t.as(nobody), { body: { ticket, accountId: `evm:1:${address}`, state, signature } });
  const prove = async (ticket: string, address: string) => {
    const { message, state } = await ask(ticket, address);
    return { message, ...(await send(ticket, address, state, testSignature(address, message))) };
  };
  const look = (actor: Actor, key: string) => checkHandoff(t.as(actor), { body: { key } });
  const accept = (actor: Actor, key: string, code: string) => acceptHandoff(t.as(actor), { body: { key, code } });
  const walletsOf = async (actor: Actor) =>
    (await listWallets(t.as(actor), { limit: 100 })).items.map(({ address }) => address);

  it('links the wallet that was proven there once the code is entered where it started, and not before', async () => {
    const address = addressOf(1);
    const { key, ticket } = await begin(alice, 'link');
    assert.equal((await look(alice, key)).state, 'waiting');
    assert.deepEqual((await openHandoff(t.as(nobody), ticket))?.account, { platform: 'discord', name: 'alice' });
    const { message, state } = await ask(ticket, address);
    assert.match(message, /Link this wallet to the account alice on Discord \(DIS#USER#100\)\./);
    assert.equal((await look(alice, key)).state, 'opened');
    const { code } = await send(ticket, address, state, testSignature(address, message));
    assert.match(code, /^\d{6}$/);
    assert.deepEqual((await look(alice, key)).wallet, { namespace: 'evm', address });
    assert.deepEqual(await walletsOf(alice), []);
    const { connection } = await accept(alice, key, `${code.slice(0, 3)} ${code.slice(3)}`);
    assert.equal(connection?.code, 'CONNECTED');
    assert.deepEqual(await walletsOf(alice), [address]);
    await assert.rejects(accept(alice, key, code), refusal('ENTITY_NOT_FOUND'));
    assert.equal(await openHandoff(t.as(nobody), ticket), undefined);
  });

  it('names the community only to the user, and connects the wallet there', async () => {
    assert.ok(alice.kind === 'user');
    const system = contextFor(t.services, { kind: 'system', job: 'test' });
    const { id = '' } = await createCommunity(system, {
      body: { platform: 'discord', communityId: '77', name: 'Cat Club', ownerId: alice.userId },
    });
    const mine = await begin(alice, 'link', id);
    assert.deepEqual((await openHandoff(t.as(nobody), mine.ticket))?.community, { name: 'Cat Club' });
    const { message, code } = await prove(mine.ticket, addressOf(2));
    assert.match(message, /communities\/DIS%23COMM%2377/);
    assert.match(message, /It counts towards your roles in Cat Club\./);
    const { connection } = await accept(alice, mine.key, code);
    assert.equal(connection?.connection?.user?.communityPk, id);
    const foreign = await begin(mallory, 'link', id);
    assert.equal((await openHandoff(t.as(nobody), foreign.ticket))?.community, undefined);
  });

  it('signs in where it started, with a session that was present when the wallet signed', async () => {
    const address = addressOf(3);
    const { key, ticket } = await begin(nobody, 'sign-in');
    const { message, code } = await prove(ticket, address);
    assert.match(message, /This signs you in, in the browser where you started\./);
    const provedAt = t.services.clock();
    t.advanceSeconds(60);
    assert.deepEqual((await look(nobody, key)).wallet, {
      namespace: 'evm',
      address,
      accountName: address,
      accountPlatform: 'ethereum',
    });
    const { idToken = '' } = await accept(nobody, key, code);
    const actor = await verifyAeToken(t.services, idToken);
    assert.ok(actor.kind === 'user');
    assert.deepEqual([actor.userId, actor.presence?.at], [`ETH#USER#${address}`, provedAt]);
  });

  it('cannot be completed with the link alone: it contains neither the key nor the code', async () => {
    const { key, ticket } = await begin(alice, 'link');
    const { code } = await prove(ticket, addressOf(4));
    await assert.rejects(look(alice, ticket), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(accept(alice, ticket, code), refusal('ENTITY_NOT_FOUND'));
    for (const actor of [nobody, mallory]) {
      await assert.rejects(look(actor, key), refusal('ENTITY_NOT_FOUND'));
      await assert.rejects(accept(actor, key, code), refusal('ENTITY_NOT_FOUND'));
    }
    assert.equal((await accept(alice, key, code)).connection?.code, 'CONNECTED');
  });

  it('ends after a few wrong codes, also when they are entered concurrently', async () => {
    const { key, ticket } = await begin(alice, 'link');
    const { code } = await prove(ticket, addressOf(5));
    const tries = Array.from({ length: mostWrongCodes + 3 }, () => accept(alice, key, another(code)));
    const refused = await Promise.allSettled(tries);
    assert.equal(
      refused.filter(({ status, ...rest }) => 'reason' in rest && refusal('VALIDATION_FAILED')(rest.reason)).length,
      mostWrongCodes,
    );
    await assert.rejects(accept(alice, key, code), refusal('ENTITY_NOT_FOUND'));
  });

  it('accepts one proof of one wallet, and only of the newest message', async () => {
    const [first, second] = [addressOf(6), addressOf(7)];
    const { key, ticket } = await begin(alice, 'link');
    const old = await ask(ticket, first);
    const newest = await ask(ticket, second);
    await assert.rejects(
      send(ticket, first, old.state, testSignature(first, old.message)),
      refusal('VALIDATION_FAILED', /newer one/),
    );
    await assert.rejects(send(ticket, second, newest.state, 'a lie'), refusal('VALIDATION_FAILED', /does not match/));
    const proofs = await Promise.allSettled([prove(ticket, first), prove(ticket, second), prove(ticket, first)]);
    const good = proofs.flatMap((proof) => (proof.status === 'fulfilled' ? [proof.value.code] : []));
    assert.ok(good.length <= 1);
    const { code } = good.length === 1 ? { code: good[0] ?? '' } : await prove(ticket, first);
    await assert.rejects(ask(ticket, first), refusal('ENTITY_NOT_FOUND'));
    assert.equal((await accept(alice, key, code)).connection?.code, 'CONNECTED');
  });

  it('cannot be finished without a wallet, started without a credential, or used after ten minutes', async () => {
    const { key, ticket } = await begin(alice, 'link');
    await assert.rejects(accept(alice, key, '000000'), refusal('STATE_CONFLICT'));
    await assert.rejects(begin(nobody, 'link'), refusal('AUTHENTICATION_REQUIRED'));
    const readOnly: Actor = { ...alice, scopes: ['user:wallet:read'] } as Actor;
    await assert.rejects(begin(readOnly, 'link'), refusal('SCOPE_NOT_ALLOWED'));
    t.advanceSeconds(600);
    await assert.rejects(ask(ticket, addressOf(8)), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(look(alice, key), refusal('ENTITY_NOT_FOUND'));
  });

  it('survives an unavailable chain: the link can be used for another attempt', async () => {
    const address = addressOf(9);
    const { key, ticket } = await begin(alice, 'link');
    const { state } = await ask(ticket, address);
    await assert.rejects(send(ticket, address, state, 'no answer'), refusal('UNAVAILABLE'));
    const { code } = await prove(ticket, address);
    assert.equal((await accept(alice, key, code)).connection?.code, 'CONNECTED');
  });

  it('keeps the newest five of a person, and none when the account is erased', async () => {
    const begun = [];
    for (let n = 0; n < 7; n += 1) {
      t.advanceSeconds(1);
      begun.push(await begin(mallory, 'link'));
    }
    const isOpen = async ({ key }: { key: string }) =>
      look(mallory, key).then(
        () => true,
        () => false,
      );
    assert.deepEqual(await Promise.all(begun.map(isOpen)), [false, false, true, true, true, true, true]);
    assert.ok(mallory.kind === 'user');
    const person = { userId: mallory.userId, pseudonym: 'x', wallets: [], coHolders: [], clientIds: [] };
    await t.services.db.transaction('system', (tx) => handoffsErasure.forget(t.as(nobody), tx, person));
    assert.deepEqual(new Set(await Promise.all(begun.map(isOpen))), new Set([false]));
  });

  it('stores neither the ticket, the key nor the code in plain text', async () => {
    const { key, ticket } = await begin(alice, 'link');
    const { code } = await prove(ticket, addressOf(10));
    const { rows } = await t.services.db.pool.query('select * from handoffs');
    const text = JSON.stringify([rows, t.log.lines]);
    for (const secret of [key, ticket, `"${code}"`]) assert.ok(!text.includes(secret));
  });
});
