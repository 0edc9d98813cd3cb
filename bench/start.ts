/** Startup time and idle memory of a complete Latchkey, compared with a bare `node:http` server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectBaseline } from './baseline.ts';
import { freePort, startLatchkey, startProcess } from './server-process.ts';

const restMs = 5_000;
const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
const bareFile = join(folder, 'bare.mjs');
await writeFile(
  bareFile,
  `import { createServer } from 'node:http';
createServer((_request, response) => response.end('ok')).listen(Number(process.env.LATCHKEY_PORT), '127.0.0.1');`,
);
const environment = {
  LATCHKEY_DATA_DIR: join(folder, 'data'),
  LATCHKEY_MAIL_CATCHER_PORT: String(await freePort()),
  LATCHKEY_SANDBOX: 'false',
};

try {
  const first = await startLatchkey('start', environment);
  await first.stop();
  const again = await startLatchkey('start', environment);
  const bare = await startProcess([bareFile], {}, '/');
  await new Promise((done) => setTimeout(done, restMs));
  expectBaseline((await (await fetch(bare.url)).text()) === 'ok', 'The bare server does not answer.');
  const [ours, theirs] = [again.residentMegabytes(), bare.residentMegabytes()];
  const toldAt = performance.now();
  await again.stop();
  const stoppedInMs = performance.now() - toldAt;
  await bare.stop();
  console.log(`first start, with a new database: ${first.startedInMs.toFixed(0)} ms`);
  console.log(
    `start: ${again.startedInMs.toFixed(0)} ms, bare node:http ${bare.startedInMs.toFixed(0)} ms, ratio ${(again.startedInMs / bare.startedInMs).toFixed(2)}`,
  );
  console.log(`stop: ${stoppedInMs.toFixed(0)} ms, promised within 10 seconds`);
  console.log(
    `memory at rest, API and worker in one process: ${ours.toFixed(0)} MB, bare node:http ${theirs.toFixed(0)} MB, ratio ${(ours / theirs).toFixed(2)}`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
