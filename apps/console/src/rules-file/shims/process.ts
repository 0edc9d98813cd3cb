/** The parts of Node’s `process` that the evaluator of rules uses. */
const present = {
  env: {},
  nextTick: (work: () => void) => queueMicrotask(work),
  // A page has one thread, and this is the time that it has run.
  threadCpuUsage: () => ({ user: performance.now() * 1000, system: 0 }),
};

Object.assign(globalThis, { process: present });
