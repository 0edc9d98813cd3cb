import { useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { CopyText, Page, Row, Section, Time } from '../../shared/ui/index.ts';
import { ReviewState } from '../review-state.tsx';
import { Unread } from '../unread.tsx';
import { Danger } from './danger.tsx';
import { Probe } from './probe.tsx';
import { ProfileForm } from './profile-form.tsx';
import { Submit } from './submit.tsx';

const actionWords: Readonly<Record<string, string>> = {
  create: 'Registered and submitted for review',
  approve: 'Approved',
  reject: 'Rejected',
  reopen: 'Taken up again by the operator',
  revoke: 'Revoked',
  suspend: 'Revoked because it failed a probe',
  list: 'Listed in the marketplace',
  rename: 'Renamed',
  'reset-secret': 'Key pair replaced',
  'set-profile': 'Profile changed',
  submit: 'Submitted for review',
};

export function View() {
  const { miniAppId } = useScreenParams('miniAppId');
  const { data, error, refetch } = useOperation('GET /latchkey/miniapps/{miniAppId}', { miniAppId });
  if (data === undefined)
    return <Unread title="Mini-app" what="the mini-app" error={error} onRetry={() => void refetch()} />;
  const { app } = data;
  return (
    <Page
      title={app.name}
      lead={<ReviewState status={app.status} />}
      crumbs={[
        { to: '/developers', title: 'Developers' },
        { to: '/developers/mini-apps', title: 'Mini-apps' },
      ]}
    >
      <Submit app={app} miniAppId={miniAppId} />
      <Probe details={data} miniAppId={miniAppId} />
      <ProfileForm app={app} miniAppId={miniAppId} />
      <Section title="Public key" lead="What Latchkey sends to your webhook is signed with the private half.">
        <CopyText text={app.publicKey ?? ''} what="public key" />
      </Section>
      <Section title="History">
        {[...(app.actions ?? [])].reverse().map(({ action, timestamp, notes }) => (
          <Row
            key={`${timestamp} ${action}`}
            title={actionWords[action] ?? action}
            note={
              <>
                <Time at={timestamp} />
                {notes !== undefined && ` · ${notes}`}
              </>
            }
          />
        ))}
      </Section>
      <Danger app={app} miniAppId={miniAppId} />
    </Page>
  );
}
