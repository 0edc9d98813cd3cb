import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { Failure, Loading, Page, State } from '../../shared/ui/index.ts';
import { Activity } from './activity.tsx';
import { HealthSection } from './health.tsx';
import { Stats } from './stats.tsx';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const { isLive } = useLive({ communityId });
  const { name = 'Community', rules = 0 } = health.data ?? {};
  return (
    <Page
      title={name}
      crumbs={[{ title: 'Home', to: '/' }]}
      actions={
        <>
          {!isLive && <State tone="warn">Not live: reconnecting</State>}
          <Button
            variant={rules === 0 ? 'default' : 'filled'}
            renderRoot={(props) => (
              <Link to="/communities/$communityId/rules/new" params={{ communityId }} {...props} />
            )}
          >
            New rule
          </Button>
          {rules === 0 && (
            <Button
              renderRoot={(props) => <Link to="/communities/$communityId/setup" params={{ communityId }} {...props} />}
            >
              Finish setup
            </Button>
          )}
        </>
      }
    >
      {health.isPending && <Loading what="the overview" lines={5} />}
      <ShadowNotice communityId={communityId} />
      <Failure error={health.error} onRetry={() => void health.refetch()} />
      {health.data !== undefined && (
        <>
          <Stats health={health.data} />
          <HealthSection communityId={communityId} health={health.data} />
        </>
      )}
      <Activity communityId={communityId} />
    </Page>
  );
}
