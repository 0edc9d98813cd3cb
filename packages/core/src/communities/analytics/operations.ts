import { listOf, OpenObject, op, resource, shape, T, text } from '@latchkey/kernel';
import { communityReader } from '../communities/index.ts';
import { rangeForms } from './range.ts';
import { getRolesAdded, getRolesPie, getUserInteractions, getWalletConnections } from './reads.ts';

const params = {
  communityId: T.String({
    description: 'The id of the community, for example DIS#COMM#123, or the platform’s own id.',
    minLength: 1,
    maxLength: 100,
  }),
  range: T.Optional(
    T.String({ description: `The span of time: ${rangeForms}. Defaults to the last 30 days.`, maxLength: 80 }),
  ),
};

const roles = shape(
  T.Array(
    T.Object({
      color: T.Optional(T.Number({ description: 'The colour of the role; comes back as it was sent.' })),
      id: T.Optional(text('The id of the role on the platform.', { maxLength: 100 })),
      name: T.Optional(text('The name of the role; comes back as it was sent.', { maxLength: 200 })),
    }),
    { description: 'The roles to look at.', maxItems: 250 },
  ),
);

const facts = {
  needsNoKey: 'Only reads.',
  senderDecides: 'color id name',
  idsOfNobody: { id: 'A role, looked for in the community that admits the caller.' },
};

const access = communityReader('communityId', 'community:analytics');

export const analytics = resource('analytics', 'Figures about the members and roles of a community.', [
  op(
    'POST /analytics/{communityId}/role-distribution',
    {
      id: 'getRolesPie',
      sdk: 'AnalyticsController.getRolesPie',
      summary: 'Count the holders of roles',
      description:
        'Returns a row for each role that was sent: id, name and color as sent; count, how many members held it at the end of the span; added and removed, how often it was given and taken by this server within the span.',
      facts,
      access,
      params,
      body: roles,
      returns: listOf(OpenObject, 'One row for each role, in the order they were sent.'),
    },
    getRolesPie,
  ),
  op(
    'POST /analytics/{communityId}/roles-added',
    {
      id: 'getRolesAdded',
      sdk: 'AnalyticsController.getRolesAdded',
      summary: 'Count the roles given day by day',
      description:
        'Returns a row for each day and role: date (UTC, YYYY-MM-DD), id, name and color as sent, and count, how often this server gave the role on that day. Days without any are left out.',
      facts,
      access,
      params,
      body: roles,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getRolesAdded,
  ),
  op(
    'GET /analytics/{communityId}/user-interactions',
    {
      id: 'getUserInteractions',
      sdk: 'AnalyticsController.getLetsGo',
      summary: 'Count members’ activity',
      description:
        'Returns a row for each day and kind: date (UTC, YYYY-MM-DD), kind (message, command, button, join or leave) and count. Whose they were is not kept. Days without any are left out.',
      access,
      params,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getUserInteractions,
  ),
  op(
    'GET /analytics/{communityId}/wallet-connections',
    {
      id: 'getWalletConnectionsAnalytics',
      sdk: 'AnalyticsController.getWalletConnections',
      summary: 'Count the wallets that members linked',
      description:
        'Returns a row for each day and family of chains: date (UTC, YYYY-MM-DD), namespace (evm, solana …), count, how many wallets present members linked on that day, and total, how many they had linked by then. Days without any are left out.',
      access,
      params,
      returns: listOf(OpenObject, 'The rows, the oldest day first.'),
    },
    getWalletConnections,
  ),
]);
