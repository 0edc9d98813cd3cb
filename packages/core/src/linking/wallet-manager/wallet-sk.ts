/** A wallet as clients refer to it. */
export interface NamedWallet {
  address: string;
  /** The one community that is meant; without it, the wallet itself. */
  communityId: string | undefined;
}

/**
 * Parses the sk of a connection (`WALLET#<community>#<address>`, or without a community), an account id or an address.
 */
export function readWalletSk(walletSk: string): NamedWallet {
  const local = walletSk.replace(/^WALLET#/, '');
  const end = local.lastIndexOf('#');
  const last = local.slice(end + 1);
  return {
    address: /^[-a-z0-9]{2,16}:[-_a-zA-Z0-9]{1,32}:(.+)$/.exec(last)?.[1] ?? last,
    communityId: end > 0 ? local.slice(0, end) : undefined,
  };
}
