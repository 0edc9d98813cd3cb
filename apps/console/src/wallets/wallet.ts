/** A wallet that this browser has. */
export interface BrowserWallet {
  /** Distinguishes wallets with the same name. */
  key: string;
  name: string;
  /** As the wallet provides it. */
  icon: string | undefined;
  /** The maker's name as a reversed domain name (EIP-6963). */
  rdns: string | undefined;
  namespace: 'evm' | 'solana' | 'bitcoin';
  /** Asks the user which account this page may see. */
  open(): Promise<OpenAccount>;
}

export interface OpenAccount {
  /** In CAIP-10 form. */
  accountId: string;
  address: string;
  /** Asks the user to sign a text. A wallet is never asked for anything else. */
  sign(message: string): Promise<string>;
}
