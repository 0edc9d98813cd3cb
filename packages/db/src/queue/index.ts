export { countByState, type DeadJob, type DeadJobs, deleteDead, listDead, retryDead } from './dead.ts';
export { type Enqueueable, type EnqueueOptions, enqueue, enqueueMany, type NewJob } from './enqueue.ts';
export { LeaseLost } from './finish.ts';
export { deleteJobsNaming } from './forget.ts';
export { type LeasedRun, leased, type ValidatePayload } from './run-job.ts';
export { nextRun } from './schedules.ts';
export type { EndpointState, JobState, QueueTables } from './tables.ts';
export { longestWaitSeconds } from './waiting.ts';
export { startWorker, type Worker, type WorkerOptions } from './worker.ts';
