/** A failure between this page and the wallet, with a message for the user. */
export class Problem extends Error {}

const declined = 'You declined in your wallet. Nothing was signed.';

export const problems = {
  expired: 'The QR code has expired. Start again to get a new one.',
  unreachable:
    'The WalletConnect relay could not be reached. Check your connection, or link your wallet in another way.',
  ended: 'Your wallet ended the connection. Nothing was signed.',
  late: 'Your wallet did not respond in time. Start again.',
  noAccount: 'Your wallet shared no account on a chain that can be linked here. Choose another account and try again.',
  cannotSign: 'This wallet cannot sign messages over WalletConnect. Use another wallet, or link it in another way.',
} as const;

export function relayRefused(reason: string): Problem {
  const said = reason === '' ? '' : ` It says: ${reason.slice(0, 100)}.`;
  return new Problem(`The WalletConnect relay refused this site.${said} Link your wallet in another way.`);
}

/** Converts an error from the wallet. Codes are those of WalletConnect, EIP-1193 and JSON-RPC. */
export function walletRefused(error: unknown): Problem {
  const { code, message } = Object(error);
  const text = typeof message === 'string' ? message.slice(0, 300) : '';
  if ([5100, 5102, 5103, 5104].includes(code)) return new Problem(problems.noAccount);
  if ([3001, 4200, 5101, -32601].includes(code)) return new Problem(problems.cannotSign);
  if ([4001, 5000, 5001, 5002, 5003].includes(code)) return new Problem(declined);
  return new Problem(text === '' ? 'Your wallet reported an error. Try again.' : `Your wallet says: ${text}`);
}
