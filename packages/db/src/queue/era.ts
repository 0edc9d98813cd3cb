import type { Session } from '../bus/session.ts';

/** How long after a restart or a failover a job that lost its worker is not held against the job. */
export const graceSeconds = 30;

/**
 * Notes the life of the database that this session is part of. The first one ever noted has no beginning: nothing says that
 * anybody lost a connection then.
 */
export async function noteEra(session: Session): Promise<void> {
  await session.query(
    `insert into database_eras (era, begun_at)
     select database_era(), case when exists (select from database_eras) then clock_timestamp() else '-infinity' end
     on conflict do nothing`,
  );
}
