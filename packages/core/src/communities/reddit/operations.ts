import { listOf, NoContent, OpenObject, op, resource, T, user } from '@latchkey/kernel';
import { communityAdmin, scopelessReader } from '../communities/index.ts';
import { CheckCommunityConfigResponse, RedditConfigResponse } from './config.ts';
import { addCommunityConfig } from './link-subreddit.ts';
import { createWalletConnectionSession, getAdminCommunities, isCommunityConfigSet, unlinkToken } from './reads.ts';

const communityId = T.String({
  description: 'The name of the subreddit, or its qualified id.',
  minLength: 1,
  maxLength: 128,
});

export const reddit = resource('reddit', 'Subreddits as communities: flair and approved users by what wallets own.', [
  op(
    'GET /reddit/administrated-communities',
    {
      id: 'getAdminCommunities',
      sdk: 'RedditController.getAdminCommunities',
      summary: 'List the subreddits you manage',
      description:
        'Returns the subreddits known here that the signed-in user is an admin of, at most 100, and whether each is linked.',
      access: user(),
      returns: listOf(OpenObject, 'The subreddits: id, communityId, name, iconURL and isLinked.'),
    },
    getAdminCommunities,
  ),
  op(
    'POST /reddit/community',
    {
      id: 'addCommunityConfig',
      sdk: 'RedditController.addCommunityConfig',
      summary: 'Link a subreddit',
      description:
        'Takes communityName and botToken, the permanent (refresh) token of a moderator with the scopes identity, mysubreddits, read, flair, modflair and modcontributors. Reddit is asked whether the token fits before it is kept, sealed. A subreddit that is new here becomes a community of the signed-in moderator.',
      facts: {
        needsNoKey: 'Asks Reddit; a repetition puts a token where one was.',
        senderDecides: 'communityName botToken',
      },
      access: user(),
      body: OpenObject,
      returns: RedditConfigResponse,
      errors: ['UNAVAILABLE', 'ROLE_NOT_ALLOWED'],
    },
    addCommunityConfig,
  ),
  op(
    'GET /reddit/is-community-config-set',
    {
      id: 'isCommunityConfigSet',
      sdk: 'RedditController.isCommunityConfigSet',
      summary: 'Check whether a subreddit is linked',
      description:
        'Asks Reddit whether the kept token still belongs to a moderator of the subreddit. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId },
      returns: CheckCommunityConfigResponse,
    },
    isCommunityConfigSet,
  ),
  op(
    'GET /reddit/unlink-token',
    {
      id: 'unlinkToken',
      sdk: 'RedditController.unlinkToken',
      summary: 'Unlink a subreddit',
      description: 'Forgets the token of the subreddit. Flair and approved users stay as they are.',
      changes: true,
      access: communityAdmin('communityId'),
      params: { communityId },
      returns: NoContent,
    },
    unlinkToken,
  ),
  op(
    'POST /reddit/wallet-connection-sessions',
    {
      id: 'createWalletConnectionSession',
      sdk: 'RedditController.createWalletConnectionSession',
      summary: 'Start linking a wallet',
      description:
        'Makes a link to the page where wallets are linked to the signed-in account. It works for a quarter of an hour; the state of its slug has a token for the wallet operations inside.',
      facts: { needsNoKey: 'A session too many is forgotten after 15 minutes.' },
      access: user(),
      returns: OpenObject,
    },
    createWalletConnectionSession,
  ),
]);
