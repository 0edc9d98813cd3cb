import { userInfo } from 'node:os';
import { type AuditEntry, type Context, recordAudit } from '@latchkey/core';

/** A use of the operator's power: what is done, to what and why. */
export type Use = Pick<AuditEntry, 'action' | 'communityId' | 'details' | 'reason' | 'subject' | 'target'>;

/** Who sits at the command line, as far as the system knows. */
export function atCommandLine(): Pick<AuditEntry, 'through' | 'who'> {
  return { through: 'command-line', who: `$command-line/${systemUser()}` };
}

/**
 * Does something by the operator's power. It is on record before it is done, so that nothing that fails in between can
 * hide it; what did not come about is on record a second time.
 */
export async function onRecord<Result>(
  ctx: Pick<Context, 'clock' | 'db'>,
  use: Use,
  work: () => Promise<Result>,
): Promise<Result> {
  const entry = { ...use, ...atCommandLine() };
  await recordAudit(ctx.db.system, { ...entry, at: ctx.clock() });
  try {
    return await work();
  } catch (error) {
    await recordAudit(ctx.db.system, { ...entry, at: ctx.clock(), details: { ...use.details, failed: true } });
    throw error;
  }
}

// A user of a container may have a number and no name.
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
