import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, addSeconds, credentialKinds, isThePerson, observed } from '@latchkey/kernel';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Browser, Context } from '../../shared/context.ts';
import { requirePresence } from '../../shared/require-presence.ts';
import { endOfUse, longestSessionSeconds } from './console-session.ts';
import { type ConsoleSessionRow, deleteConsoleSession, insertConsoleSession } from './console-session-queries.ts';

type OpenContext = Pick<Context, 'actor' | 'browser' | 'clock' | 'db' | 'origin' | 'random'>;
type Holder = Pick<
  ConsoleSessionRow,
  'user_id' | 'platform' | 'user_name' | 'scopes' | 'admin_key_id' | 'presence_how' | 'presence_at'
>;

/**
 * Signs a browser in to the console as the caller, and ends its previous session, so that a planted session secret is
 * useless.
 */
export async function openConsoleSession(ctx: OpenContext): Promise<ConsoleSessionRow> {
  const browser = requireBrowser(ctx);
  const holder = holderOf(ctx);
  const secret = Buffer.from(ctx.random.bytes(32)).toString('base64url');
  const now = ctx.clock();
  const latestAt = addSeconds(now, longestSessionSeconds);
  const times = { created_at: now, used_at: now, expires_at: endOfUse(now, latestAt), latest_at: latestAt };
  const row = { id: ctx.random.id(), secret_hash: hashSecret(secret), ...holder, ...times };
  await ctx.db.transaction('system', async (tx) => {
    if (browser.sessionSecret !== undefined) await deleteConsoleSession(tx, hashSecret(browser.sessionSecret));
    await insertConsoleSession(tx, row);
    const kind = row.user_id === null ? 'operator-console-session' : 'console-session';
    await recordAudit(tx, auditOf(ctx, 'session.create', { target: row.id, details: { kind } }));
  });
  observed.signIn.record({ method: row.user_id === null ? 'operator-console' : 'console' });
  browser.keepSession(secret, longestSessionSeconds);
  return row;
}

function requireBrowser({ browser }: OpenContext): Browser {
  if (browser !== undefined) return browser;
  throw new AppError(
    'CLIENT_NOT_ALLOWED',
    'Only pages of this server can sign a browser in to the console. They send x-latchkey-console: 1.',
  );
}

/** Returns the user of the session. It outlives its credential, so only a recent sign-in is accepted. */
function holderOf(ctx: OpenContext): Holder {
  const { actor } = ctx;
  const nobody = { user_id: null, platform: null, user_name: null, scopes: [], presence_how: null, presence_at: null };
  if (actor.kind === 'admin' && actor.keyId !== undefined && actor.sessionId === undefined)
    return { ...nobody, admin_key_id: actor.keyId };
  if (actor.kind !== 'user' || !isSignIn(actor)) throw noSignIn();
  requirePresence(ctx);
  return {
    user_id: actor.userId,
    platform: actor.platform,
    user_name: actor.name ?? null,
    scopes: [...actor.scopes],
    admin_key_id: null,
    presence_how: actor.presence?.how ?? null,
    presence_at: actor.presence?.at ?? null,
  };
}

function isSignIn(actor: Extract<Actor, { kind: 'user' }>): boolean {
  return isThePerson(actor) && credentialKinds[actor.credential].logsIn;
}

function noSignIn(): AppError {
  return new AppError(
    'SCOPE_NOT_ALLOWED',
    'Sign in to the console with a wallet, passkey or chat account, or with an operator key. This credential is neither.',
  );
}
