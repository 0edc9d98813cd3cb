/** What a thread of the pool runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../services/worker-threads/index.ts';
import { pulseOf } from './pulse.ts';

// Before what is loaded here.
lowerPriority();

const { answerBatches } = await import('./answer-batches.ts');
if (parentPort !== null) answerBatches(parentPort, pulseOf(workerData));
