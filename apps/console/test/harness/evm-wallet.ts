import type { Page } from 'playwright-core';
import { hexToString } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

interface Request {
  method: string;
  params?: readonly unknown[];
}

export interface EvmWallet {
  address: string;
  /** What pages asked it for, in order. */
  requests: Request[];
  /** The texts it was shown, in order. */
  messages: string[];
  /** What its owner does when asked to sign; another key is what a broken or lying wallet does. */
  owner: 'signs' | 'declines' | 'signs with another key';
}

const nothingDrawn = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

/** Gives the browser of a page an EVM wallet that announces itself (EIP-6963) and really signs. */
export async function giveEvmWallet(
  page: Page,
  name = 'Test Fox',
  { icon = nothingDrawn, privateKey = generatePrivateKey() }: { icon?: string; privateKey?: `0x${string}` } = {},
): Promise<EvmWallet> {
  const account = privateKeyToAccount(privateKey);
  const stranger = privateKeyToAccount(generatePrivateKey());
  const wallet: EvmWallet = { address: account.address, requests: [], messages: [], owner: 'signs' };

  async function answer({ method, params = [] }: Request): Promise<unknown> {
    if (method === 'eth_requestAccounts') return [account.address.toLowerCase()];
    if (method === 'eth_chainId') return '0x1';
    if (method !== 'personal_sign') throw Object.assign(new Error('Not supported.'), { code: 4200 });
    const message = hexToString(params[0] as `0x${string}`);
    wallet.messages.push(message);
    if (wallet.owner === 'declines') throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
    return (wallet.owner === 'signs' ? account : stranger).signMessage({ message });
  }

  await page.exposeFunction('askTestWallet', async (request: Request) => {
    wallet.requests.push(request);
    return answer(request).then(
      (result) => ({ result }),
      ({ code, message }: Error & { code: number }) => ({ error: { code, message } }),
    );
  });
  await page.addInitScript(announce, { name, icon });
  return wallet;
}

/** Runs in the page, before anything else there. */
function announce({ name, icon }: { name: string; icon: string }): void {
  const ask = (window as unknown as { askTestWallet(request: unknown): Promise<{ result?: unknown; error?: object }> })
    .askTestWallet;
  const provider = {
    request: async (request: unknown) => {
      const { result, error } = await ask(request);
      if (error !== undefined) throw Object.assign(new Error(), error);
      return result;
    },
  };
  const info = { uuid: '6963', name, icon, rdns: 'test.fox' };
  const detail = Object.freeze({ info, provider });
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}
