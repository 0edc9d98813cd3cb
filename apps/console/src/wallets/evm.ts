import { t } from '../messages/index.ts';
import type { BrowserWallet, OpenAccount } from './wallet.ts';
import { noAccount, noSignature } from './wallet-error.ts';

/** EIP-1193. */
export interface EvmProvider {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

declare global {
  interface Window {
    ethereum?: EvmProvider;
  }
  interface WindowEventMap {
    'eip6963:announceProvider': CustomEvent<Announcement>;
  }
}

/** EIP-6963. */
interface Announcement {
  info: { uuid: string; name: string; icon: string; rdns?: string };
  provider: EvmProvider;
}

/** Watches for EVM wallets until the returned function is called. Wallets announce themselves on request, and when they load late. */
export function watchEvmWallets(onFound: (wallets: readonly BrowserWallet[]) => void): () => void {
  const found = new Map<string, BrowserWallet>();
  const announce = () => onFound(found.size > 0 ? [...found.values()] : unannounced());
  const onAnnounce = ({ detail: { info, provider } }: CustomEvent<Announcement>) => {
    found.set(info.uuid, toWallet({ key: info.uuid, name: info.name, icon: info.icon, rdns: info.rdns }, provider));
    announce();
  };
  window.addEventListener('eip6963:announceProvider', onAnnounce);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  announce();
  return () => window.removeEventListener('eip6963:announceProvider', onAnnounce);
}

/** Older wallets are injected without an announcement or a name. */
function unannounced(): BrowserWallet[] {
  const provider = window.ethereum;
  return provider
    ? [toWallet({ key: 'window.ethereum', name: t('login.browserWallet'), icon: undefined, rdns: undefined }, provider)]
    : [];
}

function toWallet(shown: Pick<BrowserWallet, 'key' | 'name' | 'icon' | 'rdns'>, provider: EvmProvider): BrowserWallet {
  return { ...shown, namespace: 'evm', open: () => openAccount(provider) };
}

async function openAccount(provider: EvmProvider): Promise<OpenAccount> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const address: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
  if (typeof address !== 'string') throw noAccount();
  // A contract wallet exists on its own chain only.
  const chainId = Number(await provider.request({ method: 'eth_chainId' }));
  return {
    accountId: `evm:${Number.isSafeInteger(chainId) && chainId > 0 ? chainId : 1}:${address}`,
    address,
    sign: async (message) => {
      const signature = await provider.request({ method: 'personal_sign', params: [toHex(message), address] });
      if (typeof signature !== 'string') throw noSignature();
      return signature;
    },
  };
}

function toHex(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
