import { t } from '../messages/index.ts';
import type { BrowserWallet, OpenAccount } from './wallet.ts';
import { noAccount, noSignature } from './wallet-error.ts';

/** What wallets of Bitcoin put into the list that pages look at (WBIP004). */
interface ListedProvider {
  /** Where the provider is below `window`, as `XverseProviders.BitcoinProvider`. */
  id: string;
  name: string;
  icon?: string;
  methods?: readonly string[];
}

/** JSON-RPC 2.0 (WBIP001): an error may come as an answer. */
interface BitcoinProvider {
  request(method: string, params: object): Promise<unknown>;
}

/** The part of a window that is looked at. */
export type WalletPlace = object;

const needed = ['getAccounts', 'signMessage'] as const;

/** One wallet has an address for payments and one for Ordinals; either can be linked. */
const purposes = [
  { purpose: 'ordinals', title: 'wallets.ordinals' },
  { purpose: 'payment', title: 'wallets.payment' },
] as const;
type Purpose = (typeof purposes)[number]['purpose'];

/** The Bitcoin wallets of this browser that sign texts. They are there before the page is, or not at all. */
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
      const asked = { address, message, protocol: 'BIP322' };
      const signature = fieldOf(resultOf(await provider.request('signMessage', asked)), 'signature');
      if (signature === undefined) throw noSignature();
      return signature;
    },
  };
}

/** Throws what went wrong, if the answer says so. */
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
