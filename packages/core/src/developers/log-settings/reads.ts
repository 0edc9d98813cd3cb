import { listAliveTogether } from '@latchkey/db';
import type { Context } from '../../context.ts';
import type { LogSettingsResponse } from './log-settings.ts';
import { describeProcess } from './update.ts';

/** Every process keeps its own row up to date, so there is nothing to wait for. */
export async function collectLogSettings(ctx: Pick<Context, 'db'>): Promise<LogSettingsResponse[]> {
  return (await listAliveTogether(ctx.db)).map(describeProcess);
}
