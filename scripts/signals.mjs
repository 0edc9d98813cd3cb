const sameSignalMs = 1_000;

/** Whether this was started from a terminal, so that Ctrl-C reaches every process of the terminal's group. */
export function startedInTerminal() {
  return process.stdin.isTTY === true;
}

/**
 * Keeps this process alive until its child has ended, and passes on signals that do not reach the child anyway. Must be called before the
 * child is started: it may be ready, and be stopped, before this process continues.
 *
 * Ctrl-C and the closing of a terminal are delivered by the kernel to the child too: passing them on would double them, and a server treats
 * the second Ctrl-C as "stop at once". npm repeats SIGINT and SIGTERM to its child, so a signal that comes again within a second is the
 * same one.
 * @returns {{ to: (child: import('node:child_process').ChildProcess) => void,
 *   received: () => NodeJS.Signals | undefined, stop: () => void }}
 */
export function passSignals() {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  /** @type {NodeJS.Signals | undefined} */
  let received;
  const lastAt = new Map();
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    received = signal;
    const again = performance.now() - (lastAt.get(signal) ?? Number.NEGATIVE_INFINITY) < sameSignalMs;
    lastAt.set(signal, performance.now());
    if (again || (startedInTerminal() && signal !== 'SIGTERM')) return;
    child?.kill(signal);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, onSignal);
  const stop = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const to = (/** @type {import('node:child_process').ChildProcess} */ started) => {
    child = started;
  };
  return { to, received: () => received, stop };
}
