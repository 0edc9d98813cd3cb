import { chatPlatforms } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectWays } from '../telegram-gate/index.ts';
import type { SetupCheck } from './setup-check.ts';

const mostWays = 200;

/** Whether people came in around the gate. They are checked by the rules like all others, but a later link may let more in. */
export async function checkBypasses(
  { db }: Pick<Context, 'db'>,
  { id, platform }: Pick<CommunityRow, 'id' | 'platform'>,
): Promise<SetupCheck> {
  const ways = await selectWays(db.system, id, { limit: mostWays });
  const open = ways.filter(({ revoked_at }) => revoked_at === null);
  const joins = open.reduce((sum, way) => sum + way.joins, 0);
  const check = { id: 'gate-bypasses', subject: 'bot', title: 'Joins around the gate' } as const;
  if (open.length === 0)
    return {
      ...check,
      state: 'ok',
      reason: `In the last 90 days ${chatPlatforms[platform].title} reported no join that was not approved.`,
    };
  return {
    ...check,
    state: 'advised',
    reason: `In the last 90 days ${joins === 1 ? 'one person' : `${joins} people`} joined without being let in by the bot. The rules check them like all members.`,
    remedy:
      'In the console, see “Joins that bypassed the gate” on the Setup page. It says for each way how to close it.',
  };
}
