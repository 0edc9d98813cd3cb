// Loaded into a Latchkey before its own code, which makes it a test build: it has handlers that block its event loop.
import diagnostics from 'node:diagnostics_channel';
import { isMainThread } from 'node:worker_threads';

function hangForever() {
  while (true) {}
}

/** Blocks the event loop until this process has computed for so long: a busy machine makes it no shorter. */
function computeFor(ms) {
  const startedAt = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(startedAt);
    if (user + system >= ms * 1000) return;
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
        computeFor(1_000);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return reply.send({ pid: process.pid });
    });
  });
}
