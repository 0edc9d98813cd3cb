/** The entry point of a pool thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../services/worker-threads/index.ts';
import { pulseOf } from './pulse.ts';

// Must run before the imports below.
lowerPriority();

const { answerBatches } = await import('./answer-batches.ts');
if (parentPort !== null) answerBatches(parentPort, pulseOf(workerData));
