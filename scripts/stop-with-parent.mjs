import { isMainThread } from 'node:worker_threads';

// Loaded into every program before its own code. A program in a separate session would outlive a parent that was killed without a chance to
// pass the signal on, and keep its port.
const parent = process.ppid;
const checkEveryMs = 1_000;

if (isMainThread) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, checkEveryMs).unref();
}
