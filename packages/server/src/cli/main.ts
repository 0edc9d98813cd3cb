import { followCommandLine } from './command-line.ts';

// A reader that closes the pipe early, such as `| head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exit(await followCommandLine(process.argv.slice(2)));
