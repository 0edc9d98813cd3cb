import { exponentialRetry, job } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { confirmation, sending } from './begin.ts';
import { confirmAction, sendAction } from './send.ts';

const retry = exponentialRetry(60, 1, 3_600);

const send = job(sending.name, { payload: sending.payload, retry, timeoutSeconds: 60 }, (ctx: Context, { actionId }) =>
  sendAction(ctx, actionId),
);

const confirm = job(
  confirmation.name,
  { payload: confirmation.payload, retry, timeoutSeconds: 60 },
  (ctx: Context, { actionId }, { attempt }) => confirmAction(ctx, actionId, attempt),
);

export const treasuryJobs = [send, confirm] as const;
