import { hashSecret } from '@latchkey/db';
import { AppError, chatPlatforms } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { type IdentityProvider, PlatformFailed, type PlatformName } from '../../ports/index.ts';
import { challengeOf } from '../link-attempts/index.ts';
import { type Asker, chatPrefix, contentPlace, type LoginContent, loginTtlSeconds, returnAddress } from './login.ts';
import { insertLogin } from './queries.ts';

export interface BegunLogin {
  /** Where the browser goes. */
  url: string;
  state: string;
  /** What the browser keeps in a cookie: without it nobody can finish the login. */
  browser: string;
}

type BeginContext = Pick<Context, 'clock' | 'db' | 'identityProviders' | 'keyring' | 'random' | 'settings'>;

const secretLength = 43;
/** With its prefix it fits into the 64 characters that Telegram passes on. */
const stateLength = 32;

/** Begins a login by a chat platform, for the request that `slug` names. Nothing is kept if the platform is down. */
export async function beginPlatformLogin(
  ctx: BeginContext,
  { way, slug, asker, returnTo }: { way: PlatformName; slug: string; asker: Asker; returnTo?: string | undefined },
): Promise<BegunLogin> {
  const provider = ctx.identityProviders[way];
  if (provider === undefined) throw notConfigured(way, 'login');
  const state = ctx.random.id(stateLength);
  const browser = ctx.random.id(secretLength);
  const codeVerifier = ctx.random.id(secretLength);
  const url = await addressOf(ctx, provider, way, { state, codeVerifier });
  const stateHash = hashSecret(state);
  const content: LoginContent = { slug, asker, state, codeVerifier, ...(returnTo !== undefined && { returnTo }) };
  const now = ctx.clock();
  await insertLogin(ctx.db.system, {
    state_hash: stateHash,
    browser_hash: hashSecret(browser),
    way,
    content: ctx.keyring.seal(contentPlace(stateHash), JSON.stringify(content)),
    created_at: now,
    expires_at: new Date(now.getTime() + loginTtlSeconds * 1000),
  });
  return { url, state, browser };
}

async function addressOf(
  ctx: BeginContext,
  provider: IdentityProvider,
  way: PlatformName,
  { state, codeVerifier }: { state: string; codeVerifier: string },
): Promise<string> {
  if (provider.kind === 'redirect')
    return provider.start({
      state,
      redirectUri: returnAddress(ctx, way),
      codeChallenge: challengeOf(codeVerifier),
    });
  try {
    return await provider.start(`${chatPrefix}${state}`);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    throw platformIsDown(way, error);
  }
}

export function platformIsDown(way: PlatformName, error: PlatformFailed): AppError {
  return new AppError(
    'UNAVAILABLE',
    `${chatPlatforms[way].title} does not answer at the moment. Nothing was changed; please try again in a few minutes.`,
    { retryAfterSeconds: error.retryAfterSeconds ?? 30, cause: error },
  );
}
