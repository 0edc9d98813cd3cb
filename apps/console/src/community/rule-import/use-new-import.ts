import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Input, useAction } from '../../shared/api/index.ts';

const start = 'POST /latchkey/communities/{communityId}/rule-imports';
const list = 'GET /latchkey/communities/{communityId}/rule-imports';

export type Request = Input<typeof start>['body'];

/** The request of an import, kept while the page is open, to read it again with other roles. */
function keyOf(importId: string) {
  return ['what an import was read from', importId] as const;
}

/** Reads the rules of another service and opens their preview. */
export function useNewImport(communityId: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useAction(start, {
    changes: [list],
    onDone: ({ id }, { body }) => {
      queries.setQueryData(keyOf(id), body);
      void navigate({
        to: '/communities/$communityId/rules/import/$importId',
        params: { communityId, importId: id },
      });
    },
  });
}

/** Returns the request of this import, unless the page was reloaded since. */
export function useRequestOf(importId: string): Request | undefined {
  return useQueryClient().getQueryData<Request>(keyOf(importId));
}
