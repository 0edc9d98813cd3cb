import { t } from '../messages/index.ts';
/** A failure between this page and the wallet, with a message for the user. */
export class Problem extends Error {}

/** The problems without anything to quote, each a message of its own. */
export const problems = {
  expired: 'walletConnect.expired',
  unreachable: 'walletConnect.unreachable',
  ended: 'walletConnect.ended',
  late: 'walletConnect.late',
  noAccount: 'walletConnect.noAccount',
  cannotSign: 'walletConnect.cannotSign',
} as const;

export function problemOf(message: (typeof problems)[keyof typeof problems]): Problem {
  return new Problem(t(message));
}

export function relayRefused(reason: string): Problem {
  const reply = reason.slice(0, 100);
  return new Problem(reply === '' ? t('walletConnect.refused') : t('walletConnect.refusedBecause', { reason: reply }));
}

/** Converts an error from the wallet. Codes are those of WalletConnect, EIP-1193 and JSON-RPC. */
export function walletRefused(error: unknown): Problem {
  const { code, message } = Object(error);
  const text = typeof message === 'string' ? message.slice(0, 300) : '';
  if ([5100, 5102, 5103, 5104].includes(code)) return problemOf(problems.noAccount);
  if ([3001, 4200, 5101, -32601].includes(code)) return problemOf(problems.cannotSign);
  if ([4001, 5000, 5001, 5002, 5003].includes(code)) return new Problem(t('walletError.declined'));
  return new Problem(text === '' ? t('walletError.unknown') : t('walletError.quoted', { text }));
}
