// Constants that the watchdog's thread, the main thread and the supervisor share.

/**
 * The meaning of the shared cells. They are followed by the pids of the processes that end with this one, 0 if unused.
 */
export const cellOf = { beat: 0, isDebugged: 1, firstChild: 2 };
export const mostChildren = 6;

/** The interval of the main thread's heartbeats and the watchdog's checks. */
export const tickMs = 500;

/**
 * The signal with which the watchdog kills a process, so that a supervisor can tell it from a crash or a lack of
 * memory.
 */
export const hangSignal = 'SIGALRM';
