// Worker threads with a budget, for work that must not block the thread that answers requests. Loads nothing else of core.
export { lowerPriority } from './lower-priority.ts';
export { createThreadPool, type ThreadPool } from './pool.ts';
export { openWorkerThread, ThreadEnded, type WorkerThread } from './thread.ts';
