import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { beginAttempt, exchangeCode, type LinkAttempt, takeAttempt } from '../../people/link-attempts/index.ts';
import { returnAddress } from '../../people/platform-logins/index.ts';
import { notConfigured } from '../../platform-setup.ts';
import { consentTtlSeconds, getRedditConsent, grantPlace, type RedditConsentState } from './consent.ts';
import { putGrant } from './queries.ts';
import { markState } from './return-page.ts';

type ConsentContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'log' | 'random' | 'reddit' | 'settings'>;

export async function beginRedditConsent(ctx: ConsentContext): Promise<LinkAttempt> {
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const redirectUri = returnAddress(ctx, 'reddit');
  return beginAttempt(ctx, 'reddit', ({ state, codeChallenge }) =>
    reddit.consent.start({ state: markState(state), codeChallenge, redirectUri }),
  );
}

/** Keeps what the caller allowed on Reddit until they choose the subreddit. The attempt is used up whatever comes of it. */
export async function finishRedditConsent(
  ctx: ConsentContext,
  { body: { state, code } }: { body: { state: string; code: string } },
): Promise<RedditConsentState> {
  const { reddit } = ctx;
  if (reddit === undefined) throw notConfigured('reddit');
  const codeVerifier = await takeAttempt(ctx, { service: 'reddit', state, what: 'a subreddit' });
  const redirectUri = returnAddress(ctx, 'reddit');
  const token = await exchangeCode(ctx, 'Reddit', () => reddit.consent.finish({ code, codeVerifier, redirectUri }));
  const id = ctx.random.id();
  const place = grantPlace(id);
  const dueAt = new Date(ctx.clock().getTime() + consentTtlSeconds * 1000);
  // Kept before anything is asked with it: whatever fails from here on, it is used or revoked in the end.
  await ctx.db.transaction('system', (tx) =>
    putGrant(tx, {
      place,
      id,
      refresh_token: ctx.keyring.seal(place, token),
      user_id: principalId(ctx.actor),
      due_at: dueAt,
      tries: 0,
    }),
  );
  return getRedditConsent(ctx);
}
