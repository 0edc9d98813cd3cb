import { useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { CopyText, Failure, Loading, Page, Section, State, Time } from '../../shared/ui/index.ts';
import { CheckNow } from './check-now.tsx';
import { Facts } from './facts.tsx';
import styles from './member.module.css';
import { Roles } from './roles.tsx';
import { Timeline } from './timeline.tsx';

export function View() {
  const { communityId, userId } = useScreenParams('communityId', 'userId');
  const member = useOperation('GET /latchkey/communities/{communityId}/members/{userId}', { communityId, userId });
  useLive({ communityId });
  const { data } = member;
  const name = data?.userName ?? userId;
  return (
    <Page
      title={name.length > longestTitle ? `${name.slice(0, longestTitle)}…` : name}
      crumbs={[{ title: 'Members', to: `/communities/${encodeURIComponent(communityId)}/members` }]}
      actions={
        data !== undefined && data.leftTime === undefined && !data.isBot && <CheckNow {...{ communityId, userId }} />
      }
    >
      {member.isLoading && <Loading what="the member" />}
      <Failure error={member.error} onRetry={() => void member.refetch()} />
      {data !== undefined && (
        <>
          <div className={styles.states}>
            {data.leftTime !== undefined && (
              <State tone="warn">
                Left <Time at={data.leftTime} isRelative />
              </State>
            )}
            {data.isBot && <State>Bot, never checked</State>}
            {data.isProtected && <State tone="warn">Latchkey cannot change this member’s roles</State>}
            {data.roles.map(({ roleId, roleName }) => (
              <State key={roleId}>{roleName ?? `Role ${roleId}`}</State>
            ))}
            <CopyText text={data.platformUserId} what="the id" />
          </div>
          <Roles communityId={communityId} userId={userId} isThere={data.leftTime === undefined && !data.isBot} />
          <Section title="Wallets and guest passes">
            <Facts member={data} />
          </Section>
          <Timeline communityId={communityId} userId={userId} />
        </>
      )}
    </Page>
  );
}

const longestTitle = 80;
