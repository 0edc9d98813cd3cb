import { AppError, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { WalletRow } from '../wallets/index.ts';

/** The namespace of accounts of X, as rules name it. */
export const namespace = 'twitter';

const LinkedX = record('LinkedX', 'An account of X.', {
  id: text('The number of the account, which never changes.'),
  name: T.Optional(text('What the account was called when it was linked, without @.')),
  linkedTime: text('When it was linked, in ISO 8601.'),
});

export const XAccount = record('XAccount', 'Which X account is linked, if any.', {
  isOffered: T.Boolean({ description: 'Whether X accounts can be linked on this server.' }),
  account: T.Optional(LinkedX),
});
export type XAccount = ValueOf<typeof XAccount>;

export function toXAccount({ x }: Pick<Context, 'x'>, row: WalletRow | undefined): XAccount {
  return {
    isOffered: x !== undefined,
    ...(row !== undefined && {
      account: {
        id: row.address,
        ...(row.account_name !== null && { name: row.account_name }),
        linkedTime: row.created_at.toISOString(),
      },
    }),
  };
}

/** Where X sends the browser back to. The page there hands what came to the page that began it. */
export function returnAddress({ settings }: Pick<Context, 'settings'>): string {
  return `${settings.baseUrl}/account/x`;
}

export function notOffered(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'X is not configured. Set LATCHKEY_X_CLIENT_ID and LATCHKEY_X_CLIENT_SECRET on the server.',
    { retryAfterSeconds: 3600 },
  );
}
