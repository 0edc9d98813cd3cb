import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Outcome } from '../connect/connect-wallet.ts';
import { encodeBase58 } from '../wallets/base58.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';
import { readAccounts, type SharedAccount, signMethods, wishesFor } from './accounts.ts';
import { Problem, problems } from './problem.ts';
import type { RelayAddress } from './sealed-line.ts';
import { type Session, WalletConnection } from './wallet-connection.ts';

const pauseMs = 1_000;

/** What the person sees while it goes on. */
export type View =
  | { kind: 'pairing'; uri: string }
  | { kind: 'accounts'; walletName: string; accounts: readonly SharedAccount[]; choose(account: SharedAccount): void }
  | { kind: 'signing'; walletName: string };

export interface LinkWishes {
  settings: RelayAddress & { siteName: string; evmChainIds: readonly number[] };
  namespaces: readonly string[];
  /** Has the wallet sign what the server asks for, as any other wallet does. */
  connect(wallet: BrowserWallet): Promise<Outcome>;
  /** Ends it. Nothing is said of it then. */
  signal: AbortSignal;
  onStep(text: string): void;
  onView(view: View | undefined): void;
}

/**
 * Links an account of a wallet that is reached by WalletConnect. Of the page it imports next to nothing, so that what all
 * visitors load is not cut into more pieces for its sake.
 */
export async function linkByWalletConnect(wishes: LinkWishes): Promise<Outcome> {
  const { settings, namespaces, connect, signal, onStep, onView } = wishes;
  const connection = new WalletConnection(settings, rest);
  const wake = () => document.visibilityState === 'visible' && connection.wake();
  const end = () => void connection.end();
  document.addEventListener('visibilitychange', wake);
  signal.addEventListener('abort', end);
  try {
    onStep('Connecting to WalletConnect …');
    const asker = { name: settings.siteName, description: 'Link a wallet', url: location.origin };
    const { uri, session } = await connection.propose(wishesFor(namespaces, settings.evmChainIds), asker);
    onView({ kind: 'pairing', uri });
    onStep('Waiting for your wallet …');
    const agreed = await session;
    const accounts = readAccounts(agreed.shared, namespaces);
    const account = await Promise.race([chooseOf(accounts, agreed, wishes), connection.lost]);
    onView({ kind: 'signing', walletName: agreed.walletName });
    return await connect(asWallet(agreed, account));
  } catch (error) {
    if (signal.aborted) return new Promise(() => undefined);
    if (error instanceof Problem) return { kind: 'refused', text: error.message };
    throw error;
  } finally {
    document.removeEventListener('visibilitychange', wake);
    signal.removeEventListener('abort', end);
    onView(undefined);
    end();
  }
}

/** A phone that shows the wallet has cut the line of this page, and would cut a new one. */
async function rest(failures: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, failures * pauseMs));
  if (document.visibilityState === 'visible') return;
  await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}

async function chooseOf(
  accounts: readonly SharedAccount[],
  { walletName }: Session,
  { onStep, onView }: LinkWishes,
): Promise<SharedAccount> {
  const [first] = accounts;
  if (first !== undefined && accounts.length === 1) return first;
  onStep(`Choose which account of ${walletName} to link.`);
  return new Promise((choose) => onView({ kind: 'accounts', walletName, accounts, choose }));
}

function asWallet({ walletName, request }: Session, account: SharedAccount): BrowserWallet {
  const { namespace, chain, accountId, address } = account;
  const sign = async (message: string) => {
    const params =
      namespace === 'evm'
        ? [`0x${bytesToHex(utf8ToBytes(message))}`, address]
        : { message: encodeBase58(utf8ToBytes(message)), pubkey: address };
    const answer = await request(chain, signMethods[namespace], params);
    const signature: unknown = namespace === 'evm' ? answer : Object(answer).signature;
    if (typeof signature !== 'string') throw new Problem(problems.cannotSign);
    return signature;
  };
  const open = async () => ({ accountId, address, sign });
  return { key: 'walletconnect', name: walletName, icon: undefined, rdns: undefined, namespace, open };
}
