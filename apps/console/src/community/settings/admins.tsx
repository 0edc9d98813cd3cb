import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { MemberField } from '../../shared/parts/member-field.tsx';
import { useSession } from '../../shared/session.ts';
import { ConfirmButton, Form, QueryList, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/admins';
type Admin = Answer<typeof list>[number];

/** Who manages the community. The platform decides about some of them, admins name the others. */
export function Admins({ communityId, platform }: { communityId: string; platform: string }) {
  const admins = useOperation(list, { communityId });
  return (
    <Section title={t('admins.title')} lead={t('admins.lead', { platform: platformName(platform) })}>
      <QueryList read={admins} loading={t('admins.loading')} keyOf={({ userId }) => userId}>
        {(admin) => <AdminRow communityId={communityId} admin={admin} platform={platform} />}
      </QueryList>
      <AddAdmin communityId={communityId} platform={platform} />
    </Section>
  );
}

function AdminRow({ communityId, admin, platform }: { communityId: string; admin: Admin; platform: string }) {
  const { userId, userName, isOwner, ground } = admin;
  const isSelf = useSession().accountId === userId;
  const remove = useAction('DELETE /latchkey/communities/{communityId}/admins/{userId}', {
    done: t('admins.removed'),
    changes: [list, 'GET /latchkey/account/communities'],
  });
  return (
    <Row
      title={userName ?? userId}
      states={
        <>
          {isOwner && <State tone="good">{t('admins.owner')}</State>}
          {isSelf && <State>{t('admins.you')}</State>}
        </>
      }
      note={<Ground admin={admin} platform={platform} />}
      actions={
        !isOwner && (
          <ConfirmButton
            {...(isSelf ? leaveWords() : removeWords(userId, userName))}
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ communityId, userId })}
          >
            <p>{t(isSelf ? 'admins.leaveNote' : 'admins.removeNote', { platform: platformName(platform) })}</p>
            {ground === 'platform' && !isSelf && <p>{t('admins.canReturn', { platform: platformName(platform) })}</p>}
          </ConfirmButton>
        )
      }
    />
  );
}

function leaveWords() {
  return {
    label: t('admins.leave'),
    look: { size: 'xs', 'aria-label': t('admins.leaveLabel') },
    title: t('admins.leaveTitle'),
    yes: t('admins.leave'),
  };
}

function removeWords(userId: string, userName: string | undefined) {
  return {
    label: t('common.remove'),
    look: { size: 'xs', 'aria-label': t('common.removeOne', { name: userName ?? userId }) },
    title: userName === undefined ? t('admins.removeUnnamedTitle') : t('admins.removeTitle', { name: userName }),
    yes: t('admins.remove'),
  };
}

/** Why a person is an admin. */
function Ground({ admin: { ground, confirmedTime, namedByName }, platform }: { admin: Admin; platform: string }) {
  if (ground === 'operator') return t('admins.byOperator');
  if (ground === 'named')
    return namedByName === undefined ? t('admins.byAnother') : t('admins.byAdmin', { name: namedByName });
  return confirmedTime === undefined
    ? t('admins.byPlatform', { platform: platformName(platform) })
    : t.rich('admins.byPlatformAt', {
        platform: platformName(platform),
        time: <Time key="time" at={confirmedTime} isRelative />,
      });
}

/** Finds a member by name and makes them an admin. The answer says what the platform thinks of them. */
function AddAdmin({ communityId, platform }: { communityId: string; platform: string }) {
  const [userId, setUserId] = useState<string>();
  const add = useAction('PUT /latchkey/communities/{communityId}/admins/{userId}', {
    done: t('admins.added'),
    changes: [list],
    onDone: () => setUserId(undefined),
  });
  const added = add.answer;
  return (
    <>
      <Form
        isInline
        isQuiet
        submit={t('admins.addButton')}
        canSubmit={userId !== undefined}
        action={add}
        onSubmit={() => userId !== undefined && add.run({ communityId, userId })}
      >
        <MemberField
          communityId={communityId}
          label={t('admins.add')}
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
      </Form>
      <p role="status" className={styles.note}>
        {added !== undefined &&
          t(added.ground === 'platform' ? 'admins.addedConfirmed' : 'admins.addedByYou', {
            name: added.userName ?? added.userId,
            platform: platformName(platform),
          })}
      </p>
    </>
  );
}
