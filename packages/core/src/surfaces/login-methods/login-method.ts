import { type CredentialKind, credentialKinds, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { SessionRow } from '../../identity/credentials/index.ts';
import { isOwnAccount, shownAddress, type WalletRow, walletAccountId } from '../../identity/wallets/index.ts';

export const Session = record('Session', 'A token of the signed-in person that has not expired.', {
  id: text('The id of the session; the token itself is not stored.'),
  kind: T.Unsafe<CredentialKind>({
    type: 'string',
    enum: Object.keys(credentialKinds),
    description: 'How it was created.',
  }),
  clientId: T.Optional(text('The one application it was made for.')),
  scopes: texts('What it may do; `$all` is everything.'),
  isCurrent: T.Boolean({ description: 'Whether it is the calling session.' }),
  createdTime: text('When it was made, in ISO 8601.'),
  expiresTime: text('When it expires, in ISO 8601.'),
});
export type Session = ValueOf<typeof Session>;

export const SignInWallet = record('SignInWallet', 'A linked wallet, and whether it signs in to the account.', {
  id: text('The id of the link.'),
  accountId: text('The account in CAIP-10 form.'),
  address: text('The address, in its chain’s format.'),
  signsIn: T.Boolean({ description: 'Whether signing in with it opens this account.' }),
  signsInSince: T.Optional(text('Since when it does, in ISO 8601.')),
  createdTime: text('When it was linked, in ISO 8601.'),
});
export type SignInWallet = ValueOf<typeof SignInWallet>;

export const AllowedApplication = record('AllowedApplication', 'An application with access to the account.', {
  clientId: text('The id of the application.'),
  name: text('What it is called.'),
  url: T.Optional(text('Its own page.')),
  scopes: T.Array(
    record('AllowedScope', 'One thing that it may know or do.', {
      scope: text('The scope.'),
      description: text('What it allows, as words that follow "may".'),
    }),
    { description: 'What it may know and do.', maxItems: 200 },
  ),
  createdTime: text('When it first got access, in ISO 8601.'),
});
export type AllowedApplication = ValueOf<typeof AllowedApplication>;

export function toSession(row: Omit<SessionRow, 'user_id'>, currentId: string | undefined): Session {
  return {
    id: row.id,
    kind: row.credential,
    ...(row.client_id !== null && { clientId: row.client_id }),
    scopes: row.scopes,
    isCurrent: row.id === currentId,
    createdTime: row.created_at.toISOString(),
    expiresTime: row.expires_at.toISOString(),
  };
}

export function toSignInWallet(row: WalletRow): SignInWallet {
  const since = isOwnAccount(row) ? row.created_at : row.signs_in_since;
  return {
    id: row.id,
    accountId: walletAccountId(row),
    address: shownAddress(row),
    signsIn: since !== null,
    ...(since !== null && { signsInSince: since.toISOString() }),
    createdTime: row.created_at.toISOString(),
  };
}
