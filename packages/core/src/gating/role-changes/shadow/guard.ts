import type { Sql } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { selectShadowOn } from './queries.ts';

/** Why nothing is written in a community that only watches. */
export const shadowAdvice = 'This community is in shadow mode, so no roles are changed. Take over first.';

/** Refuses what would have roles written, while the community only watches. */
export async function refuseInShadow(db: Sql, communityId: string): Promise<void> {
  if ((await selectShadowOn(db, communityId)) !== undefined) throw new AppError('STATE_CONFLICT', shadowAdvice);
}
