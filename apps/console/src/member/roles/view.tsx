import { Button } from '@mantine/core';
import { useLive, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, Loading, More, Page } from '../../shared/ui/index.ts';
import { CommunityRoles } from './community-roles.tsx';

/** So many communities are looked at without being asked: each look reads wallets and the chat platform. */
const openAtFirst = 3;

/** The roles that somebody has and could have, community by community, and what is missing for each. */
export function View() {
  useLive('account');
  const communities = usePages('GET /latchkey/account/memberships', { limit: 20 });
  return (
    <Page title="My roles" lead="What you have, what you could have, and what is missing for it.">
      {communities.isLoading && <Loading what="your communities" />}
      {communities.error !== null && communities.items.length === 0 && (
        <Failure error={communities.error} onRetry={communities.retry} />
      )}
      {!communities.isLoading && communities.error === null && communities.items.length === 0 && (
        <EmptyState
          title="You are not in any community yet"
          action={
            <Button component="a" href="/console/me" variant="default">
              Go to my account
            </Button>
          }
        >
          Join a community that uses Latchkey, and open the link that its bot gives you. Signed in with another account?
          Roles belong to the chat account that joined.
        </EmptyState>
      )}
      {communities.items.map((community, place) => (
        <CommunityRoles key={community.communityId} community={community} isOpenAtFirst={place < openAtFirst} />
      ))}
      <More pages={communities} what="communities" />
    </Page>
  );
}
