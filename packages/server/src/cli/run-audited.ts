import { userInfo } from 'node:os';
import { type AuditEntry, type Context, recordAudit } from '@latchkey/core';

/** An action of the operator: what is done, to what, and why. */
export type Use = Pick<AuditEntry, 'action' | 'communityId' | 'details' | 'reason' | 'subject' | 'target'>;

/** The system user at the command line, as far as it is known. */
export function atCommandLine(): Pick<AuditEntry, 'through' | 'who'> {
  return { through: 'command-line', who: `$command-line/${systemUser()}` };
}

/**
 * Runs an action with the operator's privileges. It is audited before it runs, so that a crash cannot hide it; a
 * failure is audited a second time.
 */
export async function runAudited<Result>(
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

// A user inside a container may have an id but no name.
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
