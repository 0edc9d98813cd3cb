import { useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Page } from '../../shared/ui/index.ts';
import { Unread } from '../unread.tsx';
import { Begin } from './begin.tsx';
import { Came } from './came.tsx';
import { useReturn } from './use-return.ts';

export function View() {
  const { appId } = useScreenParams('appId');
  const { data: app, error, refetch } = useOperation('GET /client-apps/{id}', { id: appId });
  const { returned, restart } = useReturn(appId);
  if (app === undefined)
    return <Unread title="Try a login" what="the application" error={error} onRetry={() => void refetch()} />;
  return (
    <Page
      title="Try a login"
      lead="A real login with your application, step by step: the same requests that your program makes."
      crumbs={[
        { to: '/developers', title: 'Developers' },
        { to: `/developers/apps/${appId}`, title: app.name ?? 'Application' },
      ]}
    >
      {returned === undefined ? (
        <Begin app={app} appId={appId} onCheck={() => void refetch()} />
      ) : (
        <Came appId={appId} isPublic={app.clientType === 'public'} returned={returned} onRestart={restart} />
      )}
    </Page>
  );
}
