import { choice, notFound, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { miniAppIdOf, toRecord } from './change.ts';
import { MiniAppRegistration } from './mini-app.ts';
import { selectMiniApp } from './queries.ts';

export const MiniAppDetails = record('MiniAppDetails', 'A mini-app with what the last probe found.', {
  app: MiniAppRegistration,
  probedAt: T.Optional(
    text('When it was last probed on a schedule or before it was listed, as an ISO 8601 time.', { maxLength: 32 }),
  ),
  signature: T.Optional(choice('The signatures that it was found to verify.', ['ed25519', 'ecdsa', 'both'])),
  version: T.Optional(text('The version that it told at that probe.', { maxLength: 200 })),
  commands: texts('The commands that it told at that probe.', { maxLength: 200 }),
});
export type MiniAppDetails = ValueOf<typeof MiniAppDetails>;

export async function getMiniApp(
  ctx: Pick<Context, 'tx'>,
  { miniAppId }: { miniAppId: string },
): Promise<MiniAppDetails> {
  const row = await ctx.tx((tx) => selectMiniApp(tx, miniAppIdOf(miniAppId)));
  if (row === undefined) throw notFound('mini-app');
  const names = (row.profile?.commands ?? []).map(({ name }) => name).filter((name) => typeof name === 'string');
  return {
    app: toRecord(row),
    probedAt: row.probed_at?.toISOString(),
    signature: row.signature ?? undefined,
    version: row.profile?.manifest.version?.name,
    commands: names,
  };
}
