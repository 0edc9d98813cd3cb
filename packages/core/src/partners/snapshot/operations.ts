import { type Access, inHeader, listOf, NoContent, OpenObject, op, resource, T } from '@latchkey/kernel';
import { communityAdmin, scopelessReader } from '../../communities/communities/index.ts';
import { getSubscribedSpaces, subscribeSpace, unsubscribeSpace, updateSubscribedChannels } from './link-space.ts';
import { SnapshotCreate, SnapshotEvent, SnapshotLink, SnapshotUpdate, spacePattern } from './snapshot.ts';
import { snapshotWebhook } from './take-event.ts';

const communityId = T.String({
  description: 'The id of the community, for example DIS#COMM#123, or the platform’s own id.',
  minLength: 1,
  maxLength: 100,
});
const space = T.String({
  description: 'The id of the space, for example example.eth.',
  pattern: spacePattern,
  maxLength: 100,
});

/** Whoever knows the secret that this server shares with Snapshot. */
const knowsSecret: Access = { roles: [], scopes: [] };

export const snapshot = resource('snapshot', 'Proposals of Snapshot in the channels of a community.', [
  op(
    'PUT /snapshot/communities/{communityId}/space/{space}',
    {
      id: 'updateSubscribedChannels',
      sdk: 'SnapshotController.updateSubscribedChannels',
      summary: 'Choose the channels of a space',
      description:
        'Sets the channels that are told of the proposals of a space that the community follows. Every channel must be one of the community’s own. An empty list stops the messages; without a list a group of Telegram is told itself.',
      facts: { senderDecides: 'channels' },
      access: communityAdmin('communityId'),
      params: { communityId, space },
      body: SnapshotUpdate,
      returns: SnapshotLink,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    updateSubscribedChannels,
  ),
  op(
    'DELETE /snapshot/communities/{communityId}/space/{space}',
    {
      id: 'unsubscribeSpace',
      sdk: 'SnapshotController.uninstallMiniApp',
      summary: 'Stop following a space',
      description: 'The community is told nothing more of the space. Messages that were written stay.',
      access: communityAdmin('communityId'),
      params: { communityId, space },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unsubscribeSpace,
  ),
  op(
    'POST /snapshot/communities/{communityId}/space',
    {
      id: 'subscribeSpace',
      sdk: 'SnapshotController.subscribe',
      summary: 'Follow a space',
      description:
        'From now on new proposals of the space, and the begin and end of their votes, are told in these channels: channels of a Discord server, or a group of Telegram itself, which needs no list. The space must exist at Snapshot. Doing it again for the same space sets its channels anew.',
      facts: { needsNoKey: 'A repetition sets the same channels again.', senderDecides: 'channels space' },
      access: communityAdmin('communityId'),
      params: { communityId },
      body: SnapshotCreate,
      returns: SnapshotLink,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    subscribeSpace,
  ),
  op(
    'GET /snapshot/communities/{communityId}/space',
    {
      id: 'getSubscribedSpaces',
      sdk: 'SnapshotController.getSubscribedSpaces',
      summary: 'List the spaces of a community',
      description:
        'Returns the spaces that the community follows, and the channels that get their news. For its admins, and for client applications that list it with `GET /communities`.',
      access: scopelessReader('communityId', 'community:read'),
      params: { communityId },
      returns: listOf(SnapshotLink, 'The spaces, by their ids.'),
    },
    getSubscribedSpaces,
  ),
  op(
    'POST /snapshot/webhook/event',
    {
      id: 'snapshotWebhook',
      sdk: 'SnapshotWebhookController.subscribe',
      summary: 'Receive a Snapshot event',
      description:
        'Where Snapshot tells what happened to a proposal. The Authentication header must be the secret of the webhook. Each event is told once in each channel, however often it is sent; events older than a week and of unknown kinds are taken without effect.',
      facts: { needsNoKey: 'An event counts once by its own id.', senderDecides: 'id event space token secret expire' },
      access: knowsSecret,
      params: {
        authentication: T.Optional(
          inHeader(T.String({ description: 'The secret of the webhook.', minLength: 1, maxLength: 512 })),
        ),
      },
      body: SnapshotEvent,
      returns: OpenObject,
      errors: ['AUTHENTICATION_REQUIRED', 'INVALID_CREDENTIAL', 'UNAVAILABLE'],
    },
    snapshotWebhook,
  ),
]);
