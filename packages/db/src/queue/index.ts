export { countByState, type DeadJob, type DeadJobs, deleteDead, listDead, retryDead } from './dead.ts';
export { type Enqueueable, type EnqueueOptions, enqueue, enqueueMany, type NewJob } from './enqueue.ts';
export { LeaseLost } from './finish.ts';
export { deleteJobsNaming } from './forget.ts';
export { jobMetrics, scheduleMetrics } from './metrics.ts';
export { type LeasedRun, leased, type ValidatePayload } from './run-job.ts';
export type { EndpointState, JobState, ProcessFaults, QueueTables } from './tables.ts';
export { longestWaitSeconds } from './waiting.ts';
export { nextRun, startWorker, type Worker, type WorkerOptions } from './worker.ts';
