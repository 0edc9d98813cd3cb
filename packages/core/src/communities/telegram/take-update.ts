import { isUnavailable } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { TelegramEvent } from '../../ports/index.ts';
import { handleTelegramEvent } from './handle-event.ts';
import { countFailure, isTaken, markTaken, onceFor, type UpdateId } from './updates.ts';

type TakeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log'>;

/** Takes in what an update tells, unless that was done before. */
export async function takeTelegramUpdate(ctx: TakeContext, update: UpdateId, event: TelegramEvent): Promise<void> {
  if (await isTaken(ctx.db.system, update)) return;
  await handleTelegramEvent(ctx, event, onceFor(ctx, update));
}

/** Where Telegram posts updates to; the server mounts it whenever a bot is configured. */
export const telegramRoute = {
  method: 'POST',
  path: '/telegram/updates',
  secretHeader: 'x-telegram-bot-api-secret-token',
} as const;

/** An update that failed so often no longer holds up those of its chat. */
const mostFailures = 5;

/**
 * Takes in an update that Telegram posted. A failure makes Telegram post it again, which holds up what happens in the
 * same chat: one that fails on its own account is given up.
 */
export async function takePostedUpdate(ctx: TakeContext, update: UpdateId, event: TelegramEvent): Promise<void> {
  try {
    await takeTelegramUpdate(ctx, update, event);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const failures = await countFailure(ctx.db.system, update, ctx.clock());
    const fields = { updateId: update.updateId, kind: event.kind, error };
    const log = ctx.log.for('telegram');
    if (failures < mostFailures) {
      log.warn('An update of Telegram could not be handled; Telegram sends it again.', fields);
      throw new AppError('UNAVAILABLE', 'The update could not be handled. Send it again.', {
        retryAfterSeconds: 5,
        cause: error,
      });
    }
    await markTaken(ctx.db.system, update, ctx.clock());
    log.error('An update of Telegram could not be handled and is given up.', fields);
  }
}
