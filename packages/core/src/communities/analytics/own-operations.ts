import { op, T, text } from '@latchkey/kernel';
import { communityAdmin } from '../communities/index.ts';
import { getCommunitySeries } from './series.ts';
import { CommunitySeries } from './series-shapes.ts';

export const seriesOperations = [
  op(
    'GET /latchkey/communities/{communityId}/series',
    {
      id: 'getCommunitySeries',
      summary: 'Get daily figures of a community',
      description:
        'Returns members, joins, leaves, roles given and taken, and the holders of each role, day by day in UTC. Covers up to 366 days. For community admins.',
      access: communityAdmin('communityId', 'community:analytics'),
      params: {
        communityId: text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
          minLength: 1,
          maxLength: 128,
        }),
        range: T.Optional(
          T.String({
            description:
              'The span of time: 1d, 7d, 30d, 90d, 1y, or two times in ISO 8601 with a slash between them. Defaults to 30d.',
            maxLength: 80,
          }),
        ),
      },
      returns: CommunitySeries,
      errors: ['INVALID_PARAMETER_VALUE'],
    },
    getCommunitySeries,
  ),
] as const;
