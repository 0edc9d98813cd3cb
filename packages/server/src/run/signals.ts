/** Resolves with the first signal that asks this process to stop. The next one kills it. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        // A closing terminal sends the signal more than once, possibly after a Ctrl-C: that is not a request to hurry.
        if (isStopping && name !== 'SIGHUP') process.exit(1);
        isStopping = true;
        resolve(name);
      });
    }
  });
}
