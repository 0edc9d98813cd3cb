import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EmbeddedPostgresError, useAnotherServer } from './error.ts';

const run = promisify(execFile);

/** The environment of PostgreSQL's programs: nothing of ours can affect them. */
export const childEnvironment: NodeJS.ProcessEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

// PostgreSQL refuses to run as uid 0 and needs a uid with a name; 65534 is nobody. In the new user namespace this
// process's root is called nobody, so files keep their owner and nothing has to be chowned.
const asNobody = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

/** Returns the command prefix for PostgreSQL's programs: empty, unless this process is root. */
export async function unprivilegedPrefix(): Promise<string[]> {
  if (process.geteuid?.() !== 0) return [];
  try {
    await runProgram([...asNobody, 'true']);
    return asNobody;
  } catch {
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and user namespaces, which would hide root from it, are not available here: run Latchkey as an ordinary user, or ${useAnotherServer}.`,
    );
  }
}

/** Runs a program to its end. An error contains the program's output. */
export async function runProgram([program = '', ...args]: string[]): Promise<void> {
  try {
    await run(program, args, { env: childEnvironment, cwd: '/' });
  } catch (error) {
    const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new EmbeddedPostgresError(printed || String(error), { cause: error });
  }
}
