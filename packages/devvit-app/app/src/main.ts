import { json } from 'node:stream/consumers';
import { createServer, getServerPort } from '@devvit/server';
import { handle } from './handle.ts';

const server = createServer(async (request, response) => {
  const answer = (status: number, value: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  try {
    const body = await json(request).catch(() => undefined);
    const result = await handle(new URL(request.url ?? '/', 'http://app').pathname, body);
    answer(result === undefined ? 404 : 200, result ?? {});
  } catch {
    answer(500, {});
  }
});
server.listen(getServerPort());
