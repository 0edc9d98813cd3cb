// Loaded into a Latchkey before its own code, to add handlers that block its event loop.
import diagnostics from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

function hangForever() {
  writeSync(1, 'The planted hang begins.\n');
  // Blocks the thread without using CPU time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Blocks the event loop for a second of CPU time, so that a busy machine does not shorten it. */
function compute() {
  const startedAt = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(startedAt);
    if (user + system >= 1_000_000) return;
  }
}

if (isMainThread) {
  process.on('SIGUSR2', hangForever);
  diagnostics.subscribe('fastify.initialization', ({ fastify }) => {
    fastify.addHook('onRequest', async ({ raw: { url } }, reply) => {
      if (url === '/planted/hang') hangForever();
      const [, chunks] = /^\/planted\/busy\/(\d+)$/.exec(url) ?? [];
      if (chunks === undefined) return;
      for (let n = 0; n < Number(chunks); n += 1) {
        compute();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return reply.send({ pid: process.pid });
    });
  });
}
