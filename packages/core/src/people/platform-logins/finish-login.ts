import { equalSecrets, hashSecret } from '@latchkey/db';
import { AppError, chatPlatforms } from '@latchkey/kernel';
import { userKey } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import {
  PlatformFailed,
  type PlatformIdentity,
  type PlatformName,
  type RedirectIdentityProvider,
} from '../../ports/index.ts';
import { platformIsDown } from './begin-login.ts';
import { answerTtlSeconds, type LoginContent, readContent, returnAddress, unknownLogin } from './login.ts';
import { type PlatformLoginRow, takeLogin } from './queries.ts';

/** What a browser comes back with. Everything in it may be anybody's. */
export interface ReturnedLogin {
  way: PlatformName;
  state: string;
  /** From the cookie. */
  browser: string;
  code?: string | undefined;
  error?: string | undefined;
  issuer?: string | undefined;
}

export interface FinishedLogin {
  slug: string;
  /** Where the browser goes now, as it was said at the beginning. */
  returnTo?: string;
  user: { userId: string; platform: PlatformName; name: string };
}

type FinishContext = Pick<Context, 'clock' | 'db' | 'identityProviders' | 'keyring' | 'log' | 'settings'>;

const mostNameLength = 100;
/** Qualified ids are taken apart at their #, so that an id with one in it could pass for another's. */
const plainId = /^[-\w]{1,64}$/;

/** Learns who came back. The login is used up whatever comes of it. */
export async function finishPlatformLogin(ctx: FinishContext, returned: ReturnedLogin): Promise<FinishedLogin> {
  const { way, state, browser } = returned;
  const row = await takeLogin(ctx.db.system, hashSecret(state), hashSecret(browser));
  // A state that was given to one platform and comes back by another is the mix-up attack of RFC 9700, section 4.4.
  if (row === undefined || row.expires_at <= ctx.clock() || row.way !== way) throw unknownLogin();
  const content = readContent(ctx, row);
  if (returned.error !== undefined) throw refusedThere(way, returned.error);
  const { userId, name } = await identify(ctx, row, content, returned);
  if (!plainId.test(userId)) throw notAccepted(way);
  const user = { userId: userKey(way, userId), platform: way, name: name.slice(0, mostNameLength) };
  const { slug, returnTo } = content;
  return { slug, user, ...(returnTo !== undefined && { returnTo }) };
}

async function identify(
  ctx: FinishContext,
  row: PlatformLoginRow,
  content: LoginContent,
  { way, code, issuer }: ReturnedLogin,
): Promise<PlatformIdentity> {
  const provider = ctx.identityProviders[way];
  if (provider === undefined || code === undefined) throw unknownLogin();
  if (provider.kind === 'chat') return answeredBy(ctx, row, content, code);
  if (issuer !== undefined && issuer !== provider.issuer) throw unknownLogin();
  return exchange(ctx, provider, way, { code, codeVerifier: content.codeVerifier });
}

/** The code must be the one that the chat of whoever answered was shown, and not long ago. */
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
  way: PlatformName,
  proof: { code: string; codeVerifier: string },
): Promise<PlatformIdentity> {
  try {
    return await provider.finish({ ...proof, redirectUri: returnAddress(ctx, way) });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind === 'unavailable') throw platformIsDown(way, error);
    if (error.kind === 'not-configured') {
      ctx.log.warn('A platform does not let people log in here.', { platform: way, reason: error.message });
      throw new AppError(
        'NOT_CONFIGURED',
        `${chatPlatforms[way].title} does not know this server as it is configured. Please tell its operator.`,
        { retryAfterSeconds: 300 },
      );
    }
    throw notAccepted(way);
  }
}

function notAccepted(way: PlatformName): AppError {
  return new AppError(
    'INVALID_CREDENTIAL',
    `${chatPlatforms[way].title} did not confirm this login. Go back to where you came from and begin again.`,
  );
}

function refusedThere(way: PlatformName, error: string): AppError {
  const name = chatPlatforms[way].title;
  return error === 'access_denied'
    ? new AppError('INVALID_CREDENTIAL', `You did not allow it on ${name}, so nobody was logged in.`)
    : new AppError('INVALID_CREDENTIAL', `${name} refused this login. Go back to where you came from and begin again.`);
}
