import { AppError, addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import { gatingSettings } from '../../gating/evaluation/index.ts';
import { reconcileUser } from '../../gating/role-changes/index.ts';
import {
  markSignersChecked,
  selectDueSigners,
  type WalletRow,
  type WalletsChanged,
} from '../../identity/wallets/index.ts';
import type { ReadOptions } from '../../ports/index.ts';
import { noticeEnding } from '../../services/security-notices/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { endLink } from '../wallet-links/index.ts';
import { findProxies, ownsSafe, proxyTypes } from './proxies.ts';
import { deleteExpiredSteps } from './queries.ts';

type RecheckContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'holdings' | 'log' | 'origin' | 'random' | 'settings' | 'wallets'
>;

const periodSeconds = 60 * 60;
/** A chain that did not respond is queried again sooner. */
const retrySeconds = 10 * 60;
const linksAtOnce = 200;
const readsAtOnce = 8;

/**
 * Asks the chains whether the signers of contract wallets still control them, and ends the links of those that do not.
 * Returns how many ended.
 */
export async function recheckSigners(ctx: RecheckContext, signal?: AbortSignal): Promise<number> {
  let ended = 0;
  for (;;) {
    signal?.throwIfAborted();
    const now = ctx.clock();
    const due = await selectDueSigners(ctx.db.system, addSeconds(now, -periodSeconds), linksAtOnce);
    const verdicts = await inParallel(due, readsAtOnce, (link) => recheck(ctx, link, signal));
    const idsOf = (wanted: Verdict) => due.filter((_, index) => verdicts[index] === wanted).map(({ id }) => id);
    await markSignersChecked(ctx.db.system, idsOf('speaks'), now);
    await markSignersChecked(ctx.db.system, idsOf('unknown'), addSeconds(now, retrySeconds - periodSeconds));
    ended += idsOf('ended').length;
    if (due.length < linksAtOnce) return ended;
  }
}

type Verdict = 'speaks' | 'unknown' | 'ended';

async function recheck(ctx: RecheckContext, link: WalletRow, signal: AbortSignal | undefined): Promise<Verdict> {
  const options: ReadOptions = signal === undefined ? {} : { signal };
  const first = await speaksFor(ctx, link, options);
  if (first !== false) return first === undefined ? 'unknown' : 'speaks';
  // As with roles: before something is removed, it is read a second time, and several endpoints must agree.
  const again = await speaksFor(ctx, link, { ...options, quorum: gatingSettings(ctx).removalQuorum });
  if (again !== false) return again === undefined ? 'unknown' : 'speaks';
  await endLink(ctx, link, reconcileAndNotify(link.user_id));
  return 'ended';
}

/** Whether the signer of a link currently controls its address; undefined if that cannot be determined. */
async function speaksFor(
  ctx: RecheckContext,
  { address, contract, contract_chain: chain, signer_address }: WalletRow,
  options: ReadOptions,
): Promise<boolean | undefined> {
  const [, named] = contract?.split('/') ?? [];
  const type = proxyTypes.find((known) => known === named);
  if (type === undefined || chain === null || signer_address === null) return undefined;
  const signer = { chain, address: signer_address };
  try {
    if (type === 'gnosis') return await ownsSafe(ctx, address, signer, options);
    return (await findProxies(ctx, type, signer, undefined, options)).proxies.includes(address);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function reconcileAndNotify(ownerId: string): WalletsChanged {
  return async (tx, userId, change) => {
    await reconcileUser(tx, userId, change);
    if (userId === ownerId) await noticeEnding(tx, userId, 'signer-removed');
  };
}

const nothing = shape(T.Record(T.String(), T.Never()));

const removeExpired = job(
  'wallet-manager.remove-expired',
  { payload: nothing },
  async (ctx: Pick<Context, 'clock' | 'db'>) => deleteExpiredSteps(ctx.db.system, ctx.clock()),
);

const recheckSignersJob = job(
  'wallet-manager.recheck-signers',
  { payload: nothing },
  async (ctx: Context, _, { signal }) => {
    const ended = await recheckSigners(ctx, signal);
    if (ended > 0) ctx.log.info('Contract wallets were unlinked: their signers no longer control them.', { ended });
  },
);

export const walletManagerJobs = [removeExpired, recheckSignersJob] as const;

export const walletManagerSchedules: readonly Schedule[] = [
  { name: 'wallet-manager.remove-expired', cron: '4,19,34,49 * * * *', job: removeExpired },
  { name: 'wallet-manager.recheck-signers', cron: '2,7,12,17,22,27,32,37,42,47,52,57 * * * *', job: recheckSignersJob },
];
