import { type DevvitDesk, type MemberWrite, PlatformFailed, type WriteOutcome } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import {
  type DevvitAppRow,
  keyOf,
  lockOrder,
  type NotApplied,
  putOrder,
  selectAppOf,
  selectMembers,
  selectRolesOf,
} from './queries.ts';

type DeskContext = Pick<Context, 'clock' | 'db' | 'random'>;

const pageSize = 1_000;
/** The writer asks again after this time; an answer of the app wakes it earlier. */
const askAgainSeconds = 600;

/** What the Devvit apps reported, and the changes that they are asked for. */
export function createDevvitDesk(ctx: DeskContext): DevvitDesk {
  const { system } = ctx.db;
  return {
    isPaired: async (subreddit) => (await selectAppOf(system, subreddit)) !== undefined,
    readFlairs: async (subreddit) => {
      const { flairs } = await getApp(ctx, subreddit);
      if (flairs === null) throw notReported();
      return flairs.map(({ roleId, text }) => ({ id: roleId, name: text }));
    },
    readMember: async (subreddit, userName) => {
      const app = await getListed(ctx, subreddit);
      return { userId: userName, userName, roleIds: await selectRolesOf(system, app.community_id, userName) };
    },
    readMembers: async function* (subreddit) {
      const app = await getListed(ctx, subreddit);
      for (let after = ''; ; ) {
        const page = await selectMembers(system, app.community_id, { after, limit: pageSize });
        yield page.map(({ userName, roleIds }) => ({ userId: userName, userName, roleIds }));
        after = page.at(-1)?.memberKey ?? '';
        if (page.length < pageSize) return;
      }
    },
    write: (write) => order(ctx, write),
  };
}

async function getApp(ctx: DeskContext, subreddit: string): Promise<DevvitAppRow> {
  const app = await selectAppOf(ctx.db.system, subreddit);
  if (app === undefined) throw new PlatformFailed('not-configured', 'No Devvit app is paired with this subreddit.');
  return app;
}

/** Before the first complete list, nobody's roles are known. */
async function getListed(ctx: DeskContext, subreddit: string): Promise<DevvitAppRow> {
  const app = await getApp(ctx, subreddit);
  if (app.listed_at === null) throw notReported();
  return app;
}

function notReported(): PlatformFailed {
  return new PlatformFailed('unavailable', 'The Devvit app has not reported what the subreddit has yet.', 60);
}

/** Leaves a change for the app. Once it was applied, reading the member shows it; otherwise this returns why not. */
async function order(ctx: DeskContext, write: MemberWrite): Promise<WriteOutcome> {
  const app = await selectAppOf(ctx.db.system, write.communityId);
  if (app === undefined) return { kind: 'failed', reason: 'No Devvit app is paired with this subreddit any more.' };
  return ctx.db.transaction('system', async (tx) => {
    const known = await lockOrder(tx, app.community_id, write.userId);
    const isSame = known !== undefined && isEqual(known.add, write.add) && isEqual(known.remove, write.remove);
    if (isSame && known.outcome === null) return waiting;
    const changes = { add: [...write.add], remove: [...write.remove] };
    // A change that failed is ordered again at once: if it fails again, the writer asks later and later.
    await putOrder(tx, {
      community_id: app.community_id,
      member_key: keyOf(write.userId),
      id: ctx.random.id(),
      user_name: write.userId,
      ...changes,
      ordered_at: ctx.clock(),
      sent_at: null,
      outcome: null,
    });
    return isSame && known.outcome !== null ? outcomeOf(known.outcome) : waiting;
  });
}

const waiting: WriteOutcome = {
  kind: 'waiting',
  reason: 'Waiting for the Devvit app in the subreddit to apply it.',
  retryAfterSeconds: askAgainSeconds,
};

function outcomeOf(outcome: NotApplied): WriteOutcome {
  switch (outcome.kind) {
    case 'gone':
      return { kind: 'gone' };
    case 'failed':
      return { kind: 'failed', reason: 'Reddit did not let the Devvit app apply the change now.' };
    case 'refused':
      return {
        kind: 'forbidden',
        fault: 'permission',
        advice:
          'Reddit refuses the change to the Devvit app. Check under Mod Tools > Installed apps that it is installed, and that its account may manage users and flair.',
        ...(outcome.roleId !== undefined && { roleId: outcome.roleId }),
      };
  }
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}
