import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { MemberField } from '../../shared/member-field.tsx';
import { useSession } from '../../shared/session.ts';
import { ConfirmButton, Form, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/admins';
type Admin = Answer<typeof list>[number];

/** Who manages the community. The platform decides about some of them, admins name the others. */
export function Admins({ communityId, platform }: { communityId: string; platform: string }) {
  const admins = useOperation(list, { communityId });
  return (
    <Section
      title="Admins"
      lead={`Admins change rules, approve role changes and name other admins. Anyone who can manage the community on ${platformName(platform)} can become one: they sign in and choose “Find others I manage” under Home.`}
    >
      <QueryList read={admins} what="the admins" keyOf={({ userId }) => userId}>
        {(admin) => <AdminRow communityId={communityId} admin={admin} platform={platform} />}
      </QueryList>
      <AddAdmin communityId={communityId} platform={platform} />
    </Section>
  );
}

function AdminRow({ communityId, admin, platform }: { communityId: string; admin: Admin; platform: string }) {
  const { userId, userName, isOwner, ground } = admin;
  const isSelf = useSession().accountId === userId;
  const name = userName ?? userId;
  const title = platformName(platform);
  const remove = useAction('DELETE /latchkey/communities/{communityId}/admins/{userId}', {
    done: 'Admin removed.',
    changes: [list, 'GET /latchkey/account/communities'],
  });
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
      actions={
        !isOwner && (
          <ConfirmButton
            label={isSelf ? 'Leave' : 'Remove'}
            look={{ size: 'xs', 'aria-label': isSelf ? 'Leave: stop being an admin' : `Remove ${name}` }}
            title={isSelf ? 'Stop being an admin?' : `Remove ${userName ?? 'this admin'}?`}
            yes={isSelf ? 'Leave' : 'Remove admin'}
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ communityId, userId })}
          >
            <p>
              Admins that only {isSelf ? 'you' : 'they'} added are removed too. Nothing changes on {title}.
            </p>
            {ground === 'platform' && !isSelf && (
              <p>
                {title} lets them manage the community, so they can become an admin here again. To prevent that, take
                this right away on {title} as well.
              </p>
            )}
          </ConfirmButton>
        )
      }
    />
  );
}

/** Why a person is an admin. */
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

/** Finds a member by name and makes them an admin. The answer says what the platform thinks of them. */
function AddAdmin({ communityId, platform }: { communityId: string; platform: string }) {
  const [userId, setUserId] = useState<string>();
  const add = useAction('PUT /latchkey/communities/{communityId}/admins/{userId}', {
    done: 'Admin added.',
    changes: [list],
    onDone: () => setUserId(undefined),
  });
  const added = add.answer;
  const name = added?.userName ?? added?.userId;
  return (
    <>
      <Form
        isInline
        isQuiet
        submit="Add admin"
        canSubmit={userId !== undefined}
        action={add}
        onSubmit={() => userId !== undefined && add.run({ communityId, userId })}
      >
        <MemberField
          communityId={communityId}
          label="Add an admin"
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
      </Form>
      <p role="status" className={styles.note}>
        {added !== undefined &&
          (added.ground === 'platform'
            ? `${name} is an admin. ${platformName(platform)} confirms that they manage the community, and they stay an admin as long as it does.`
            : `${name} is an admin. ${platformName(platform)} does not say that they manage the community, so they are one because you named them: until they leave, or you are no longer an admin.`)}
      </p>
    </>
  );
}
