import { equalSecrets, hashSecret } from '@latchkey/db';
import { AppError, addSeconds, type ChatPlatform, chatPlatforms } from '@latchkey/kernel';
import {
  type IdentityProvider,
  type MessageIdentityProvider,
  PlatformFailed,
  type PlatformIdentity,
  type PlatformName,
  type RedirectIdentityProvider,
} from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { isUserKey, userKey } from '../../shared/qualified-ids.ts';
import { challengeOf } from '../link-attempts/index.ts';
import {
  answerTtlSeconds,
  chatPrefix,
  contentPlace,
  type LoginContent,
  type LoginRequester,
  loginTtlSeconds,
  readContent,
  returnAddress,
  unknownLogin,
} from './login.ts';
import { insertLogin, type PlatformLoginRow, takeLogin } from './queries.ts';

/** The parameters that a browser returns with. All of them are untrusted. */
export interface ReturnedLogin {
  method: PlatformName;
  state: string;
  /** From the cookie. */
  browser: string;
  code?: string | undefined;
  error?: string | undefined;
  issuer?: string | undefined;
}

export interface FinishedLogin {
  slug: string;
  /** The redirect target that was set when the login started. */
  returnTo?: string;
  user: { userId: string; platform: PlatformName; name: string };
}

type FinishContext = Pick<Context, 'clock' | 'db' | 'identityProviders' | 'keyring' | 'log' | 'settings'>;

const mostNameLength = 100;

/** Finishes a login and returns the user. The login is consumed in any case. */
export async function finishPlatformLogin(ctx: FinishContext, returned: ReturnedLogin): Promise<FinishedLogin> {
  const { method, state, browser } = returned;
  const row = await takeLogin(ctx.db.system, hashSecret(state), hashSecret(browser));
  // A state that was issued for one platform and returns through another is the mix-up attack of RFC 9700, section 4.4.
  if (row === undefined || row.expires_at <= ctx.clock() || row.method !== method) throw unknownLogin();
  const content = readContent(ctx, row);
  if (returned.error !== undefined) throw refusedThere(method, returned.error);
  const { userId, name } = await identify(ctx, row, content, returned);
  // Qualified ids are split at #, so an id that contains one could impersonate another user.
  if (!isUserKey(userKey(method, userId))) throw notAccepted(method);
  const user = { userId: userKey(method, userId), platform: method, name: name.slice(0, mostNameLength) };
  const { slug, returnTo } = content;
  return { slug, user, ...(returnTo !== undefined && { returnTo }) };
}

async function identify(
  ctx: FinishContext,
  row: PlatformLoginRow,
  content: LoginContent,
  { method, code, issuer }: ReturnedLogin,
): Promise<PlatformIdentity> {
  const provider = ctx.identityProviders[method];
  if (provider === undefined || code === undefined) throw unknownLogin();
  if (provider.kind !== 'redirect') return answeredBy(ctx, row, content, code);
  if (issuer !== undefined && issuer !== provider.issuer) throw unknownLogin();
  return exchange(ctx, provider, method, { code, codeVerifier: content.codeVerifier });
}

/** The code must be the one shown recently to the user, in their chat. */
function answeredBy(
  ctx: FinishContext,
  { answer_hash, answered_at }: PlatformLoginRow,
  content: LoginContent,
  code: string,
): PlatformIdentity {
  if (answer_hash === null || answered_at === null || content.answeredBy === undefined) throw unknownLogin();
  const isFresh = ctx.clock().getTime() - answered_at.getTime() < answerTtlSeconds * 1000;
  if (!isFresh || !equalSecrets(hashSecret(code), answer_hash)) throw unknownLogin();
  return content.answeredBy;
}

async function exchange(
  ctx: FinishContext,
  provider: RedirectIdentityProvider,
  method: PlatformName,
  proof: { code: string; codeVerifier: string },
): Promise<PlatformIdentity> {
  try {
    return await provider.finish({ ...proof, redirectUri: returnAddress(ctx, method) });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind === 'unavailable') throw platformIsDown(method, error);
    if (error.kind === 'not-configured') {
      ctx.log.warn('A platform rejects logins from this server.', { platform: method, reason: error.message });
      throw new AppError(
        'NOT_CONFIGURED',
        `${chatPlatforms[method].title} rejects this server’s configuration. Please contact the operator.`,
        { retryAfterSeconds: 300 },
      );
    }
    throw notAccepted(method);
  }
}

function notAccepted(method: PlatformName): AppError {
  return new AppError(
    'INVALID_CREDENTIAL',
    `${chatPlatforms[method].title} did not confirm this login. Go back to where you came from and start again.`,
  );
}

function refusedThere(method: PlatformName, error: string): AppError {
  const name = chatPlatforms[method].title;
  return error === 'access_denied'
    ? new AppError('INVALID_CREDENTIAL', `You did not approve the login on ${name}, so you are not logged in.`)
    : new AppError('INVALID_CREDENTIAL', `${name} refused this login. Go back to where you came from and start again.`);
}

