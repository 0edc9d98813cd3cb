import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { malloryId } from '../harness/identities.ts';
import { people } from '../harness/outside-world.ts';
import { aboutWallets, connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { turns } from './turns.ts';

const connections = '/wallet-manager/wallet-connections';

turns.describe('contract: sdk, wallets', () => {
  let world: World;
  let asNobody: Sdk;
  let asBob: Sdk;
  let token: string;
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    world = await openWorld();
    const authorization = await world.server.aeToken(`DIS#USER#${people.bob.userId}`);
    token = authorization.split(' ')[1] ?? '';
    asNobody = await connectSdk(world.server, {});
    asBob = await connectSdk(world.server, { authenticatedEncryption: authorization });
  });
  after(() => world.server.close());

  const addressesOf = async (sdk: Sdk): Promise<string[]> =>
    (await call(sdk, `GET ${connections}`, 100)).items.map(({ address }: { address: string }) => address);

  test('a wallet is connected by a page with a token: it requests, resumes, signs and disconnects', async () => {
    const { address, sign } = people.bob;
    const requested = await call(asNobody, `PUT ${connections}`, { id: token, address, chainId: 1 });
    assert.deepEqual([requested.code, requested.success], ['SIGNATURE_REQUIRED', false]);
    assert.match(requested.message, new RegExp(address));
    const resumed = await call(asNobody, `POST ${connections}/resume`, { state: requested.state });
    assert.deepEqual([resumed.message, resumed.state], [requested.message, requested.state]);
    const signature = await sign(requested.message);
    const proof = { id: token, state: requested.state, address, chainId: 1, message: requested.message, signature };
    const connected = await call(asNobody, `PUT ${connections}`, proof);
    assert.deepEqual([connected.code, connected.connection.address], ['CONNECTED', address]);
    assert.equal((await call(asNobody, `PUT ${connections}`, proof)).code, 'CHALLENGE_UNKNOWN');
    assert.deepEqual(await addressesOf(asBob), [address]);
    assert.equal(await call(asNobody, `DELETE ${connections}/{walletSk}`, address, token), undefined);
    assert.deepEqual(await addressesOf(asBob), []);
  });

  test('a wallet linked to another user is moved to the user who signs with it, once', async () => {
    const { address, sign } = people.mallory;
    const { message } = await call(asBob, `PUT ${connections}`, { address, chainId: 1 });
    const body = { address, chainId: 1, message, signature: await sign(message) };
    const taken = await call(asBob, `PUT ${connections}`, body);
    assert.deepEqual([taken.code, taken.success], ['WALLET_TAKEN', false]);
    assert.ok(!JSON.stringify(taken).includes(malloryId));
    const moved = await call(asBob, 'POST /wallet-manager/reset-wallets/{resetToken}', taken.resetToken);
    assert.equal(moved.success, true);
    assert.deepEqual(await addressesOf(asBob), [address]);
    const asMallory = await connectSdk(world.server, { authenticatedEncryption: world.mallory });
    assert.deepEqual(await addressesOf(asMallory), []);
    await assert.rejects(
      call(asBob, 'POST /wallet-manager/reset-wallets/{resetToken}', taken.resetToken),
      refusedWith(404, 'ENTITY_NOT_FOUND'),
    );
    await call(asBob, `DELETE ${connections}/{walletSk}`, address);
  });

  test('a marketplace account is connected when its profile shows the code', async () => {
    const account = '0x00000000000000000000000000000000000000A1';
    const named = { marketplace: 'opensea', account, id: token };
    const { magicCode } = await call(asNobody, 'POST /wallet-manager/marketplace-magic-codes', named);
    const connect = () =>
      call(asNobody, 'POST /wallet-manager/marketplace-wallet-connections', { ...named, magicCode });
    assert.equal((await connect()).code, 'CODE_NOT_FOUND');
    world.outside.opensea.state.accounts.push({ address: account, bio: `I collect. ${magicCode}` });
    assert.equal((await connect()).code, 'CONNECTED');
    const addresses = await addressesOf(asBob);
    assert.ok(
      addresses.some((address) => address.toLowerCase() === account.toLowerCase()),
      addresses.join(),
    );
  });

  test('an account is connected by a phone’s response to tokenproof', async () => {
    const { json } = await world.server.request('POST', '/states', {
      headers: { authorization: `AE ${token}` },
      json: { token },
    });
    const requested = await call(asNobody, 'GET /tokenproof/authorize', json.slug);
    assert.match(requested.qrcode_image, /^data:image\/png;base64,/);
    const waiting = await call(asNobody, 'GET /tokenproof/responses/{requestId}', requested.request_id);
    assert.equal(waiting.status, 'waiting');
    const account = '0x00000000000000000000000000000000000000a2';
    world.outside.tokenproof.prove(requested.app_link, account);
    const answered = await call(asNobody, 'GET /tokenproof/responses/{requestId}', requested.request_id, '1');
    assert.equal(answered.status, 'linked');
    assert.ok((await addressesOf(asBob)).some((address) => address.toLowerCase() === account));
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutWallets.includes(name)),
      [],
    );
  });
});
