import type { Call } from '../api.ts';
import { shortAddress } from '../parts/names.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';

/** Logs in with a wallet: the server writes a message, the wallet signs it. Answers with an AE token. */
export async function logInWithWallet(
  call: Call,
  wallet: BrowserWallet,
  onStep: (text: string) => void,
): Promise<string> {
  onStep(`Choose an account in ${wallet.name} …`);
  const { accountId, address, sign } = await wallet.open();
  const { message = '', requestId = '' } = await call('POST /ethereum-login/challenges', { body: { accountId } });
  onStep(`Sign the message in ${wallet.name} with ${shortAddress(address)}. It costs nothing. Waiting …`);
  const signature = await sign(message);
  onStep('Checking the signature …');
  const { idToken } = await call('POST /ethereum-login/id-tokens', { body: { requestId, signature, accountId } });
  return idToken;
}

/** Takes the person back to the request of the application, with the proof of who they are. */
export function goOn(slug: string, token: string, userAuthorization?: 'granted' | 'denied'): void {
  const query = new URLSearchParams({ aeToken: token, ...(userAuthorization && { userAuthorization }) });
  location.assign(`/oauth2/callback/${encodeURIComponent(slug)}?${query}`);
}
