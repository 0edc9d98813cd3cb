import { type Hashed, hashSecret } from '@latchkey/db';
import { AppError, choice, type HandoffPage, record, T, text, type ValueOf } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import type { ProvenSignIn } from '../ethereum-login/index.ts';
import type { ProvenWallet } from '../wallet-links/index.ts';
import { WalletConnectionResponse } from '../wallet-manager/index.ts';
import { findByTicket, type HandoffRow } from './queries.ts';

/** How long a user may take in the other browser and back. */
export const handoffSeconds = 10 * 60;

/** More wrong codes than a person would type; guessing six digits stays infeasible. */
export const mostWrongCodes = 5;

export const secretLength = 32;

export const purposes = ['link', 'sign-in'] as const;

export type Purpose = (typeof purposes)[number];

/** The sealed content of a handoff. */
export interface HandoffContent {
  /** The user whose account it is for, if known. */
  person?: { userId: string; platform: string; name?: string };
  communityId?: string;
  proven?: Proven;
}

export type Proven = { code: string } & (
  | { kind: 'link'; wallet: ProvenWallet }
  | { kind: 'sign-in'; signIn: Omit<ProvenSignIn, 'at'> & { at: string } }
);

export const BegunHandoff = record('BegunHandoff', 'A step that can be continued in another browser.', {
  url: text('The link for the other browser. It can only be used to verify a wallet.', { maxLength: 2048 }),
  key: text('Keep this in the browser that started: it is required to see and accept the result.'),
  expiresTime: text('Until when it can be finished, in ISO 8601.'),
});

export type BegunHandoff = ValueOf<typeof BegunHandoff>;

const ArrivedWallet = record('ArrivedWallet', 'The wallet that was verified in the other browser.', {
  address: text('Its address.'),
  namespace: text('The kind of chain, for example evm or solana.'),
  accountName: T.Optional(text('The name of the account that it signs in to.')),
  accountPlatform: T.Optional(text('The platform of that account, for example discord or ethereum.')),
});

export const HandoffState = record('HandoffState', 'The progress of a handoff.', {
  state: choice(
    'waiting: not opened yet. opened: the other browser has requested the message to sign. proven: a wallet was verified; accept it with the code that the other browser shows.',
    ['waiting', 'opened', 'proven'] as const,
  ),
  wallet: T.Optional(ArrivedWallet),
  expiresTime: text('Until when it can be finished, in ISO 8601.'),
});

export type HandoffState = ValueOf<typeof HandoffState>;

export const HandoffMessage = record('HandoffMessage', 'What to sign in the other browser.', {
  message: text('The exact text to sign.', { maxLength: 65_536 }),
  state: text('Identifies this message when you send the signature.'),
});

export type HandoffMessage = ValueOf<typeof HandoffMessage>;

export const HandoffCode = record('HandoffCode', 'The proof is valid.', {
  code: text('Six digits to enter in the browser that started.'),
});

export type HandoffCode = ValueOf<typeof HandoffCode>;

export const FinishedHandoff = record('FinishedHandoff', 'The result of a handoff.', {
  idToken: T.Optional(
    text('For a sign-in: an AE token, to be sent as `Authorization: AE <token>`. It is valid for one hour.', {
      maxLength: 8192,
    }),
  ),
  connection: T.Optional(WalletConnectionResponse),
});

export type FinishedHandoff = ValueOf<typeof FinishedHandoff>;

export function contentPlace(ticketHash: Hashed | string): string {
  return `handoffs.content:${ticketHash}`;
}

// Sealed text is authenticated: it can only be what this feature wrote.
export function readContent(ctx: Pick<Context, 'keyring'>, row: HandoffRow): HandoffContent {
  return JSON.parse(ctx.keyring.openText(contentPlace(row.ticket_hash), row.content)) as HandoffContent;
}

/** One error for a handoff that never existed, expired, was used, or belongs to another user. */
export function unknownHandoff(): AppError {
  return new AppError(
    'ENTITY_NOT_FOUND',
    'This link has expired or was already used. Go back to the page where you started and try again.',
  );
}

/** Returns the data of the page behind the link; undefined if the link is unknown, has expired or was used. */
export async function openHandoff(ctx: Context, ticket: string): Promise<HandoffPage | undefined> {
  const row = await findByTicket(ctx.db.system, hashSecret(ticket), ctx.clock());
  if (row === undefined || row.proven_at !== null) return undefined;
  const { person, communityId } = readContent(ctx, row);
  const base = { page: 'handoff', ticket, server: ctx.settings.serviceName } as const;
  if (person === undefined) return { ...base, purpose: 'sign-in', namespaces: ['evm'] };
  const user = contextFor(ctx, { kind: 'user', ...person, scopes: [], credential: 'connect-link' });
  const community = communityId === undefined ? undefined : await user.tx((tx) => selectCommunity(tx, communityId));
  return {
    ...base,
    purpose: 'link',
    account: { platform: person.platform, name: person.name ?? person.userId.split('#').at(-1) ?? person.userId },
    ...(community !== undefined && { community: { name: community.name } }),
    namespaces: Object.keys(ctx.wallets).filter((namespace) => namespace !== 'magic'),
  };
}
