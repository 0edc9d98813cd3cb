import { t } from '../messages/index.ts';
import type { BrowserWallet, OpenAccount } from './wallet.ts';
import { noAccount, noSignature } from './wallet-error.ts';

/** What Bitcoin wallets put into the list that pages read (WBIP004). */
interface ListedProvider {
  /** The path of the provider below `window`, such as `XverseProviders.BitcoinProvider`. */
  id: string;
  name: string;
  icon?: string;
  methods?: readonly string[];
}

/** JSON-RPC 2.0 (WBIP001): an error may be returned as a response. */
interface BitcoinProvider {
  request(method: string, params: object): Promise<unknown>;
}

/** The part of a window that is read. */
export type WalletPlace = object;

const needed = ['getAccounts', 'signMessage'] as const;

/** A wallet has one address for payments and one for Ordinals; either can be linked. */
const purposes = [
  { purpose: 'ordinals', title: 'wallets.ordinals' },
  { purpose: 'payment', title: 'wallets.payment' },
] as const;
type Purpose = (typeof purposes)[number]['purpose'];

/** Returns the Bitcoin wallets of this browser that sign text. They are injected before the page loads, or not at all. */
export function findBitcoinWallets(place: WalletPlace = window): readonly BrowserWallet[] {
  const listed: unknown = Reflect.get(place, 'btc_providers');
  return (Array.isArray(listed) ? listed : []).filter(isUsable).flatMap((shown) => {
    const provider = providerAt(place, shown.id);
    if (provider === undefined) return [];
    return purposes.map(({ purpose, title }) => ({
      key: `bitcoin:${shown.id}:${purpose}`,
      name: t(title, { wallet: shown.name }),
      icon: shown.icon,
      rdns: undefined,
      namespace: 'bitcoin' as const,
      open: () => openAccount(provider, purpose),
    }));
  });
}

function isUsable(entry: unknown): entry is ListedProvider {
  if (typeof entry !== 'object' || entry === null) return false;
  const { id, name, icon, methods } = entry as Partial<Record<keyof ListedProvider, unknown>>;
  const isNamed = typeof id === 'string' && typeof name === 'string' && ['string', 'undefined'].includes(typeof icon);
  return isNamed && Array.isArray(methods) && needed.every((method) => methods.includes(method));
}

function providerAt(place: WalletPlace, path: string): BitcoinProvider | undefined {
  const found = path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), place);
  const isProvider = typeof found === 'object' && found !== null && typeof Reflect.get(found, 'request') === 'function';
  return isProvider ? (found as BitcoinProvider) : undefined;
}

async function openAccount(provider: BitcoinProvider, purpose: Purpose): Promise<OpenAccount> {
  const accounts = resultOf(await provider.request('getAccounts', { purposes: [purpose] }));
  const account: unknown = Array.isArray(accounts)
    ? accounts.find((one) => fieldOf(one, 'purpose') === purpose)
    : undefined;
  const address = fieldOf(account, 'address');
  if (address === undefined) throw noAccount();
  return {
    accountId: `bitcoin:mainnet:${address}`,
    address,
    sign: async (message) => {
      const request = { address, message, protocol: 'BIP322' };
      const signature = fieldOf(resultOf(await provider.request('signMessage', request)), 'signature');
      if (signature === undefined) throw noSignature();
      return signature;
    },
  };
}

/** Returns the result of a response, and throws its error. */
function resultOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const error: unknown = Reflect.get(answer, 'error');
  if (error !== undefined && error !== null) throw error;
  return Reflect.get(answer, 'result');
}

function fieldOf(value: unknown, name: string): string | undefined {
  const field: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof field === 'string' && field !== '' ? field : undefined;
}
