import { enqueue } from '@latchkey/db';
import { AppError, notFound, type Page } from '@latchkey/kernel';
import { registerMiniApp, withdrawMiniApp } from '../../communities/installs/index.ts';
import type { Finding } from '../../identity/client-apps/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { assertTransition, change, getForUpdate, miniAppIdOf, toRecord } from './change.ts';
import type { MiniAppRegistration, MiniAppStatus } from './mini-app.ts';
import { type ProbeResult, probeApp } from './probe.ts';
import {
  type MiniAppSearch,
  searchMiniApps,
  selectMiniApp,
  selectMiniAppsBy,
  selectMiniAppsOf,
  updateMiniApp,
} from './queries.ts';
import { syncEverywhere } from './sync-jobs.ts';

export const miniAppDecisions = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  reopen: 'PENDING',
  revoke: 'REVOKED',
  list: 'LISTED',
} as const;

export type MiniAppDecision = keyof typeof miniAppDecisions;

function assertOperator({ actor }: Pick<Context, 'actor'>): void {
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can review mini-apps.');
}

/** Lists all mini-apps, for the operator. */
export async function listMiniApps(ctx: Context, status?: MiniAppStatus): Promise<MiniAppRegistration[]> {
  assertOperator(ctx);
  return (await selectMiniAppsBy(ctx.db.system, status)).map((row) => toRecord(row));
}

/** Returns a page of all mini-apps for the operator, newest first. */
export async function pageOfMiniApps(
  ctx: Context,
  { status, search, ...request }: PageRequest & MiniAppSearch,
): Promise<Page<MiniAppRegistration>> {
  assertOperator(ctx);
  const page = await paginate(ctx, request, {
    list: `all-mini-apps:${JSON.stringify([status ?? null, search ?? null])}`,
    read: (after, limit) => searchMiniApps(ctx.db.system, { status, search }, after, limit),
    cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
  });
  return { ...page, items: page.items.map((row) => toRecord(row)) };
}

/** The operator's decision on a mini-app. It is probed before listing, and one that fails keeps its status. */
export async function decideMiniApp(
  ctx: Context,
  { id, decision, notes }: { id: string; decision: MiniAppDecision; notes?: string | undefined },
): Promise<MiniAppRegistration> {
  assertOperator(ctx);
  const status = miniAppDecisions[decision];
  const known = await selectMiniApp(ctx.db.system, miniAppIdOf(id));
  if (known === undefined) throw notFound('mini-app');
  assertTransition(known.status, status);
  // The app is called before anything is locked: it may take its time.
  const probe = status === 'LISTED' ? await probeApp(ctx, known) : undefined;
  if (probe !== undefined && probe.kind !== 'safe')
    throw new AppError('STATE_CONFLICT', `The mini-app cannot be listed. ${probe.reason}`);
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, id);
    assertTransition(row.status, status);
    const seen =
      probe === undefined ? {} : { profile: probe.profile, signature: probe.signature, probed_at: ctx.clock() };
    const remarks = [notes, ...(probe?.warnings ?? [])].filter((each) => each !== undefined);
    const changed = await change(ctx, tx, row, {
      action: decision,
      notes: remarks.length === 0 ? undefined : remarks.join(' '),
      status,
      ...seen,
    });
    const joined = contextFor(ctx, ctx.actor, tx);
    if (changed.profile !== null && status === 'LISTED') await registerMiniApp(joined, changed.profile.manifest);
    else if (row.status === 'LISTED') await withdrawMiniApp(joined, row.id);
    await enqueue(tx, syncEverywhere, { appId: row.id }, { key: row.id });
    return toRecord(changed);
  });
}

/** Probes a listed app again: one that is unsafe is suspended, with the reason; one that is down is left alone. */
export async function probeAgain(ctx: Context, id: string): Promise<ProbeResult | undefined> {
  const app = await selectMiniApp(ctx.db.system, id);
  if (app?.status !== 'LISTED') return undefined;
  const result = await probeApp(ctx, app);
  await ctx.db.transaction('system', async (tx) => {
    const row = await getForUpdate(tx, id);
    if (row.status !== 'LISTED') return;
    const probed_at = ctx.clock();
    if (result.kind === 'failed') return void (await updateMiniApp(tx, id, { probed_at }));
    const joined = contextFor(ctx, ctx.actor, tx);
    if (result.kind === 'safe') {
      await updateMiniApp(tx, id, { probed_at, profile: result.profile, signature: result.signature });
      await registerMiniApp(joined, result.profile.manifest);
    } else {
      await change(ctx, tx, row, { action: 'suspend', notes: result.reason, status: 'REVOKED', probed_at });
      await withdrawMiniApp(joined, id);
    }
    await enqueue(tx, syncEverywhere, { appId: id }, { key: id });
  });
  return result;
}

/** Probes the mini-apps of an organization, for the operator. Changes nothing. */
export async function examineMiniApps(ctx: Context, organizationId: string): Promise<Finding[]> {
  const apps = await selectMiniAppsOf(ctx.db.system, organizationId);
  const findings: Finding[] = [];
  for (const app of apps.filter(({ status }) => status !== 'REJECTED')) {
    const about = `mini-app ${app.name}`;
    if (app.status !== 'LISTED')
      findings.push({ level: 'warn', about, says: `It is ${app.status}, so no community can use it.` });
    const result = await probeApp(ctx, app);
    if (result.kind !== 'safe') findings.push({ level: 'fail', about, says: result.reason });
    else if (app.signature !== null && app.signature !== result.signature)
      findings.push({
        level: 'warn',
        about,
        says: `It verifies ${result.signature} but receives ${app.signature}. This is corrected after the next rejected call, or with: npm run latchkey -- miniapps probe ${app.id}`,
      });
    else if (result.warnings.length > 0)
      findings.push({ level: 'warn', about, says: `It can be listed, but: ${result.warnings.join(' ')}` });
    else
      findings.push({
        level: 'ok',
        about,
        says: `It responds, rejects forged calls and verifies ${result.signature}.`,
      });
  }
  return findings;
}
