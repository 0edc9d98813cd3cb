import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contextFor, giveKudos, inviteToWaitingList, putMembers } from '@latchkey/core';
import { deployWaitingList, waitingListAbi } from '@latchkey/emulators/evm-chain';
import { type FreshdeskEmulator, startFreshdeskEmulator } from '@latchkey/emulators/freshdesk';
import { proposalEvent, type SnapshotEmulator, startSnapshotEmulator } from '@latchkey/emulators/snapshot';
import { until } from '@latchkey/test-kit';
import { decodeJwt } from 'jose';
import { createPublicClient, createWalletClient, getAddress, getContractAddress, type Hex, http } from 'viem';
import { aliceId, malloryId } from '../harness/identities.ts';
import { type OutsideWorld, outsideWorld, people } from '../harness/outside-world.ts';
import { connectSdk, createSdkCaller, refusedWith, type Sdk } from '../harness/sdk-client.ts';
import { makeGuild } from '../harness/set-up-community.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { aboutPartners } from './sdk-resources.ts';
import { turns } from './turns.ts';

const bobId = `DIS#USER#${people.bob.userId}`;
const paidCall = '0x12345678';

turns.describe('contract: sdk, partners', () => {
  let outside: OutsideWorld;
  let hub: SnapshotEmulator;
  let desk: FreshdeskEmulator;
  let server: TestServer;
  let waitingList: Hex;
  let asAlice: Sdk;
  let asMallory: Sdk;
  let asNobody: Sdk;
  let community: { id: string; channelId: string };
  const { call, routesLeft } = createSdkCaller();

  before(async () => {
    outside = await outsideWorld();
    [hub, desk] = await Promise.all([startSnapshotEmulator(), startFreshdeskEmulator()]);
    waitingList = await nextWaitingList();
    const { LATCHKEY_CHAIN_URLS: urls, LATCHKEY_SERVICE_KEYS: keys, ...environment } = outside.environment;
    server = await startTestServer({
      ...environment,
      LATCHKEY_CHAIN_URLS: `${urls} snapshot=${hub.url} freshdesk=${desk.url}`,
      LATCHKEY_SERVICE_KEYS: `${keys} freshdesk=${desk.state.apiKey}`,
      LATCHKEY_WAITING_LIST_CONTRACTS: `${outside.chain.chainId}=${waitingList}`,
      LATCHKEY_WAITING_LIST_PRICE_WEI: '1000',
      LATCHKEY_PAYMASTER_CALLS: `${outside.chain.chainId}=${waitingList}:${paidCall}`,
    });
    asAlice = await connectSdk(server, { authenticatedEncryption: await server.aeToken(aliceId) });
    asMallory = await connectSdk(server, { authenticatedEncryption: await server.aeToken(malloryId) });
    asNobody = await connectSdk(server, {});
    const { guildId, channelId } = makeGuild(outside, people.alice);
    const body = { platform: 'discord', communityId: guildId, name: 'Cats' };
    community = { id: (await call(asAlice, 'POST /communities', body)).id, channelId };
  });
  after(async () => {
    await server?.close();
    await Promise.all([hub?.stop(), desk?.stop()]);
  });

  /**
   * Returns the address of the next waiting list contract: it must know a key of the server, which must know its
   * address.
   */
  async function nextWaitingList(): Promise<Hex> {
    const from = outside.chain.accounts.at(-2)?.address ?? '0x';
    const client = createPublicClient({ transport: http(outside.chain.url) });
    return getContractAddress({ from, nonce: BigInt(await client.getTransactionCount({ address: from })) });
  }

  test('a community follows a space, and a caller with the secret posts a proposal to its channel', async () => {
    const space = 'cats.eth';
    const seconds = Math.floor(Date.now() / 1000);
    const of = { space: { id: space, name: 'Cats DAO' }, author: '0x1', choices: ['Yes'] };
    const proposal = { id: '0xf', title: 'More fish', created: seconds, start: seconds, end: seconds + 60, ...of };
    hub.state.spaces.push(of.space);
    hub.state.proposals.push(proposal);
    const spaces = '/snapshot/communities/{communityId}/space';
    const { id, channelId } = community;
    const followed = await call(asAlice, `POST ${spaces}`, id, { space, channels: [] });
    assert.deepEqual([followed.space, followed.channels], [space, []]);
    await assert.rejects(call(asMallory, `GET ${spaces}`, id), refusedWith(404, 'ENTITY_NOT_FOUND'));
    const report = await call(asAlice, `PUT ${spaces}/{space}`, id, space, { channels: [channelId] });
    assert.deepEqual(report.channels, [channelId]);
    assert.deepEqual(await call(asAlice, `GET ${spaces}`, id), [report]);

    const event = { ...proposalEvent(proposal, 'proposal/created'), token: 'x', secret: 'x' };
    const notify = (secret: string) => call(asNobody, 'POST /snapshot/webhook/event', secret, event);
    await assert.rejects(notify('guessed'), refusedWith(401, 'INVALID_CREDENTIAL'));
    await notify(outside.secrets.snapshot);
    await until('the channel is notified', () => outside.discord.sentMessages(channelId).length > 0);
    assert.match(JSON.stringify(outside.discord.sentMessages(channelId)), /More fish/);
    assert.equal(await call(asAlice, `DELETE ${spaces}/{space}`, id, space), undefined);
    assert.deepEqual(await call(asAlice, `GET ${spaces}`, id), []);
  });

  test('kudos are listed for the recipient and the sender', async () => {
    const alice = {
      kind: 'user',
      userId: aliceId,
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    } as const;
    const { services } = server;
    const members = [aliceId, bobId].map((userId) => ({ userId, roleIds: [] }));
    await putMembers(services.db.system, community.id, members, services.clock());
    const kudos = { communityId: community.id, toUserId: bobId, kind: 'helpful', words: 'For the fish.' };
    await giveKudos(contextFor(services, alice), kudos);
    const route = 'GET /kudos/users/{userId}/{type}';
    const { kudos: received } = await call(asAlice, route, 'received', bobId);
    assert.equal(received.length, 1);
    const { vc } = decodeJwt<{ vc: { credentialSubject: { kudos: object } } }>(received[0].credential);
    assert.match(JSON.stringify(vc.credentialSubject), /For the fish\./);
    assert.deepEqual((await call(asAlice, route, 'sent', aliceId)).kudos, received);
    assert.deepEqual((await call(asMallory, route, 'received', bobId)).kudos, []);
  });

  test('a ticket reaches the help desk, and is listed for its requester', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const about = { subject: 'No role', description: 'I hold a key.', email: 'alice@example.org' };
    const opened = await call(asAlice, 'POST /freshdesk/tickets', { ...about, communityId: community.id, priority: 2 });
    assert.deepEqual([opened.status, opened.data.subject, opened.data.priority], [201, 'No role', 2]);
    assert.equal(desk.state.tickets.at(-1)?.id, opened.data.id);
    const filters = [undefined, 'requester', undefined, undefined, about.email, since, 'created_at', 'asc'];
    const { data } = await call(asAlice, 'GET /freshdesk/tickets', ...filters);
    assert.deepEqual(
      data.map((ticket: { id: number; requester: { email: string } }) => [ticket.id, ticket.requester.email]),
      [[opened.data.id, about.email]],
    );
    assert.deepEqual((await call(asMallory, 'GET /freshdesk/tickets')).data, []);
  });

  test('a contract and a token are described by one caller, and every caller can read it', async () => {
    const place = [String(outside.chain.chainId), outside.chain.contracts.erc721];
    const fee = { seller_fee_basis_points: 500, fee_recipient: people.alice.address };
    const describer = `/latchkey/nft-contracts/${place.join('/')}/describers/${encodeURIComponent(aliceId)}`;
    await server.request('PUT', describer, { headers: { 'x-api-key': server.adminKey } });
    await call(asAlice, 'POST /nft-contracts/{chainId}/{address}', ...place, { name: 'Cats', ...fee });
    const contract = await call(asNobody, 'GET /nft-contracts/{chainId}/{address}', ...place);
    assert.deepEqual([contract.name, contract.seller_fee_basis_points], ['Cats', 500]);
    const cat = { name: 'Cat 1', image: 'ipfs://cat', properties: { colour: 'grey' } };
    const token = 'POST /nft-tokens/{chainId}/{address}/{id}';
    await call(asAlice, token, ...place, '1', cat);
    await assert.rejects(call(asMallory, token, ...place, '1', cat), refusedWith(403, 'ROLE_NOT_ALLOWED'));
    const read = await call(asNobody, 'GET /nft-tokens/{chainId}/{address}/{id}', ...place, '1');
    assert.deepEqual({ name: read.name, image: read.image, properties: read.properties }, cat);
  });

  test('a place on the waiting list is quoted, taken on the chain or by invitation, and stored', async () => {
    const list = '/telefrens/waiting-list';
    const { signer } = await call(asNobody, `GET ${list}/metadata`);
    assert.equal(await deployWaitingList(outside.chain, signer), waitingList);
    assert.equal(await call(asAlice, `GET ${list}/registered`), false);
    const quote = await call(asAlice, `POST ${list}/quotes`, outside.chain.chainId);
    assert.equal(getAddress(quote.contractAddress), waitingList);
    await createWalletClient({ transport: http(outside.chain.url) }).writeContract({
      chain: null,
      account: outside.chain.accounts[1]?.address ?? '0x',
      address: waitingList,
      abi: waitingListAbi,
      functionName: 'register',
      args: [quote.userIdHash, BigInt(quote.price), BigInt(quote.expiresAt), quote.signature],
      value: BigInt(quote.price),
    });
    assert.equal(await call(asAlice, `GET ${list}/registered`), true);

    assert.equal(await call(asMallory, `POST ${list}/register-kol`), false);
    const operator = contextFor(server.services, { kind: 'admin', name: 'test' });
    await inviteToWaitingList(operator, { userId: malloryId, isInvited: true });
    assert.equal(await call(asMallory, `POST ${list}/register-kol`), true);
    assert.equal(await call(asMallory, `GET ${list}/registered`), true);
  });

  test('the paymaster learns what is paid for', async () => {
    const ask = (data: string, authToken = outside.secrets.paymaster) => {
      const txs = [{ to: waitingList, value: '0', data }];
      const request = { chainId: outside.chain.chainId, owner: people.bob.address, txs, authToken };
      return call(asNobody, 'POST /telefrens/biconomy/paymaster-webhook', { data: request });
    };
    assert.equal((await ask(paidCall)).arePoliciesVerified, true);
    assert.equal((await ask('0x87654321')).arePoliciesVerified, false);
    await assert.rejects(ask(paidCall, 'guessed'), refusedWith(401, 'INVALID_CREDENTIAL'));
  });

  test('every operation of these resources was called', () => {
    assert.deepEqual(
      routesLeft((name) => aboutPartners.includes(name)),
      [],
    );
  });
});
