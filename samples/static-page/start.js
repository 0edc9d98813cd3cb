// Serves the one file. Any host of files does.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const page = await readFile(new URL('index.html', import.meta.url));
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== '/') return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
});
server.listen(Number(process.env.PORT ?? 3082), '127.0.0.1', () =>
  console.log(`http://localhost:${server.address().port}`),
);
