import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyone, NoContent, type Operation, op, resource, servedByMount, text } from '@latchkey/kernel';
import Fastify from 'fastify';
import { checkMounted } from './operations.ts';

const mounted = op(
  'GET /elsewhere/{id}',
  {
    id: 'elsewhere',
    sdk: 'Sample.elsewhere',
    summary: 'Elsewhere',
    description: 'Is answered by something that is mounted.',
    access: anyone,
    params: { id: text('An id.') },
    returns: NoContent,
    mounted: true,
  },
  servedByMount,
);
// Only the contract is read here, and it has the same type for every operation.
const resources = [{ ...resource('sample', 'A sample.', []), operations: [mounted as unknown as Operation] }];

test('a server with an unmounted operation does not start', async () => {
  const bare = Fastify();
  checkMounted(bare, resources);
  await assert.rejects(async () => bare.ready(), /No handler is mounted for GET \/elsewhere\/\{id\}/);
  const complete = Fastify();
  complete.register(async (scope) => scope.get('/elsewhere/:id', async () => undefined));
  checkMounted(complete, resources);
  await complete.ready();
  await complete.close();
});
