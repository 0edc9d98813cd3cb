import { useLive } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Failure, Loading, Page } from '../../shared/ui/index.ts';
import { Days } from './days.tsx';
import { Differences } from './differences.tsx';
import { Standing } from './standing.tsx';
import { Switch } from './switch.tsx';
import { useShadow } from './use-shadow.ts';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const shadow = useShadow(communityId);
  useLive({ communityId });
  const { found, day } = shadow;
  return (
    <Page
      title="Shadow mode"
      lead="Run beside another bot: Latchkey evaluates your rules and shows where roles differ, but writes no role."
      crumbs={[{ title: 'Rules', to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
      actions={found.data !== undefined && <Switch shadow={shadow} />}
    >
      {found.isLoading && <Loading what="shadow mode" />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {found.data !== undefined && (
        <>
          <Standing communityId={communityId} mode={found.data} health={shadow.health.data} />
          {found.data.startedTime !== undefined && (
            <>
              <Days days={found.data.days} chosen={day} members={shadow.health.data?.members} />
              {found.data.days.length > 0 && <Differences communityId={communityId} day={day} />}
            </>
          )}
        </>
      )}
    </Page>
  );
}
