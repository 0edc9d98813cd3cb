import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor, createCommunity, giveKudos, putMembers } from '@latchkey/core';
import { type DiscordEmulator, startDiscordEmulator } from '@latchkey/emulators/discord';
import {
  type DevChain,
  deployCollection,
  deployWaitingList,
  devChain,
  sampleCollectionAbi,
  startDevChain,
  waitingListAbi,
} from '@latchkey/emulators/evm-chain';
import {
  type EmulatorProposal,
  proposalEvent,
  type SnapshotEmulator,
  snapshotWebhook,
  startSnapshotEmulator,
} from '@latchkey/emulators/snapshot';
import { until } from '@latchkey/test-kit';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startTestServer, type TestServer } from '../../test/harness/test-server.ts';
import { sampleWaitingList, withEmulators } from '../sandbox/with-emulators.ts';

const secrets = { paymaster: 'shared-with-the-paymaster' };

const clientOf = ({ url, chainId }: DevChain) =>
  createTestClient({ mode: 'hardhat', chain: devChain(url, chainId), transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);

/** One server with a chain, a chat platform and a hub, called over HTTP only. */
describe('partners over HTTP', () => {
  let chain: DevChain;
  let discord: DiscordEmulator;
  let hub: SnapshotEmulator;
  let server: TestServer;
  let client: ReturnType<typeof clientOf>;
  before(async () => {
    [chain, discord, hub] = await Promise.all([
      startDevChain(),
      startDiscordEmulator({ answerWithinMs: 120_000 }),
      startSnapshotEmulator(),
    ]);
    client = clientOf(chain);
    // The secret depends on the webhook's URL, which is known only once the server listens, so it is replaced below.
    server = await startTestServer({
      LATCHKEY_EVM_RPC_URLS: `31337=${chain.url}`,
      LATCHKEY_CHAIN_URLS: `snapshot=${hub.url}`,
      LATCHKEY_SERVICE_KEYS: `snapshot-webhook=placeholder paymaster=${secrets.paymaster}`,
      LATCHKEY_DISCORD_BOT_TOKEN: discord.application.token,
      LATCHKEY_DISCORD_API_URL: discord.url,
      LATCHKEY_ALLOW_PRIVATE_CALLBACKS: 'true',
      LATCHKEY_WAITING_LIST_CONTRACTS: `31337=${sampleWaitingList}`,
      LATCHKEY_WAITING_LIST_PRICE_WEI: '1000',
      LATCHKEY_PAYMASTER_CALLS: `31337=${sampleWaitingList}:0x12345678`,
    });
  });
  after(async () => {
    await server?.close();
    await Promise.all([chain?.stop(), discord?.stop(), hub?.stop()]);
  });
  const [minter, holder] = [0, 1].map((at) => () => chain.accounts[at]?.address ?? '0x') as [() => Hex, () => Hex];

  /** Links the wallet that deployed the collection. */
  async function linkDeployer(userId: string): Promise<void> {
    const deployer = privateKeyToAccount(chain.accounts.at(-3)?.privateKey ?? '0x');
    const headers = { authorization: await server.aeToken(userId) };
    const { message } = (await server.request('GET', '/account/auth-message', { headers })).json;
    const signedMessage = await deployer.signMessage({ message });
    const json = { chainId: 'evm:31337', address: deployer.address, message, signedMessage };
    const linked = await server.request('POST', '/account/wallet-address', { headers, json });
    assert.ok(linked.status < 300, linked.text);
  }

  test('an ERC-721 whose base URI points here describes its tokens, to marketplaces and to our own reader', async () => {
    const address = await deployCollection(chain, 'Cats', 'CAT');
    const place = `31337/${address}`;
    const write = { address, abi: sampleCollectionAbi, account: minter(), chain: null } as const;
    const uris = [`${server.url}/nft-tokens/${place}/`, `${server.url}/nft-contracts/${place}`] as const;
    await client.writeContract({ ...write, functionName: 'setURIs', args: uris });
    await client.writeContract({ ...write, functionName: 'mint', args: [holder(), 1n] });
    const { key } = await server.apiKey([], 'DIS#USER#21');
    const headers = { 'x-api-key': key };
    const early = await server.request('POST', `/nft-contracts/${place}`, { headers, json: { name: 'Cats' } });
    assert.deepEqual([early.status, early.json.error.code], [403, 'ROLE_NOT_ALLOWED']);
    await linkDeployer('DIS#USER#21');
    const fee = { seller_fee_basis_points: 500, fee_recipient: minter() };
    const contract = await server.request('POST', `/nft-contracts/${place}`, {
      headers,
      json: { name: 'Cats', ...fee },
    });
    assert.equal(contract.status, 200, contract.text);
    const json = { name: 'Cat 1', description: 'Purrs.', image: 'ipfs://cat', properties: { colour: 'grey' } };
    assert.equal((await server.request('POST', `/nft-tokens/${place}/1`, { headers, json })).status, 200);

    const uri = await client.readContract({ address, abi: sampleCollectionAbi, functionName: 'tokenURI', args: [1n] });
    const shown = await (await fetch(uri)).json();
    assert.deepEqual(
      [shown.name, shown.image, shown.properties, shown.tokenId],
      ['Cat 1', 'ipfs://cat', { colour: 'grey' }, '1'],
    );
    const contractUri = await client.readContract({ address, abi: sampleCollectionAbi, functionName: 'contractURI' });
    const collection = await (await fetch(contractUri)).json();
    assert.deepEqual([collection.seller_fee_basis_points, collection.fee_recipient], [500, minter()]);

    const read = await server.services.tokenMetadata.readCollection('evm:31337', address, { limit: 5 });
    assert.match(JSON.stringify(read), /"name":"Cat 1"/);
    const none = await server.request('POST', `/nft-tokens/${place}/8`, { json });
    assert.equal(none.status, 401);
    const malformed = await server.request('GET', '/nft-tokens/31337/0x12/7');
    assert.equal(malformed.status, 400);
  });

  test('a quote requested over HTTP is accepted by the contract once, and the server reads it back', async () => {
    const metadata = (await server.request('GET', '/telefrens/waiting-list/metadata')).json;
    const address = await deployWaitingList(chain, metadata.signer as Address);
    assert.equal(address, sampleWaitingList);
    const scope = 'telefrens:waiting-list';
    const ada = { headers: { authorization: await server.aeToken('DIS#USER#1', [scope]) } };
    assert.equal((await server.request('GET', '/telefrens/waiting-list/registered', ada)).text, 'false');
    const quote = (await server.request('POST', '/telefrens/waiting-list/quotes?chainId=31337', ada)).json;
    const register = (terms: typeof quote, value = BigInt(terms.price)) =>
      client.writeContract({
        address: terms.contractAddress,
        abi: waitingListAbi,
        functionName: 'register',
        args: [terms.userIdHash, BigInt(terms.price), BigInt(terms.expiresAt), terms.signature],
        value,
        account: holder(),
        chain: null,
      });
    const bob = { headers: { authorization: await server.aeToken('DIS#USER#2', [scope]) } };
    const { userIdHash } = (await server.request('POST', '/telefrens/waiting-list/quotes', bob)).json;
    await assert.rejects(register({ ...quote, userIdHash }), /WrongSignature/);
    await assert.rejects(register({ ...quote, price: '1' }), /WrongSignature/);
    await register(quote);
    await assert.rejects(register(quote), /AlreadyRegistered/);
    assert.equal((await server.request('GET', '/telefrens/waiting-list/registered', ada)).text, 'true');
    assert.equal((await server.request('GET', '/telefrens/waiting-list/registered', bob)).text, 'false');
    assert.equal((await server.request('POST', '/telefrens/waiting-list/register-kol', bob)).text, 'false');

    const lesser = { headers: { authorization: await server.aeToken('DIS#USER#3', ['user:read']) } };
    assert.equal((await server.request('POST', '/telefrens/waiting-list/quotes', lesser)).status, 403);
    assert.equal((await server.request('POST', '/telefrens/waiting-list/quotes')).status, 401);
    assert.equal((await server.request('POST', '/telefrens/waiting-list/quotes?chainId=5', bob)).status, 400);
    // Configure the addresses of the emulators, as the sandbox does.
    const config = withEmulators({
      ...server.config,
      sandbox: true,
      waitingList: { ...server.config.waitingList, contracts: [] },
    });
    assert.deepEqual(config.waitingList.contracts, [{ chainId: 31337, address }]);
  });

  test('the paymaster gets yes or no and the reason', async () => {
    const tx = { to: sampleWaitingList, value: '0', data: '0x12345678' };
    const data = { chainId: 31337, owner: holder(), txs: [tx], authToken: secrets.paymaster };
    const ask = (json: unknown) => server.request('POST', '/telefrens/biconomy/paymaster-webhook', { json });
    const yes = await ask({ data });
    assert.deepEqual([yes.status, yes.json.arePoliciesVerifed], [200, true]);
    const no = await ask({ data: { ...data, txs: [{ ...tx, data: '0x87654321' }] } });
    assert.deepEqual(no.json, {
      arePoliciesVerifed: false,
      arePoliciesVerified: false,
      reason: 'Transaction 1 calls a method that is not sponsored.',
    });
    assert.equal((await ask({ data: { ...data, authToken: 'guessed' } })).status, 401);
    assert.equal((await ask({ data: { ...data, txs: 'all' } })).status, 422);
  });

  test('kudos are verified with the published keys, and a Snapshot proposal reaches its channel once', async () => {
    const guild = discord.createGuild({ name: 'Cats' });
    const [channelId = ''] = guild.channels.keys();
    const owner = {
      kind: 'user',
      userId: `DIS#USER#${guild.ownerId}`,
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
    } as const;
    const ctx = contextFor(server.services, owner);
    const { id = '' } = await createCommunity(ctx, {
      body: { platform: 'discord', communityId: guild.id, name: 'Cats' },
    });
    const seen = ['10', guild.ownerId].map((user) => ({ userId: `DIS#USER#${user}`, roleIds: [] }));
    await putMembers(server.services.db.system, id, seen, server.services.clock());
    await giveKudos(ctx, { communityId: id, toUserId: 'DIS#USER#10', kind: 'thanks', words: 'For the fish.' });
    const scopes = ['verifiable-credential:read'];
    const reader = { headers: { authorization: await server.aeToken('DIS#USER#10', scopes) } };
    const listed = await server.request('GET', `/kudos/users/${encodeURIComponent('DIS#USER#10')}/received`, reader);
    const [{ credential }] = listed.json.kudos;
    const document = (await server.request('GET', '/.well-known/did.json')).json;
    const { kid } = decodeProtectedHeader(credential);
    const method = document.verificationMethod.find((one: { id: string }) => one.id === kid);
    const issuer = `did:web:${encodeURIComponent(new URL(server.url).host)}`;
    const { payload } = await jwtVerify(credential, await importJWK(method.publicKeyJwk, 'EdDSA'), { issuer });
    assert.equal(Object(payload.vc).credentialSubject.kudos.words, 'For the fish.');

    hub.state.spaces.push({ id: 'cats.eth', name: 'Cats DAO' });
    const seconds = Math.floor(Date.now() / 1000);
    const proposal: EmulatorProposal = {
      id: '0xfish',
      space: { id: 'cats.eth', name: 'Cats DAO' },
      title: 'More fish',
      author: '0x1',
      choices: ['Yes'],
      created: seconds,
      start: seconds,
      end: seconds + 60,
    };
    hub.state.proposals.push(proposal);
    const path = `/snapshot/communities/${encodeURIComponent(id)}/space`;
    const admin = { headers: { authorization: await server.aeToken(owner.userId, ['$all']) } };
    const json = { space: 'cats.eth', channels: [channelId] };
    assert.equal((await server.request('POST', path, { ...admin, json })).json.space, 'cats.eth');
    const stranger = { headers: { authorization: await server.aeToken('DIS#USER#666', ['$all']) } };
    assert.equal((await server.request('POST', path, { ...stranger, json })).status, 404);
    const webhook = snapshotWebhook(`${server.url}/snapshot/webhook/event`, '777-salt');
    assert.equal(await webhook.send(proposalEvent(proposal, 'proposal/created')), 401);
    Object.assign(server.services.settings.partners ?? {}, { snapshotWebhookSecrets: [webhook.secret] });
    for (const _ of [1, 2, 3]) assert.equal(await webhook.send(proposalEvent(proposal, 'proposal/created')), 200);
    await until('the channel is notified', () => discord.sentMessages(channelId).length > 0);
    await server.worker.idle();
    assert.equal(discord.sentMessages(channelId).length, 1);
    const lines = server.logLines.join('\n');
    for (const secret of [webhook.secret, secrets.paymaster]) assert.ok(!lines.includes(secret));
  });
});
