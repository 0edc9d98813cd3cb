import { useState } from 'react';
import { useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Failure, Loading, Page } from '../../shared/ui/index.ts';
import { Builder } from './builder.tsx';

export function View() {
  const { communityId, ruleId } = useScreenParams('communityId', 'ruleId');
  return ruleId === '' ? (
    <NewRule communityId={communityId} />
  ) : (
    <SavedRule communityId={communityId} ruleId={ruleId} />
  );
}

function NewRule({ communityId }: { communityId: string }) {
  // From the address itself: a form begins once, and what the router knows of an address may come later than that.
  const [role] = useState(() => new URLSearchParams(location.search).get('role') ?? undefined);
  return <Builder key="new" communityId={communityId} startRoleId={role} />;
}

function SavedRule({ communityId, ruleId }: { communityId: string; ruleId: string }) {
  const rule = useOperation('GET /latchkey/communities/{communityId}/rules/{ruleId}', { communityId, ruleId });
  // The draft is kept apart from what was read, so that live updates never overwrite it.
  useLive({ communityId });
  if (rule.data !== undefined) return <Builder key={ruleId} communityId={communityId} saved={rule.data} />;
  return (
    <Page title="Rule" crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}>
      {rule.isError ? <Failure error={rule.error} onRetry={() => void rule.refetch()} /> : <Loading what="the rule" />}
    </Page>
  );
}
