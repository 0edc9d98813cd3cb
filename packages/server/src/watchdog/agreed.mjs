// What the watchdog's thread, the main thread and the supervisor agree on.

/** What the shared cells mean. The pids of the processes that end with this one follow, 0 where there is none. */
export const cellOf = { beat: 0, isDebugged: 1, firstChild: 2 };
export const mostChildren = 6;

/** How often the main thread beats and the watchdog looks. */
export const tickMs = 500;

/** How the watchdog ends a process, so that a supervisor can tell it from a crash or a lack of memory. */
export const hangSignal = 'SIGALRM';
