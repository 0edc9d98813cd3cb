import { useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Failure, Loading, Page } from '../../shared/ui/index.ts';
import { Admins } from './admins.tsx';
import { AppAccess } from './app-access.tsx';
import { CheckPeriod } from './check-period.tsx';
import { Danger } from './danger.tsx';
import { General } from './general.tsx';
import { Plan } from './plan.tsx';
import { ShadowMode } from './shadow-mode.tsx';

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const settings = useOperation('GET /latchkey/communities/{id}/settings', { id: communityId });
  return (
    <Page
      title="Settings"
      crumbs={[{ title: health.data?.name ?? 'Community', to: `/communities/${encodeURIComponent(communityId)}` }]}
    >
      {(health.isPending || settings.isPending) && <Loading what="the settings" />}
      <Failure error={health.error} onRetry={() => void health.refetch()} />
      <Failure error={settings.error} onRetry={() => void settings.refetch()} />
      {health.data !== undefined && <General key={health.data.name} communityId={communityId} health={health.data} />}
      {settings.data !== undefined && (
        <CheckPeriod key={settings.data.checkPeriodSeconds} communityId={communityId} settings={settings.data} />
      )}
      {health.data !== undefined && <Admins communityId={communityId} platform={health.data.platform} />}
      <ShadowMode communityId={communityId} />
      <AppAccess communityId={communityId} />
      <Plan communityId={communityId} />
      {health.data !== undefined && <Danger communityId={communityId} name={health.data.name} />}
    </Page>
  );
}
