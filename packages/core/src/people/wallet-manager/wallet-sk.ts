/** The address in the sk of a wallet (`WALLET#…#<address>`), in an account id, or by itself. */
export function addressOfSk(walletSk: string): string {
  const last = walletSk.slice(walletSk.lastIndexOf('#') + 1);
  return /^[-a-z0-9]{2,16}:[-_a-zA-Z0-9]{1,32}:(.+)$/.exec(last)?.[1] ?? last;
}