export interface BegunLogin {
  /** The URL to redirect the browser to. */
  url: string;
  state: string;
  /** Stored in a cookie of the browser: without it the login cannot be finished. */
  browser: string;
}

type BeginContext = Pick<Context, 'clock' | 'db' | 'identityProviders' | 'keyring' | 'random' | 'settings'>;

const secretLength = 43;
/** With its prefix it fits into the 64 characters that Telegram allows. */
const stateLength = 32;

/** Starts a login with a chat platform, for the request with this slug. Nothing is stored if the platform is down. */
export async function beginPlatformLogin(
  ctx: BeginContext,
  {
    method,
    slug,
    asker,
    returnTo,
    account,
  }: {
    method: PlatformName;
    slug: string;
    asker: LoginRequester;
    returnTo?: string | undefined;
    /** The account that a person names, on platforms whose bot sends a link there. */
    account?: string | undefined;
  },
): Promise<BegunLogin> {
  const provider = ctx.identityProviders[method];
  if (provider === undefined) throw notConfigured(method, 'login');
  const state = ctx.random.id(stateLength);
  const browser = ctx.random.id(secretLength);
  const codeVerifier = ctx.random.id(secretLength);
  if (provider.kind === 'message') {
    const userId = provider.readAccount(account ?? '');
    if (userId === undefined || !isUserKey(userKey(method, userId))) throw noAccount(method);
    const code = ctx.random.id(secretLength);
    const content = {
      slug,
      asker,
      state,
      codeVerifier,
      answeredBy: { userId, name: userId },
      ...(returnTo !== undefined && { returnTo }),
    };
    await storeLogin(ctx, { method, browser, content, code });
    return { url: await sendLink(ctx, provider, method, { userId, state, code, asker }), state, browser };
  }
  const url = await addressOf(ctx, provider, method, { state, codeVerifier });
  const content: LoginContent = { slug, asker, state, codeVerifier, ...(returnTo !== undefined && { returnTo }) };
  await storeLogin(ctx, { method, browser, content });
  return { url, state, browser };
}

async function storeLogin(
  ctx: BeginContext,
  { method, browser, content, code }: { method: PlatformName; browser: string; content: LoginContent; code?: string },
): Promise<void> {
  const stateHash = hashSecret(content.state);
  const now = ctx.clock();
  await insertLogin(ctx.db.system, {
    state_hash: stateHash,
    browser_hash: hashSecret(browser),
    method,
    content: ctx.keyring.seal(contentPlace(stateHash), JSON.stringify(content)),
    answer_hash: code === undefined ? null : hashSecret(code),
    answered_at: code === undefined ? null : now,
    created_at: now,
    expires_at: addSeconds(now, loginTtlSeconds),
  });
}

/**
 * Sends the link that finishes the login. It works only in the browser that began it: a caller who names another person's account
 * never gets the link, and that person would complete nothing with it.
 */
async function sendLink(
  ctx: BeginContext,
  provider: MessageIdentityProvider,
  method: PlatformName,
  { userId, state, code, asker }: { userId: string; state: string; code: string; asker: LoginRequester },
): Promise<string> {
  const link = `${returnAddress(ctx, method)}?${new URLSearchParams({ state, code })}`;
  // Which language the reader speaks is not known.
  const t = messagesIn(undefined);
  const time = ctx.clock().toISOString().slice(11, 16);
  const words = [
    t('telegramLogin.question', { site: asker.name, host: asker.host, name: userId }),
    `This was requested in a browser at ${time} UTC. If that was you, open this link in the same browser within ${answerTtlSeconds / 60} minutes: ${link}`,
    t('telegramLogin.warning'),
  ];
  try {
    return await provider.send(userId, words.join('\n\n'));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind === 'unavailable' || error.kind === 'not-configured') throw platformIsDown(method, error);
    throw noAccount(method);
  }
}

function noAccount(method: PlatformName): AppError {
  const { title, account }: ChatPlatform = chatPlatforms[method];
  return new AppError(
    'INVALID_PARAMETER_VALUE',
    `The bot cannot write to this account on ${title}. Enter your account as in ${account?.example ?? title}.`,
  );
}

async function addressOf(
  ctx: BeginContext,
  provider: Exclude<IdentityProvider, MessageIdentityProvider>,
  method: PlatformName,
  { state, codeVerifier }: { state: string; codeVerifier: string },
): Promise<string> {
  if (provider.kind === 'redirect')
    return provider.start({
      state,
      redirectUri: returnAddress(ctx, method),
      codeChallenge: challengeOf(codeVerifier),
    });
  try {
    return await provider.start(`${chatPrefix}${state}`);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    throw platformIsDown(method, error);
  }
}

function platformIsDown(method: PlatformName, error: PlatformFailed): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${chatPlatforms[method].title} is not responding. Nothing was changed; please try again in a few minutes.`,
    { retryAfterSeconds: error.retryAfterSeconds ?? 30, cause: error },
  );
}
