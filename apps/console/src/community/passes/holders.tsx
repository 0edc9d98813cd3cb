import { Button } from '@mantine/core';
import { useAction, usePages } from '../../shared/api/index.ts';
import { Failure, PagedList, Row, Time } from '../../shared/ui/index.ts';
import styles from './passes.module.css';

const list = 'GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders';

/** Who holds a pass, until when, and the way to end it early. */
export function Holders({ communityId, passId }: { communityId: string; passId: string }) {
  const pages = usePages(list, { communityId, passId });
  const end = useAction('DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    changes: [list],
  });
  return (
    <>
      <PagedList
        pages={pages}
        what="holders"
        keyOf={({ userId }) => userId}
        empty={<p className={styles.facts}>Nobody holds it yet.</p>}
      >
        {({ userId, userName, endsTime, problem }) => (
          <Row
            title={userName ?? 'A member'}
            note={
              <>
                Until <Time at={endsTime} />
                {problem !== undefined && ` · ${problem}`}
              </>
            }
            actions={
              <Button
                size="xs"
                variant="default"
                loading={end.isRunning}
                onClick={() => end.run({ communityId, passId, userId })}
              >
                End now
              </Button>
            }
          />
        )}
      </PagedList>
      <Failure error={end.error} />
    </>
  );
}
