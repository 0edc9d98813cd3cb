/** The baseline of linking: bare `node:http` that parses the same request, returns the same JSON and monitors its event loop. */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { json } from 'node:stream/consumers';

const answer = JSON.parse(process.env.BENCH_ANSWER ?? '{}');
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

createServer((request, response) => {
  if (request.url === '/ready') {
    response.end();
    return;
  }
  if (request.url === '/delay') {
    response.end(String(delay.percentile(99) / 1e6));
    delay.reset();
    return;
  }
  json(request).then(
    () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    () => response.destroy(),
  );
}).listen(Number(process.env.LATCHKEY_PORT), '127.0.0.1');
