import type { Sql } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { selectShadowOn } from './queries.ts';

/** The error shown for writes in a community that is in shadow mode. */
export const shadowAdvice = 'This community is in shadow mode, so no roles are changed. Take over first.';

/** Refuses operations that would write roles while the community is in shadow mode. */
export async function refuseInShadow(db: Sql, communityId: string): Promise<void> {
  if ((await selectShadowOn(db, communityId)) !== undefined) throw new AppError('STATE_CONFLICT', shadowAdvice);
}
