import { followCommandLine } from './command-line.ts';

// Somebody who reads only the first lines, as `| head` does, is no mistake.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exit(await followCommandLine(process.argv.slice(2)));
