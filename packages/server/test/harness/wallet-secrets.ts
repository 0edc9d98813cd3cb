import type { Call } from './call-api.ts';
import { aliceId, malloryId } from './identities.ts';
import { people } from './outside-world.ts';
import type { Keep } from './secret-journey.ts';
import type { World } from './set-up-world.ts';
import { shareCommunity } from './share-community.ts';

const connections = '/wallet-manager/wallet-connections';

/** Connects alice's wallets in every way that issues a secret, some of which stay unused. */
export async function useWallets({ server, outside, community }: World, call: Call, keep: Keep): Promise<void> {
  keep('API key of OpenSea', outside.opensea.state.apiKey);
  keep('secret shared with tokenproof', outside.tokenproof.secret);
  await shareCommunity(server, community.id, [aliceId, malloryId]);
  const { address, sign } = people.mallory;
  const askForReset = async () => {
    const { message, state } = await call('PUT', connections, { address });
    keep('state of a wallet connection', state);
    await server.request('POST', `${connections}/resume`, { json: { state } });
    const taken = await call('PUT', connections, { address, state, message, signature: await sign(message) });
    return keep('token to move a wallet', taken.resetToken);
  };
  const resetToken = await askForReset();
  await call('POST', `/wallet-manager/reset-wallets/${resetToken}`);
  await server.request('POST', `/wallet-manager/reset-wallets/${resetToken}`);

  const token = keep('second AE token', (await server.aeToken('DIS#USER#4712')).split(' ')[1]);
  const named = { marketplace: 'opensea', account: people.bob.address };
  const request = { json: { ...named, id: token } };
  const { magicCode } = (await server.request('POST', '/wallet-manager/marketplace-magic-codes', request)).json;
  keep('code for a marketplace', magicCode);
  await server.request('POST', '/wallet-manager/marketplace-wallet-connections', { json: { ...named, magicCode } });
  await server.request('DELETE', `${connections}/${people.bob.address}?id=${token}`);

  const { slug } = await call('POST', '/states', { token });
  keep('slug of a link to connect a wallet', slug);
  const { json } = await server.request('GET', `/tokenproof/authorize?state=${slug}`);
  const requestId = keep('request to tokenproof', json.request_id);
  await server.request('GET', `/tokenproof/responses/${requestId}`);
}
