/** What a thread of the pool runs. */
import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pulseOf } from './pulse.ts';

// Where the machine is short of cores, the thread that answers requests goes first, also before what is loaded here.
// Linux takes this for the thread that asks; other systems would take it for the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { answerBatches } = await import('./answer-batches.ts');
if (parentPort !== null) answerBatches(parentPort, pulseOf(workerData));
