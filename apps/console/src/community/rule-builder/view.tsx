import { useSearch } from '@tanstack/react-router';
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
  const { role }: { role?: unknown } = useSearch({ strict: false });
  return <Builder key="new" communityId={communityId} startRoleId={typeof role === 'string' ? role : undefined} />;
}

function SavedRule({ communityId, ruleId }: { communityId: string; ruleId: string }) {
  const rule = useOperation('GET /latchkey/communities/{communityId}/rules/{ruleId}', { communityId, ruleId });
  // What somebody builds is kept beside what was read, so that news never writes over it.
  useLive({ communityId });
  if (rule.data !== undefined) return <Builder key={ruleId} communityId={communityId} saved={rule.data} />;
  return (
    <Page title="Rule" crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}>
      {rule.isError ? <Failure error={rule.error} onRetry={() => void rule.refetch()} /> : <Loading what="the rule" />}
    </Page>
  );
}
