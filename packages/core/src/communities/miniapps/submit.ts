import { AppError, record, T, text, type ValueOf } from '@latchkey/kernel';
import { type Context, contextFor } from '../../context.ts';
import { assertTransition, type ChangeContext, change, getForUpdate, toRecord } from './change.ts';
import { checkAddress, checkBase } from './check-addresses.ts';
import type { MiniAppRegistration } from './mini-app.ts';

export const MiniAppProfileChange = record('MiniAppProfileChange', 'What a mini-app says of itself in lists.', {
  description: text('What it does.', { minLength: 1, maxLength: 8000 }),
  icon: T.Optional(
    text('The address of a picture: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
  url: T.Optional(
    text('Where the mini-app is called: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
});
type MiniAppProfileChange = ValueOf<typeof MiniAppProfileChange>;

/** Changes how a mini-app is shown and where it is called. What was approved at one address stays there. */
export async function setMiniAppProfile(
  ctx: ChangeContext,
  { miniAppId, body }: { miniAppId: string; body: MiniAppProfileChange },
): Promise<MiniAppRegistration> {
  const { description, icon } = body;
  if (icon !== undefined) checkAddress('/icon', icon);
  if (body.url !== undefined) checkBase('/url', body.url);
  const url = body.url?.replace(/\/+$/, '') ?? null;
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    if (url !== row.url && (row.status === 'APPROVED' || row.status === 'LISTED'))
      throw new AppError(
        'STATE_CONFLICT',
        'An approved mini-app keeps its address, since the operator approved what is there. Register the new address as another mini-app.',
      );
    return toRecord(await change(ctx, tx, row, { action: 'set-profile', description, icon: icon ?? null, url }));
  });
}

export const MiniAppSubmission = record('MiniAppSubmission', 'What the operator should know.', {
  notes: T.Optional(text('What was fixed since the last review.', { maxLength: 1000 })),
});

/** Puts a mini-app that was rejected or revoked before the operator again. */
export async function submitMiniApp(
  ctx: Context,
  { miniAppId, body }: { miniAppId: string; body?: ValueOf<typeof MiniAppSubmission> | undefined },
): Promise<MiniAppRegistration> {
  if (body?.notes?.includes('\0')) throw new AppError('VALIDATION_FAILED', 'Leave the zero character out of notes.');
  // The database lets nobody but the system change a status; whose mini-app it is was asked before.
  const system = contextFor(ctx, { kind: 'system', job: 'submit-mini-app' });
  return system.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    if (row.status === 'PENDING') throw new AppError('STATE_CONFLICT', 'The mini-app is already waiting for review.');
    assertTransition(row.status, 'PENDING');
    return toRecord(await change(ctx, tx, row, { action: 'submit', notes: body?.notes, status: 'PENDING' }));
  });
}
