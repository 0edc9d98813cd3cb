import { op, shape, T, text, thePerson } from '@latchkey/kernel';
import { attemptTtlSeconds, LinkAttempt, returnedFrom } from '../../people/link-attempts/index.ts';
import { consentTtlSeconds, getRedditConsent, RedditConsentState } from './consent.ts';
import { beginRedditConsent, finishRedditConsent } from './give-consent.ts';
import { LinkedSubreddit, linkConsentedSubreddit } from './link-consented.ts';

const minutes = attemptTtlSeconds / 60;
const minutesToChoose = consentTtlSeconds / 60;

export const redditConsentOperations = [
  op(
    'GET /latchkey/account/reddit-consent',
    {
      id: 'getRedditConsent',
      summary: 'Get your unused Reddit authorization',
      description:
        'Returns what the signed-in person allowed on Reddit and did not use yet, with the subreddits that the account moderates. Reddit is asked. Fails with UNAVAILABLE while Reddit does not answer.',
      access: thePerson,
      returns: RedditConsentState,
      errors: ['UNAVAILABLE'],
    },
    getRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent/attempts',
    {
      id: 'beginRedditConsent',
      summary: 'Start a Reddit authorization',
      description: `Returns the address at Reddit where a moderator allows this server to manage flair and approved users (OAuth 2.0 with permanent access). Reddit then sends the browser to /login/return/reddit, which leads back to the console with a code. An attempt works once, for ${minutes} minutes, for the person who started it.`,
      facts: { needsNoKey: 'Each attempt has a state of its own; unused ones expire.' },
      access: thePerson,
      returns: LinkAttempt,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    beginRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent',
    {
      id: 'finishRedditConsent',
      summary: 'Finish a Reddit authorization',
      description: `Keeps the permission, encrypted, until a subreddit is linked with it, and returns the subreddits to choose from. A permission that is not used within ${minutesToChoose} minutes, or that is replaced by a newer one, is revoked.`,
      audit: 'reddit.allow',
      facts: { needsNoKey: 'It asks Reddit; its state and code work once.', senderDecides: 'state code' },
      access: thePerson,
      body: returnedFrom('Reddit'),
      returns: RedditConsentState,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    finishRedditConsent,
  ),
  op(
    'POST /latchkey/account/reddit-consent/subreddits',
    {
      id: 'linkConsentedSubreddit',
      summary: 'Link a subreddit you moderate',
      description:
        'Links a subreddit with the permission that you gave on Reddit, which is used up by it. A subreddit that is new here becomes a community of the signed-in moderator. Fails with ENTITY_NOT_FOUND if there is no unused permission, and with ROLE_NOT_ALLOWED if you may not link this subreddit. Unlinking the subreddit revokes the permission.',
      audit: 'reddit.link',
      facts: { needsNoKey: 'It asks Reddit; the permission is used once.', senderDecides: 'name' },
      access: thePerson,
      body: shape(T.Object({ name: text('The name of the subreddit, without r/.', { minLength: 1, maxLength: 64 }) })),
      returns: LinkedSubreddit,
      errors: ['ENTITY_NOT_FOUND', 'NOT_CONFIGURED', 'ROLE_NOT_ALLOWED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    linkConsentedSubreddit,
  ),
] as const;
