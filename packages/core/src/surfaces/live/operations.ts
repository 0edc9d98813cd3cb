import { admin, choice, eventsOf, op, record, T, text, thePerson } from '@latchkey/kernel';
import { communityAdmin } from '../../communities/access/index.ts';
import { type Changed, changes } from '../../services/live-updates/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import { mostSeconds, watchAccount, watchCommunity, watchServer } from './watch.ts';

const LiveEvent = record('LiveEvent', 'Something has changed. Use other operations to get the new state.', {
  changed: choice('What has changed.', Object.keys(changes) as Changed[]),
  id: T.Optional(text('The id of the changed item, if it is a single one.')),
});

const seconds = T.Optional(
  T.Integer({
    description: 'The number of seconds after which the stream ends; the caller then reconnects.',
    format: 'int32',
    minimum: 0,
    maximum: mostSeconds,
    default: mostSeconds,
  }),
);

const readSecondsAgo = T.Optional(
  T.Integer({
    description:
      'How many seconds ago the caller last loaded its data. Changes since then are sent immediately; if omitted, only new changes are sent.',
    format: 'int32',
    minimum: 0,
    maximum: 86_400,
  }),
);

const about =
  'Server-sent events that tell you what to reload. A comment is sent every 20 seconds; the stream ends when the session does, when the caller loses access, and when the server stops. At most 20 streams per caller and process can be open.';

export const liveOperations = [
  op(
    'GET /latchkey/communities/{communityId}/live',
    {
      id: 'watchCommunity',
      summary: 'Stream a community’s changes',
      description: `For admins of the community: its change sets, rules, members, settings and record. ${about}`,
      access: communityAdmin('communityId'),
      params: { communityId: communityParam, seconds, readSecondsAgo },
      returns: eventsOf(LiveEvent),
    },
    watchCommunity,
  ),
  op(
    'GET /latchkey/account/live',
    {
      id: 'watchAccount',
      summary: 'Stream your account’s changes',
      description: `For the signed-in person: their roles and wallets, where they are signed in, and their applications. ${about}`,
      access: thePerson,
      params: { seconds, readSecondsAgo },
      returns: eventsOf(LiveEvent),
    },
    watchAccount,
  ),
  op(
    'GET /latchkey/live',
    {
      id: 'watchServer',
      summary: 'Stream the server’s changes',
      description: `For the operator: jobs, keys, applications, and the audit log. ${about}`,
      access: admin(),
      params: { seconds, readSecondsAgo },
      returns: eventsOf(LiveEvent),
    },
    watchServer,
  ),
] as const;
