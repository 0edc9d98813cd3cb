import { platformName } from '../../parts/names.ts';
import { useAction } from '../../shared/api/index.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import type { Admin } from './admins.tsx';

/** Asks before an admin is removed, and says what that does not change. */
export function RemoveAdmin({
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
