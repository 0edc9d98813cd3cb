import { hashSecret } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';
import { lifetimes, type OauthAccount } from '../../developers/oauth2/index.ts';

/** The word that operations name to accept such tokens. */
export const consentPurpose = 'consent';

/** What a token is made for that can decide about one request. */
export function consentPurposeOf(slug: string): string {
  return `${consentPurpose}:${hashSecret(slug)}`;
}

/** A token for the page that asks a person: it can decide about this one request and do nothing else. */
export function issueConsentToken(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>,
  slug: string,
  { userId, platform, name }: OauthAccount,
): Promise<string> {
  return issueAeToken(ctx, {
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes: [],
    credential: 'consent-token',
    purpose: consentPurposeOf(slug),
    ttlSeconds: lifetimes.consentToken,
  });
}
