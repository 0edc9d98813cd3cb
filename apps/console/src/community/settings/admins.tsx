import { Button } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useOperation } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { Failure, Loading, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { AddAdmin } from './add-admin.tsx';
import { RemoveAdmin } from './remove-admin.tsx';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/admins';
export type Admin = Answer<typeof list>[number];

/** Who manages the community. The platform decides about some of them, admins name the others. */
export function Admins({ communityId, platform }: { communityId: string; platform: string }) {
  const admins = useOperation(list, { communityId });
  const [leaving, setLeaving] = useState<Admin>();
  return (
    <Section
      title="Admins"
      lead={`Admins change rules, approve role changes and name other admins. Anyone who can manage the community on ${platformName(platform)} can become one: they sign in and choose “Find others I manage” under Home.`}
    >
      {admins.isPending && <Loading what="the admins" />}
      <Failure error={admins.error} onRetry={() => void admins.refetch()} />
      <ul className={styles.rows}>
        {admins.data?.map((admin) => (
          <li key={admin.userId}>
            <AdminRow admin={admin} platform={platform} onRemove={() => setLeaving(admin)} />
          </li>
        ))}
      </ul>
      <AddAdmin communityId={communityId} platform={platform} />
      <RemoveAdmin
        communityId={communityId}
        platform={platform}
        admin={leaving}
        onClose={() => setLeaving(undefined)}
      />
    </Section>
  );
}

function AdminRow({ admin, platform, onRemove }: { admin: Admin; platform: string; onRemove(): void }) {
  const { userId, userName, isOwner } = admin;
  const isSelf = useSession().accountId === userId;
  const name = userName ?? userId;
  return (
    <Row
      title={name}
      states={
        <>
          {isOwner && <State tone="good">Owner</State>}
          {isSelf && <State>You</State>}
        </>
      }
      note={<Ground admin={admin} platform={platform} />}
      {...(!isOwner && {
        actions: (
          <Button
            size="xs"
            variant="default"
            aria-label={isSelf ? 'Leave: stop being an admin' : `Remove ${name}`}
            onClick={onRemove}
          >
            {isSelf ? 'Leave' : 'Remove'}
          </Button>
        ),
      })}
    />
  );
}

/** Why somebody is an admin. */
function Ground({ admin: { ground, confirmedTime, namedByName }, platform }: { admin: Admin; platform: string }) {
  if (ground === 'operator') return 'Named by the operator of this server';
  if (ground === 'named') return `Named by ${namedByName ?? 'another admin'}`;
  return (
    <>
      Manages it on {platformName(platform)}
      {confirmedTime !== undefined && (
        <>
          , confirmed <Time at={confirmedTime} isRelative />
        </>
      )}
    </>
  );
}
