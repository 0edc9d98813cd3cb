import { Button, Group } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { MemberField } from '../../shared/member-field.tsx';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog, Failure, Loading, Row, Section, State, Time } from '../../shared/ui/index.ts';
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

/** Asks before an admin is removed, and says what that does not change. */
function RemoveAdmin({
  communityId,
  platform,
  admin,
  onClose,
}: {
  communityId: string;
  platform: string;
  admin: Admin | undefined;
  onClose(): void;
}) {
  const isSelf = useSession().accountId === admin?.userId;
  const remove = useAction('DELETE /latchkey/communities/{communityId}/admins/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/admins', 'GET /latchkey/account/communities'],
    onDone: onClose,
  });
  const title = platformName(platform);
  return (
    <ConfirmDialog
      isOpen={admin !== undefined}
      title={isSelf ? 'Stop being an admin?' : `Remove ${admin?.userName ?? 'this admin'}?`}
      yes={isSelf ? 'Leave' : 'Remove admin'}
      isDangerous
      isRunning={remove.isRunning}
      error={remove.error}
      onYes={() => admin && remove.run({ communityId, userId: admin.userId })}
      onNo={() => {
        remove.reset();
        onClose();
      }}
    >
      <p>
        Admins whom only {isSelf ? 'you' : 'they'} named are removed too. Nothing changes on {title}.
      </p>
      {admin?.ground === 'platform' && !isSelf && (
        <p>
          {title} lets them manage the community, so they can become an admin here again. To prevent that, take this
          right away on {title} as well.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** Finds a member by name and makes them an admin. The answer says what the platform thinks of them. */
function AddAdmin({ communityId, platform }: { communityId: string; platform: string }) {
  const [userId, setUserId] = useState<string>();
  const add = useAction('PUT /latchkey/communities/{communityId}/admins/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/admins'],
    onDone: () => setUserId(undefined),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (userId !== undefined) add.run({ communityId, userId });
  };
  const added = add.answer;
  const name = added?.userName ?? added?.userId;
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <MemberField
          communityId={communityId}
          label="Add an admin"
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
        <Button type="submit" variant="default" loading={add.isRunning} disabled={userId === undefined}>
          Add admin
        </Button>
      </Group>
      <Failure error={add.error} />
      <p role="status" className={styles.note}>
        {added !== undefined &&
          (added.ground === 'platform'
            ? `${name} is an admin. ${platformName(platform)} confirms that they manage the community, and they stay an admin as long as it does.`
            : `${name} is an admin. ${platformName(platform)} does not say that they manage the community, so they are one because you named them: until they leave, or you are no longer an admin.`)}
      </p>
    </form>
  );
}
