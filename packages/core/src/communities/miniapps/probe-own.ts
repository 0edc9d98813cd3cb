import { AppError, choice, notFound, record, T, text, type ValueOf } from '@latchkey/kernel';
import { type Context, contextFor } from '../../context.ts';
import { miniAppIdOf } from './change.ts';
import { probeAgain } from './decide.ts';
import { miniAppStatuses } from './mini-app.ts';
import { probeApp } from './probe.ts';
import { claimTry, selectMiniApp, setSignature } from './queries.ts';

export const probeEverySeconds = 60;

export const MiniAppProbe = record('MiniAppProbe', 'What the probe of a mini-app found.', {
  outcome: choice(
    'safe: it can be listed; unsafe: it accepted a forged call; failed: it could not be reached, or does not work.',
    ['safe', 'unsafe', 'failed'],
  ),
  reason: T.Optional(text('What is wrong, in a sentence.', { maxLength: 2000 })),
  signature: T.Optional(
    choice('The signatures that it verifies, and gets its calls with.', ['ed25519', 'ecdsa', 'both']),
  ),
  status: choice('The status of the mini-app after the probe.', miniAppStatuses),
});
export type MiniAppProbe = ValueOf<typeof MiniAppProbe>;

/** Probes a mini-app for its owner. What follows for a listed app is the same as after the weekly probe. */
export async function probeMiniApp(ctx: Context, { miniAppId }: { miniAppId: string }): Promise<MiniAppProbe> {
  const { system } = ctx.db;
  const id = miniAppIdOf(miniAppId);
  const app = await selectMiniApp(system, id);
  if (app === undefined) throw notFound('mini-app');
  const now = ctx.clock();
  if (!(await claimTry(system, id, now, new Date(now.getTime() - probeEverySeconds * 1000))))
    throw new AppError('STATE_CONFLICT', `The mini-app was probed less than ${probeEverySeconds} seconds ago.`);
  const result =
    (await probeAgain(contextFor(ctx, { kind: 'system', job: 'probe' }), id)) ?? (await probeApp(ctx, app));
  if (result.kind === 'safe') await setSignature(system, id, result.signature);
  const { status } = (await selectMiniApp(system, id)) ?? app;
  return result.kind === 'safe'
    ? { outcome: 'safe', signature: result.signature, status }
    : { outcome: result.kind, reason: result.reason, status };
}
