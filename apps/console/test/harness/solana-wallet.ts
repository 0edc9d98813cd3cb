import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { Page } from 'playwright-core';

export interface SolanaWallet {
  address: string;
  messages: string[];
  owner: 'signs' | 'declines' | 'signs something else';
}

/** Gives the browser of a page a Solana wallet that registers by the events of the wallet standard and really signs. */
export async function giveSolanaWallet(page: Page): Promise<SolanaWallet> {
  const { secretKey, publicKey } = ed25519.keygen();
  const wallet: SolanaWallet = { address: base58.encode(publicKey), messages: [], owner: 'signs' };
  await page.exposeFunction('signInTestWallet', (bytes: number[]) => {
    wallet.messages.push(Buffer.from(bytes).toString('utf8'));
    if (wallet.owner === 'declines') return undefined;
    const signed = wallet.owner === 'signs' ? Uint8Array.from(bytes) : Buffer.from('something else');
    return [...ed25519.sign(signed, secretKey)];
  });
  await page.addInitScript(register, { address: wallet.address, publicKey: [...publicKey] });
  return wallet;
}

/** Runs in the page, before anything else there. */
function register({ address, publicKey }: { address: string; publicKey: number[] }): void {
  const chains = ['solana:mainnet'];
  const account = { address, publicKey: Uint8Array.from(publicKey), chains, features: ['solana:signMessage'] };
  const { signInTestWallet } = window as unknown as {
    signInTestWallet(bytes: number[]): Promise<number[] | undefined>;
  };
  const wallet = {
    version: '1.0.0',
    name: 'Test Ghost',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: async ({ message }: { message: Uint8Array }) => {
          const signature = await signInTestWallet([...message]);
          if (signature === undefined) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
          return [{ signedMessage: message, signature: Uint8Array.from(signature) }];
        },
      },
    },
  };
  const callback = ({ register }: { register(wallet: object): void }) => register(wallet);
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  window.addEventListener('wallet-standard:app-ready', (event) => callback((event as CustomEvent).detail));
}
