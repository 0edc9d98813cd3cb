import type { Session } from '../bus/session.ts';

/** How long after a restart or a failover the loss of its worker does not count against a job. */
export const graceSeconds = 30;

/**
 * Records the database run that this session is part of. The first one ever recorded has no start time: there is no
 * sign that any worker lost a connection then.
 */
export async function noteEra(session: Session): Promise<void> {
  await session.query(
    `insert into database_eras (era, begun_at)
     select database_era(), case when exists (select from database_eras) then clock_timestamp() else '-infinity' end
     on conflict do nothing`,
  );
}
