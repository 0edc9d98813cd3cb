import {
  AppError,
  NoContent,
  notFound,
  op,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import {
  attemptTtlSeconds,
  beginAttempt,
  exchangeCode,
  LinkAttempt,
  returnedFrom,
  takeAttempt,
} from '../../identity/link-attempts/index.ts';
import { findAccountOf, unlinkAccount, type WalletRow } from '../../identity/wallets/index.ts';
import type { PlatformIdentity } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { reportLink, saveLink } from '../wallet-links/index.ts';

/** The namespace of X accounts in rules. */
const namespace = 'twitter';

const LinkedX = record('LinkedX', 'An X account.', {
  id: text('The number of the account, which never changes.'),
  name: T.Optional(text('The name of the account when it was linked, without @.')),
  linkedTime: text('When it was linked, in ISO 8601.'),
});

export const XAccount = record('XAccount', 'Which X account is linked, if any.', {
  isOffered: T.Boolean({ description: 'Whether X accounts can be linked on this server.' }),
  account: T.Optional(LinkedX),
});
export type XAccount = ValueOf<typeof XAccount>;

function toXAccount({ x }: Pick<Context, 'x'>, row: WalletRow | undefined): XAccount {
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

/** Returns where X redirects the browser. The page there passes the response to the page that started. */
function returnAddress({ settings }: Pick<Context, 'settings'>): string {
  return `${settings.baseUrl}/account/x`;
}

function notOffered(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'X is not configured. Set LATCHKEY_X_CLIENT_ID and LATCHKEY_X_CLIENT_SECRET on the server.',
    { retryAfterSeconds: 3600 },
  );
}

const minutes = attemptTtlSeconds / 60;

export const xAccountOperations = [
  op(
    'GET /latchkey/account/x',
    {
      id: 'getXAccount',
      summary: 'Get your linked X account',
      description:
        'Returns the signed-in user’s linked X account, and whether X accounts can be linked on this server. It is used by rules of the type twitter.',
      access: thePerson,
      returns: XAccount,
    },
    getXAccount,
  ),
  op(
    'POST /latchkey/account/x/attempts',
    {
      id: 'beginXLink',
      summary: 'Start linking an X account',
      description: `Returns the address at X where the user approves the link (OAuth 2.0 with PKCE). X then redirects the browser to /account/x of this server with a code. An attempt works once, for the user who started it, and expires after ${minutes} minutes; only the newest five are valid.`,
      access: thePerson,
      returns: LinkAttempt,
      errors: ['UNAVAILABLE'],
    },
    beginXLink,
  ),
  op(
    'POST /latchkey/account/x',
    {
      id: 'finishXLink',
      summary: 'Finish linking an X account',
      description:
        'Links the X account that approved the request. The account is read from X; no X token is stored. Roles that depend on it are re-checked. Fails if another account in one of your communities has linked it, or if you have linked another X account.',
      access: thePerson,
      body: returnedFrom('X'),
      returns: XAccount,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    finishXLink,
  ),
  op(
    'DELETE /latchkey/account/x',
    {
      id: 'unlinkX',
      summary: 'Unlink your X account',
      description: 'Unlinks the signed-in user’s X account. Roles that depend on it are removed.',
      access: thePerson,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unlinkX,
  ),
] as const;

export async function getXAccount(ctx: Pick<Context, 'actor' | 'tx' | 'x'>): Promise<XAccount> {
  return toXAccount(ctx, await ctx.tx((tx) => findAccountOf(tx, principalId(ctx.actor), namespace)));
}

type BeginContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'x'>;

export async function beginXLink(ctx: BeginContext): Promise<LinkAttempt> {
  const { x } = ctx;
  if (x === undefined) throw notOffered();
  return beginAttempt(ctx, namespace, (request) => x.start({ ...request, redirectUri: returnAddress(ctx) }));
}

/** Unlinks the caller's X account. Roles that depend on it are re-checked. */
export async function unlinkX(ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random'>): Promise<void> {
  const wasLinked = await unlinkAccount(ctx, namespace, 'x-account.unlink', async (tx, userId, change) => {
    if (userId === principalId(ctx.actor)) await reportLink(ctx, tx, 'member.wallet-unlinked', userId);
    await reconcileUser(tx, userId, change);
  });
  if (!wasLinked) throw notFound('linked X account');
}

type FinishContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'origin' | 'random' | 'settings' | 'x'
>;

/** Links the X account whose code the browser returned with. The attempt is consumed in any case. */
export async function finishXLink(
  ctx: FinishContext,
  { body: { state, code } }: { body: { state: string; code: string } },
): Promise<XAccount> {
  const userId = principalId(ctx.actor);
  const codeVerifier = await takeAttempt(ctx, { service: namespace, state, what: 'an X account' });
  const { x } = ctx;
  if (x === undefined) throw notOffered();
  const redirectUri = returnAddress(ctx);
  const identity = await exchangeCode(ctx, 'X', () => x.finish({ code, codeVerifier, redirectUri }));
  const link = {
    namespace,
    address: identity.userId,
    contractChain: null,
    accountName: identity.name,
    auditAs: 'x-account.link',
  } as const;
  if ((await saveLink(ctx, link, reconcileUser)) === 'taken') throw isTaken(identity);
  const linked = await findAccountOf(ctx.db.system, userId, namespace);
  if (linked !== undefined && linked.address !== identity.userId) throw hasAnother(linked.account_name);
  return toXAccount(ctx, linked);
}

function isTaken({ name }: PlatformIdentity): AppError {
  return new AppError(
    'STATE_CONFLICT',
    `@${name} is linked to another account in one of your communities. Unlink it there first.`,
  );
}

function hasAnother(name: string | null): AppError {
  const other = name === null ? 'another X account' : `@${name}`;
  return new AppError('STATE_CONFLICT', `You have already linked ${other}. Unlink it first.`);
}
