import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../../shared/api/index.ts';
import type { Fields } from '../tree/node.ts';

const route = 'POST /latchkey/communities/{communityId}/rule-drafts/describe';
const pauseMs = 400;
const againMs = 3_000;

/** What a draft means. Asked when typing pauses; what was said before stays until then. */
export function useDescription(communityId: string, rule: Fields | undefined): UseQueryResult<Answer<typeof route>> {
  const [text] = useDebouncedValue(rule === undefined ? '' : JSON.stringify(rule), pauseMs);
  return useQuery({
    queryKey: [route, communityId, text],
    queryFn: ({ signal }) => call(route, { communityId, body: { rule: JSON.parse(text) } }, { signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    // A platform that was slow once may name its roles the next time.
    refetchInterval: ({ state }) => (state.data?.isPartial === true ? againMs : false),
  });
}
