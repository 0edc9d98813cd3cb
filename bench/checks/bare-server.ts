/** The baseline of the checks: bare `node:http` that reads and parses the same request and returns the same JSON. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const answer = JSON.parse(process.env.BENCH_ANSWER ?? '{}');

createServer((request, response) => {
  if (request.url === '/ready') {
    response.end();
    return;
  }
  json(request).then(
    () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    () => response.destroy(),
  );
}).listen(Number(process.env.LATCHKEY_PORT), '127.0.0.1');
