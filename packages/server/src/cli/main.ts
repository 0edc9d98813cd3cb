import { startSmall } from '../run/start-up-memory.ts';
import { followCommandLine } from './command-line.ts';

startSmall();

// Somebody who reads only the first lines, as `| head` does, is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exit(await followCommandLine(process.argv.slice(2)));
