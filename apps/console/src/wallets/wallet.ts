/** A wallet that this browser has. */
export interface BrowserWallet {
  /** Tells wallets apart that have the same name. */
  key: string;
  name: string;
  /** As the wallet brings it. */
  icon: string | undefined;
  /** How the maker names it, in the order of domains turned around (EIP-6963). */
  rdns: string | undefined;
  namespace: 'evm' | 'solana' | 'bitcoin';
  /** Asks the person which account this page may see. */
  open(): Promise<OpenAccount>;
}

export interface OpenAccount {
  /** In CAIP-10 form. */
  accountId: string;
  address: string;
  /** Has the person sign a text. No wallet is ever asked for anything else. */
  sign(message: string): Promise<string>;
}
