import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, Failure, Loading, Row, Section, State, Time } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{communityId}/admins';
type Admin = Answer<typeof list>[number];

/** Who manages the community. The platform decides about most of them; those who were named can be removed here. */
export function Admins({ communityId }: { communityId: string }) {
  const admins = useOperation(list, { communityId });
  const [leaving, setLeaving] = useState<Admin>();
  const close = () => setLeaving(undefined);
  const save = useAction('PATCH /communities/{id}/admins', { changes: [list], onDone: close });
  const remaining = (admins.data ?? []).map(({ userId }) => userId).filter((userId) => userId !== leaving?.userId);
  return (
    <Section
      title="Admins"
      lead="Whoever may manage the community on its platform can be an admin here: they sign in and choose “Find others I manage” under Home. When they lose that right there, they lose it here."
    >
      {admins.isPending && <Loading what="the admins" />}
      <Failure error={admins.error} onRetry={() => void admins.refetch()} />
      <ul className={styles.rows}>
        {admins.data?.map((admin) => (
          <li key={admin.userId}>
            <AdminRow admin={admin} onRemove={() => setLeaving(admin)} />
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={`Remove ${leaving?.userName ?? 'this admin'}?`}
        yes="Remove admin"
        isDangerous
        isRunning={save.isRunning}
        error={save.error}
        onYes={() => save.run({ id: communityId, body: remaining })}
        onNo={close}
      >
        Admins whom they named lose their rights here too.
      </ConfirmDialog>
    </Section>
  );
}

function AdminRow({ admin, onRemove }: { admin: Admin; onRemove(): void }) {
  const { userId, userName, isOwner, ground, confirmedTime, namedByName } = admin;
  return (
    <Row
      title={userName ?? userId}
      states={isOwner && <State tone="good">Owner</State>}
      note={
        ground === 'platform' ? (
          <>
            Manages it on the platform
            {confirmedTime !== undefined && (
              <>
                , confirmed <Time at={confirmedTime} isRelative />
              </>
            )}
          </>
        ) : ground === 'named' ? (
          `Named by ${namedByName ?? 'another admin'}`
        ) : (
          'Named by the operator'
        )
      }
      {...(ground === 'named' &&
        !isOwner && {
          actions: (
            <Button size="xs" variant="default" onClick={onRemove}>
              Remove
            </Button>
          ),
        })}
    />
  );
}
