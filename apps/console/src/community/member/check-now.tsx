import { Button } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconRefresh } from '../../shared/icons.tsx';
import { Failure } from '../../shared/ui/index.ts';
import styles from './member.module.css';

const progress = 'GET /latchkey/communities/{communityId}/role-checks';

/** Has this member checked by a worker, and says when that is done. */
export function CheckNow({ communityId, userId }: { communityId: string; userId: string }) {
  const check = useAction('POST /latchkey/communities/{communityId}/role-checks', { changes: [progress] });
  const wasStarted = check.answer !== undefined;
  const { data } = useOperation(progress, { communityId, userId }, { enabled: wasStarted });
  return (
    <div className={styles.check}>
      <Button
        leftSection={<IconRefresh size={16} aria-hidden="true" />}
        loading={check.isRunning}
        onClick={() => check.run({ communityId, body: { userIds: [userId] } })}
      >
        Check now
      </Button>
      <span role="status">{wasStarted && data !== undefined && formatProgress(data.waiting, data.postponed)}</span>
      <Failure error={check.error} />
    </div>
  );
}

function formatProgress(waiting: number, postponed: number): string {
  if (waiting > 0) return 'Checking …';
  if (postponed > 0) return 'Something could not be read. Latchkey tries again by itself.';
  return 'Checked. Changes appear under “What happened”.';
}
