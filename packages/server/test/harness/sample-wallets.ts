import { keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Call, caller } from './call-api.ts';
import { aliceId } from './identities.ts';
import type { OutsideWorld } from './outside-world.ts';
import { inTurn } from './passkeys.ts';
import type { Sample, Samples } from './sample-request.ts';
import { type CommunityFixture, linkWallet } from './set-up-community.ts';
import { leaveCommunity, shareCommunity } from './share-community.ts';
import type { TestServer } from './test-server.ts';

interface NewWallet {
  address: string;
  sign(message: string): Promise<string>;
}

let made = 0;

/** Creates a new wallet. */
function newWallet(): NewWallet {
  made += 1;
  const account = privateKeyToAccount(keccak256(toHex(`wallet ${made}`)));
  return { address: account.address, sign: (message) => account.signMessage({ message }) };
}

const connections = '/wallet-manager/wallet-connections';
const marketplaces = 'POST /wallet-manager/marketplace-wallet-connections';
const resets = 'POST /wallet-manager/reset-wallets/{resetToken}';

/** Requests a message and signs it. */
async function signConnection(call: Call, { address, sign }: NewWallet) {
  const { message } = await call('PUT', connections, { address });
  return { address, message, signature: await sign(message) };
}

/** The owner of the wallets, with the header of their calls. */
export interface WalletOwner {
  server: TestServer;
  outside: OutsideWorld;
  authorization: string;
}

/** Samples for requests that connect wallets; `count` of those that work once. */
export async function sampleWallets(
  owner: WalletOwner,
  community: CommunityFixture,
  countFor: (route: string) => number,
): Promise<Samples> {
  const { server, outside, authorization } = owner;
  const call = caller(server, authorization);
  const id = authorization.replace('AE ', '');
  const linked = newWallet();
  await linkWallet(call, outside, linked);
  const { state } = await call('PUT', connections, { address: newWallet().address });
  const { slug } = await call('POST', '/states', { token: id });
  const { request_id: requestId } = await call('GET', `/tokenproof/authorize?state=${slug}`);
  return {
    'POST /wallet-manager/marketplace-magic-codes id': id,
    marketplace: 'opensea',
    [`${marketplaces} body`]: await inTurn(countFor(marketplaces), () => publishCode(owner, call, id)),
    [`${resets} resetToken`]: await sampleResets(owner, call, community.id, countFor(resets)),
    'POST /wallet-manager/wallet-connections/resume state': state,
    [`DELETE ${connections}/{walletSk} walletSk`]: linked.address,
    [`PUT ${connections} body`]: await sampleConnections(call, linked, community.id, countFor(`PUT ${connections}`)),
    'POST /evm/venly/callback body': () => ({ id, selectedWallet: linked.address, walletType: 'venly' }),
    'GET /tokenproof/authorize state': slug,
    'GET /tokenproof/responses/{requestId} requestId': requestId,
    retries: '0',
  };
}

/** The bodies of a request in every state: for a community, to request the message, and signed. */
async function sampleConnections(call: Call, linked: NewWallet, communityId: string, count: number): Promise<Sample> {
  const drawSigned = await inTurn(count, () => signConnection(call, newWallet()));
  return (dice) =>
    dice.pick<() => unknown>([
      () => ({ walletSk: linked.address, communityId }),
      () => ({ accountId: `evm:1:${linked.address}` }),
      () => (typeof drawSigned === 'function' ? drawSigned(dice) : drawSigned),
    ])();
}

/** Creates an account whose profile shows its code. */
async function publishCode({ outside }: WalletOwner, call: Call, id: string) {
  const account = newWallet().address;
  const body = { marketplace: 'opensea', account };
  const { magicCode } = await call('POST', '/wallet-manager/marketplace-magic-codes', { ...body, id });
  outside.opensea.state.accounts.push({ address: account, bio: `Collector. ${magicCode}` });
  return { ...body, magicCode };
}

/** Tokens that each move a wallet from another user, who linked it first. */
async function sampleResets({ server }: WalletOwner, call: Call, communityId: string, count: number): Promise<Sample> {
  const otherId = 'DIS#USER#299999999999999999';
  const other = caller(server, await server.aeToken(otherId));
  const tokens: string[] = [];
  for (let tries = 0; tokens.length < count; tries += 1) {
    if (tries > 3 * count) throw new Error('No wallet could be linked to the other user.');
    const wallet = newWallet();
    await other('PUT', connections, await signConnection(other, wallet));
    // A background check may find that Discord does not know them: then there is no member to move it from.
    await shareCommunity(server, communityId, [aliceId, otherId]);
    const { resetToken } = await call('PUT', connections, await signConnection(call, wallet));
    if (resetToken !== undefined) tokens.push(resetToken);
  }
  // Other samples count the members of the community.
  await leaveCommunity(server, communityId, otherId);
  let drawn = 0;
  return () => tokens[drawn++ % tokens.length];
}
