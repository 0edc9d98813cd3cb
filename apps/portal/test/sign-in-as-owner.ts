import assert from 'node:assert/strict';
import { privateKeyToAccount } from 'viem/accounts';

// The first account of the well-known test mnemonic, which is public: the sample community's owner has its wallet.
const wallet = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

/**
 * Signs in as the owner of the sample community does: with a link that the server printed, which lets their wallet sign in, and then with
 * that wallet. Returns an AE token, which counts as a recent sign-in for ten minutes.
 */
export async function signInAsOwner(url: string, link: string): Promise<string> {
  const pressed = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  const [cookie = ''] = pressed.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  const onConsole = { cookie, 'x-latchkey-console': '1' };
  const call = async (method: string, path: string, fields?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(fields !== undefined && { 'content-type': 'application/json' }) },
      ...(fields !== undefined && { body: JSON.stringify(fields) }),
    });
    assert.ok(answer.ok, `${method} ${path} came to ${answer.status}: ${await answer.clone().text()}`);
    const text = await answer.text();
    return text === '' ? undefined : JSON.parse(text);
  };
  const wallets: { id: string; address: string }[] = await call(
    'GET',
    '/latchkey/account/wallets',
    undefined,
    onConsole,
  );
  const own = wallets.find(({ address }) => address === wallet.address);
  assert.ok(own, 'The owner of the sample community has the wallet that deployed its tokens.');
  await call('PUT', `/latchkey/account/wallets/${encodeURIComponent(own.id)}/sign-in`, undefined, onConsole);
  const accountId = `evm:1:${wallet.address}`;
  const { requestId, message } = await call('POST', '/ethereum-login/challenges', { accountId });
  const signature = await wallet.signMessage({ message });
  const { idToken } = await call('POST', '/ethereum-login/id-tokens', { requestId, signature, accountId });
  return idToken;
}
