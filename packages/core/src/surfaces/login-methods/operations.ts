import { listOf, NoContent, notFound, op, principalId, text, thePerson } from '@latchkey/kernel';
import { deleteBrowserSessions, describeScopes } from '../../developers/oauth2/index.ts';
import { listAuthorizations } from '../../developers/user-authorizations/index.ts';
import { namesOfApps } from '../../identity/client-apps/index.ts';
import {
  deleteConsoleSessionOf,
  deleteSession,
  endSessionsOf,
  endTokenOf,
  endTokensOf,
  revokeSession,
  selectConsoleSessions,
  selectSessions,
  selectTokensOf,
} from '../../identity/credentials/index.ts';
import type { Context } from '../../shared/context.ts';
import { AllowedApplication, Session, SignInWallet, toSession } from './login-method.ts';
import { listSignInWallets, switchOff, switchOn } from './wallet-sign-in.ts';

const most = 1_000;

/** Returns the applications with access to the account, with names and descriptions of their scopes. */
async function listApplications(ctx: Pick<Context, 'actor' | 'db' | 'tx'>): Promise<AllowedApplication[]> {
  const rows = await ctx.tx((tx) => listAuthorizations(tx, principalId(ctx.actor), '', most));
  const names = await namesOfApps(
    ctx.db.system,
    rows.map((row) => row.client_id),
  );
  return Promise.all(
    rows.map(async ({ client_id, scopes, created_at }) => {
      const { name, url } = names.get(client_id) ?? { name: client_id, url: null };
      return {
        clientId: client_id,
        name,
        ...(url !== null && { url }),
        scopes: [...(await describeScopes(ctx, scopes))],
        createdTime: created_at.toISOString(),
      };
    }),
  );
}

const id = text('The id, as the list shows it.', { minLength: 1, maxLength: 64 });

export const loginMethodOperations = [
  op(
    'GET /latchkey/account/sessions',
    {
      id: 'listSessions',
      summary: 'List your sessions',
      description:
        'Returns the tokens of the signed-in person that have not expired, newest first: sign-ins, browsers that are signed in to the console, links to connect wallets, tokens that identify them to an application, and tokens the operator created for them. Up to 100. Applications with access are listed by GET /user-authorizations.',
      access: thePerson,
      returns: listOf(Session),
    },
    listSessions,
  ),
  op(
    'DELETE /latchkey/account/sessions/{id}',
    {
      id: 'endSession',
      summary: 'End one session',
      description: 'Ends one of the signed-in person’s sessions. Its token is refused from then on.',
      audit: 'session.end',
      access: thePerson,
      params: { id },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    endSession,
  ),
  op(
    'DELETE /latchkey/account/sessions',
    {
      id: 'endAllSessions',
      summary: 'Sign out everywhere',
      description:
        'Ends every session of the signed-in person, this one included, in every browser, and every token the operator created for them. Applications keep their access; revoke it with DELETE /user-authorizations/{clientId}.',
      audit: 'session.end-all',
      access: thePerson,
      returns: NoContent,
    },
    endAllSessions,
  ),
  op(
    'GET /latchkey/account/applications',
    {
      id: 'listApplications',
      summary: 'List apps with access, by name',
      description:
        'Returns the applications that have access to the signed-in person’s account, with their names and what each scope means. Revoke one with DELETE /user-authorizations/{clientId}.',
      access: thePerson,
      returns: listOf(AllowedApplication),
    },
    listApplications,
  ),
  op(
    'GET /latchkey/account/wallets',
    {
      id: 'listSignInWallets',
      summary: 'List wallets and their sign-in status',
      description:
        'Returns the linked wallets of the signed-in person. A linked wallet proves what its owner holds; it can sign in to the account only if its owner turned that on. At most 1,000.',
      access: thePerson,
      returns: listOf(SignInWallet),
    },
    listSignInWallets,
  ),
  op(
    'PUT /latchkey/account/wallets/{id}/sign-in',
    {
      id: 'switchOnWalletSignIn',
      summary: 'Allow a linked wallet to sign in',
      description:
        'Lets this wallet sign in to this account on this server’s pages, with the same access as the calling session. Needs a sign-in by wallet, passkey or chat account within the last 10 minutes. Only Ethereum wallets with a key of their own can sign in.',
      audit: 'wallet.sign-in-on',
      access: thePerson,
      params: { id },
      returns: SignInWallet,
      errors: ['ENTITY_NOT_FOUND', 'PRESENCE_REQUIRED', 'STATE_CONFLICT'],
    },
    switchOn,
  ),
  op(
    'DELETE /latchkey/account/wallets/{id}/sign-in',
    {
      id: 'switchOffWalletSignIn',
      summary: 'Disable sign-in with a wallet',
      description:
        'The wallet stays linked and counts for roles, but no longer signs in to this account. Other browsers that a wallet signed in to the console are signed out.',
      audit: 'wallet.sign-in-off',
      access: thePerson,
      params: { id },
      returns: SignInWallet,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    switchOff,
  ),
] as const;

type SessionContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

async function listSessions(ctx: SessionContext): Promise<Session[]> {
  const currentId = ctx.actor.kind === 'user' ? ctx.actor.sessionId : undefined;
  const [userId, now] = [principalId(ctx.actor), ctx.clock()];
  const rows = await ctx.tx((tx) => selectSessions(tx, userId, now));
  const tokens = await selectTokensOf(ctx.db.system, userId, now);
  const ofOperator = tokens.map(({ id, scopes, issued_at, expires_at }) =>
    toSession(
      { id, credential: 'operator-token', client_id: null, scopes, created_at: issued_at, expires_at },
      undefined,
    ),
  );
  const inConsole = await selectConsoleSessions(ctx.db.system, userId, now);
  const ofConsole = inConsole.map(({ id, scopes, created_at, expires_at }) =>
    toSession({ id, credential: 'console-session', client_id: null, scopes, created_at, expires_at }, currentId),
  );
  return [...ofOperator, ...ofConsole, ...rows.map((row) => toSession(row, currentId))];
}

async function endSession(ctx: SessionContext, { id }: { id: string }): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const userId = principalId(ctx.actor);
    const session = await deleteSession(tx, userId, id);
    if (session !== undefined) return revokeSession(tx, session);
    if (await deleteConsoleSessionOf(tx, userId, id)) return;
    if (!(await endTokenOf(tx, userId, id, ctx.clock()))) throw notFound('session');
  });
}

/** Ends every session of the person, in every browser. Access granted to applications is not affected. */
async function endAllSessions(ctx: SessionContext & Pick<Context, 'keyring'>): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.db.transaction('system', async (tx) => {
    await endSessionsOf(ctx, tx, userId);
    await endTokensOf(tx, userId, ctx.clock());
    await deleteBrowserSessions(tx, userId);
  });
}
